"""What a stranger's package registers. Light: no numpy here."""

from pathlib import Path

from lcbench import MethodSpec, MetricKind, MetricSpec, Param, Setting, StreamSpec, SuiteSpec, TaskShape, hookimpl


@hookimpl
def lcbench_register_methods(register):
    register(
        MethodSpec(
            name="carry-kmeans",
            factory="lcbench_sample.carry_kmeans:CarryKMeans",
            setting=Setting.LIFELONG,
            params=(Param("weight", float, 0.5, "how much the old centres count", minimum=0),),
            summary="k-means that starts where the last task ended",
            baseline="kmeans",
        )
    )


@hookimpl
def lcbench_register_streams(register):
    register(
        StreamSpec(
            name="two-moons",
            factory="lcbench_sample.two_moons:TwoMoons",
            tasks=tuple(TaskShape(f"moons-{t}", 60, 2, 2) for t in (1, 2, 3)),
            digest="two-moons-1",
            summary="scikit-learn's moons, a little more noise in each task",
        )
    )


@hookimpl
def lcbench_register_metrics(register):
    register(MetricSpec(name="v-measure", factory="lcbench_sample.v_measure:VMeasure", kind=MetricKind.EXTERNAL))


@hookimpl
def lcbench_register_suites(register):
    register(SuiteSpec("moons-1", Path(__file__).with_name("moons-1.toml"), "moons and digits"))


@hookimpl
def lcbench_register_commands(app):
    @app.command("moo")
    def moo() -> None:
        """Say what the sample plugin says."""
        print("sample plugin says moo")
