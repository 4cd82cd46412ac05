"""The spec of `watch`: an arm of a person is a task, the exercises it does are the clusters."""

from __future__ import annotations

from lcbench import Param, Params, RawData, Reference, StreamCard, StreamSpec, TaskShape

EXERCISES = ("ABD", "ER", "FEL", "IR", "PEN", "ROW", "TRAP")
FEATURES = 5 * 6  # mean, deviation, least, most and energy of six channels
WINDOW = 100

# Rows of the recordings of every arm, by exercise.
LENGTHS = {
    "1/left": (2455, 2462, 2416, 2618, 1489, 1933, 2256),
    "1/right": (2242, 2034, 2542, 1853, 1398, 1804, 1597),
    "2/left": (2407, 2337, 2370, 2532, 1368, 1883, 2010),
    "2/right": (2097, 2253, 2182, 1812, 1283, 1919, 1578),
    "3/left": (1386, 1366, 1339, 1217, 1142, 1128, 1209),
    "3/right": (1208, 1107, 1115, 1032, 1091, 983, 963),
    "4/left": (1361, 1298, 1272, 1176, 1141, 1110, 1165),
    "4/right": (1124, 1065, 1130, 970, 1064, 947, 975),
    "5/left": (2033, 2038, 2119, 2285, 1314, 1612, 1840),
    "5/right": (1872, 1855, 1939, 2022, 1353, 1553, 1652),
    "6/left": (1951, 2043, 2095, 2282, 1351, 1520, 1780),
    "6/right": (1776, 1846, 1916, 1957, 1283, 1523, 1604),
    "7/left": (2330, 2356, 2312, 1987, 1380, 1841, 1468),
    "7/right": (2290, 2096, 2429, 2252, 1333, 1730, 1472),
    "8/left": (2160, 1810, 2197, 1979, 1540, 1573, 1474),
    "8/right": (2158, 1704, 2077, 1684, 1441, 1761, 1583),
    "9/left": (2217, 1773, 2229, 1934, 1555, 1591, 1495),
    "9/right": (2169, 1766, 2061, 1695, 1472, 1621, 1616),
    "10/left": (2410, 2306, 2300, 1944, 1356, 1856, 1369),
    "10/right": (2259, 2089, 2458, 2164, 1268, 1612, 1472),
}
SHORTEST = min(length for lengths in LENGTHS.values() for length in lengths)

RAW = RawData(
    reader="lcbench_streams.watch:read_recordings",
    counts={f"{arm}/{exercise}": 1 for arm in LENGTHS for exercise in EXERCISES},
    digest="575884ade618237abe56774c25b21cba304a014293545687b466c64a9791f834",
    archives=("seglearn-1.2.5-py3-none-any.whl", "seglearn-1.2.5*.whl"),
    files=("watch_dataset.npy",),
    requirement="seglearn==1.2.5",
    sha256="ec6b952c85c9627050102854b372d85951563d3b990df677d7c55547e87413dd",
    size=11_320_941,
)


def sizes(params: Params) -> dict[str, dict[str, int]]:
    """The numbers of windows of each key, by name of the task."""
    arms = list(LENGTHS.items())[: params["tasks"]]
    return {
        "subject-" + arm.replace("/", "-"): {
            f"{arm}/{exercise}": length // params["window"] for exercise, length in zip(EXERCISES, lengths, strict=True)
        }
        for arm, lengths in arms
    }


def watch_shapes(params: Params) -> tuple[TaskShape, ...]:
    """A task for each of the first arms."""
    return tuple(
        TaskShape(name, sum(keys.values()), FEATURES, len(EXERCISES), tuple(zip(EXERCISES, keys.values(), strict=True)))
        for name, keys in sizes(params).items()
    )


WATCH = StreamSpec(
    name="watch",
    display="Watch",
    citations=(
        Reference(
            key="burns2018shoulder",
            kind="misc",
            title="Shoulder Physiotherapy Exercise Recognition: Machine Learning the Inertial Signals from a "
            "Smartwatch",
            authors=(
                "Burns, David M.",
                "Leung, Nathan",
                "Hardisty, Michael",
                "Whyne, Cari M.",
                "Henry, Patrick",
                "McLachlin, Stewart",
            ),
            year=2018,
            venue="arXiv:1802.01489",
        ),
    ),
    factory="lcbench_streams.watch:Watch",
    tasks=watch_shapes,
    params=(
        Param("tasks", int, len(LENGTHS), "number of tasks, the first of all", minimum=1, maximum=len(LENGTHS)),
        Param("window", int, WINDOW, "measurements in a row of data, 50 to a second", minimum=2, maximum=SHORTEST),
    ),
    digest=f"watch-1-{RAW.digest}",
    looks_ahead=False,
    summary="movements of a watch in seven exercises of the shoulder; each arm of ten people is a task",
    card=StreamCard(
        what="Acceleration and turning of a watch, six channels at 50 Hz, while ten people do seven exercises of the "
        "shoulder, with either arm. A row is two seconds, an arm is a task, an exercise a cluster.",
        source="Burns and others: Shoulder physiotherapy exercise recognition (arXiv:1802.01489, 2018), the part that "
        "the wheel seglearn 1.2.5 holds.",
        licence="BSD, as all of the wheel; whether that was meant for the recordings too is not said. lcbench holds no "
        "copy of them.",
        notes=(
            "For: sensors, and a trap for pooling. A task is easy alone; arms and people differ so much that data put "
            "together say less.",
            "Cut: each recording into windows of 100 measurements that do not overlap, the rest at its end left out. "
            "Rows stand in the order of SHA-256('watch', NUL, 'row', NUL, measurements in base64).",
            "Features of a window: mean, standard deviation, least and greatest value and mean square of each channel, "
            "scaled to 0 to 1 within the task. No look-ahead: a task is scaled by itself alone.",
            "The file is a pickle. It is read by a child process that knows the four names it needs and puts something "
            "harmless in their place; nothing of it is run.",
        ),
    ),
    data=RAW,
)
