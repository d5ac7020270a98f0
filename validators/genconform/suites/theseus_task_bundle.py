"""The suite `theseus-task-bundle`: another project's results on public tasks, as a summary.

Two ways of generating solved almost the same tasks. What the source could not show stays visible,
and keeps support from moving.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from genconform.suites.imports import Import, Residual, rules_of_import
from genconform.suites.record import (
    Count,
    Fault,
    Record,
    Share,
    Text,
    ratio,
    unequal,
)

NAME = "theseus-task-bundle"


class Figures(Record, frozen=True):
    """What the source reported and nothing here can compute. Bound by a pin."""

    source_card: Text
    tasks: Count
    available_after_exclusions: Count
    operator_gates: Count
    benchmark_gates: Count
    artifact_gaps: Count


class Exports(Record, frozen=True):
    """What was copied of the public tasks: metadata alone."""

    metadata_only: bool
    prompts_exported: bool
    training_rows: Count


class Stream(Record, frozen=True):
    """A way of generating: tasks that it passed, and their share of all."""

    passed: Count
    rate: Share


class Change(Record, frozen=True):
    """The second way against the first: tasks gained and lost, and the difference of the rates."""

    improvements: Count
    regressions: Count
    rate_delta: float


class Gaps(Record, frozen=True):
    """Artifacts that the source could not show: those named openly, and those that block."""

    visible: Count
    blocking_support: Count


class TaskBundleImport(Import, frozen=True):
    """Results on public tasks, as a static import."""

    record: Literal["theseus-task-bundle"]
    figures: Figures
    exports: Exports
    operator_gates_passed: Count
    benchmark_gates_passed: Count
    single_stream: Stream
    multi_stream: Stream
    change: Change
    artifact_gaps: Gaps
    residuals: tuple[Residual, ...]


rules = rules_of_import(TaskBundleImport, NAME)


@rules.rule("theseus-bundle.rate.differs")
def rates_follow(bundle: TaskBundleImport) -> Iterator[Fault]:
    """Rates are passed tasks over all tasks; every task that is not passed stays open."""
    tasks = bundle.figures.tasks
    streams = {"singleStream": bundle.single_stream, "multiStream": bundle.multi_stream}
    for name, stream in streams.items():
        expected = ratio(stream.passed, tasks)
        yield from unequal(f"/{name}/rate", stream.rate, expected, "not passed over all tasks")
    delta = bundle.multi_stream.rate - bundle.single_stream.rate
    message = "not the difference of the rates"
    yield from unequal("/change/rateDelta", bundle.change.rate_delta, delta, message)
    expected_residuals = (Residual("tasks-not-passed", tasks - bundle.multi_stream.passed),)
    yield from unequal("/residuals", bundle.residuals, expected_residuals, "not what stays open")


@rules.rule("theseus-bundle.regression.hidden")
def regressions_show(bundle: TaskBundleImport) -> Iterator[Fault]:
    """Tasks gained less tasks lost is the difference in passed tasks: a loss cannot be left out."""
    change = bundle.change
    net = bundle.multi_stream.passed - bundle.single_stream.passed
    message = "gains less losses are not the difference in passed tasks"
    yield from unequal("/change", change.improvements - change.regressions, net, message)


@rules.rule("theseus-bundle.gate.failed")
def gates_pass(bundle: TaskBundleImport) -> Iterator[Fault]:
    """Every operator gate and every benchmark gate passes."""
    figures = bundle.figures
    for name, passed, gates in (
        ("operatorGatesPassed", bundle.operator_gates_passed, figures.operator_gates),
        ("benchmarkGatesPassed", bundle.benchmark_gates_passed, figures.benchmark_gates),
    ):
        yield from unequal(f"/{name}", passed, gates, "not every gate passes")


@rules.rule("theseus-bundle.gap.hidden")
def gaps_show(bundle: TaskBundleImport) -> Iterator[Fault]:
    """Every gap is visible, and blocks support."""
    for name, count in (
        ("visible", bundle.artifact_gaps.visible),
        ("blockingSupport", bundle.artifact_gaps.blocking_support),
    ):
        expected = bundle.figures.artifact_gaps
        yield from unequal(f"/artifactGaps/{name}", count, expected, "a gap is hidden or ignored")


@rules.rule("theseus-bundle.prompt.exported")
def prompts_stay(bundle: TaskBundleImport) -> Iterator[Fault]:
    """Only metadata of the public tasks is kept, never a prompt."""
    exports = bundle.exports
    yield from unequal("/exports/promptsExported", exports.prompts_exported, False, "a prompt")
    message = "more than metadata"
    yield from unequal("/exports/metadataOnly", exports.metadata_only, True, message)


@rules.rule("theseus-bundle.training-rows.kept")
def nothing_to_train_on(bundle: TaskBundleImport) -> Iterator[Fault]:
    """No public task becomes a row to train on."""
    rows = bundle.exports.training_rows
    yield from unequal("/exports/trainingRows", rows, 0, "public tasks to train on")


def carried(bundle: TaskBundleImport) -> dict[str, int]:
    """The public tasks that the import reports on."""
    return {"taskRecords": bundle.figures.tasks}


SUITE = rules.suite(
    NAME, "another project's results on public tasks, imported as a summary", carries=carried
)
