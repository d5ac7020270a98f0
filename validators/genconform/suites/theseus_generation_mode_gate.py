"""The suite `theseus-generation-mode-gate`: another project's gate over its generation modes.

The gate compared modes and promoted none: some accepted more spans a second, none solved a task.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from genconform.suites.imports import Import, Residual, rules_of_import
from genconform.suites.record import Count, Fault, Rate, Record, Text, unequal, unless

NAME = "theseus-generation-mode-gate"
BOUNDARY_GATES = (
    "public_benchmark_training_forbidden",
    "runtime_external_inference_forbidden",
    "fallback_template_router_tool_credit_forbidden",
    "raw_throughput_only_promotion_forbidden",
    "mixed_metric_overclaim_forbidden",
)


class Figures(Record, frozen=True):
    """What the gate reported and nothing here can compute. Bound by a pin."""

    state: Literal["GREEN", "YELLOW", "RED"]
    modes: Count
    hard_gaps: Count
    modes_with_task_pass_evidence: Count
    modes_with_fallback_burden: Count
    mean_accepted_spans_per_second: Rate


class Comparison(Record, frozen=True):
    """Two modes of the source, compared; what was better in the second, if anything."""

    id: Text
    accepted_span_lift: bool
    useful_lift: bool
    task_pass: bool
    promotable: bool


class BoundaryGate(Record, frozen=True):
    """A hard gate, which the source had to pass whatever its speed."""

    id: Text
    passed: bool


class Counts(Record, frozen=True):
    """Counts that follow from the lists."""

    comparisons: Count
    warnings: Count
    warnings_with_accepted_span_lift: Count
    warnings_without_task_pass: Count
    boundary_gates: Count


class GenerationModeGate(Import, frozen=True):
    """The gate's report, as a static import."""

    record: Literal["theseus-generation-mode-gate"]
    figures: Figures
    comparisons: tuple[Comparison, ...]
    boundary_gates: tuple[BoundaryGate, ...]
    counts: Counts
    promotable_comparisons: Count
    modes_with_missing_report_refs: Count
    mean_useful_solutions_per_second: Rate
    residuals: tuple[Residual, ...]


rules = rules_of_import(GenerationModeGate, NAME)


@rules.rule("theseus-gate.count.differs")
def counts_follow(gate: GenerationModeGate) -> Iterator[Fault]:
    """Counts are those of the lists; each comparison without a task pass is a warning."""
    unsolved = sum(not one.task_pass for one in gate.comparisons)
    lifted = sum(one.accepted_span_lift for one in gate.comparisons)
    counted = Counts(
        comparisons=len(gate.comparisons),
        warnings=unsolved,
        warnings_with_accepted_span_lift=lifted,
        warnings_without_task_pass=unsolved,
        boundary_gates=len(BOUNDARY_GATES),
    )
    yield from unequal("/counts", gate.counts, counted, "not the counts of the lists")
    expected = (
        Residual("comparisons-without-task-pass", unsolved),
        Residual("comparisons-with-accepted-span-lift-alone", lifted),
    )
    yield from unequal("/residuals", gate.residuals, expected, "not what stays open")


@rules.rule("theseus-gate.boundary.failed")
def boundaries_hold(gate: GenerationModeGate) -> Iterator[Fault]:
    """The five hard gates are there, once each and in order, and all pass."""
    names = tuple(one.id for one in gate.boundary_gates)
    yield from unequal("/boundaryGates", names, BOUNDARY_GATES, "not the five hard gates")
    for index, one in enumerate(gate.boundary_gates):
        message = f"the hard gate {one.id} fails"
        yield from unequal(f"/boundaryGates/{index}/passed", one.passed, True, message)


@rules.rule("theseus-gate.report-refs.missing")
def modes_have_reports(gate: GenerationModeGate) -> Iterator[Fault]:
    """No mode is counted whose report is not there."""
    missing = gate.modes_with_missing_report_refs
    message = "modes are counted whose reports are missing"
    yield from unequal("/modesWithMissingReportRefs", missing, 0, message)


@rules.rule("theseus-gate.raw-speed.promoted")
def raw_speed_promotes_nothing(gate: GenerationModeGate) -> Iterator[Fault]:
    """Without a useful lift, no comparison may be promoted, however fast."""
    message = "promoted on raw speed"
    for index, one in enumerate(gate.comparisons):
        pointer = f"/comparisons/{index}/promotable"
        yield from unless(not one.promotable, pointer, message, False, one.promotable)
    yield from unequal("/promotableComparisons", gate.promotable_comparisons, 0, message)


@rules.rule("theseus-gate.useful-speed.overclaimed")
def useful_speed_is_earned(gate: GenerationModeGate) -> Iterator[Fault]:
    """Where no task was passed, there is no useful lift, and useful solutions a second are 0."""
    if any(one.task_pass for one in gate.comparisons):
        return
    for index, one in enumerate(gate.comparisons):
        message = "a useful lift without a task pass"
        yield from unequal(f"/comparisons/{index}/usefulLift", one.useful_lift, False, message)
    rate, message = gate.mean_useful_solutions_per_second, "a useful rate without a task pass"
    yield from unless(rate == 0, "/meanUsefulSolutionsPerSecond", message, 0.0, rate)


SUITE = rules.suite(NAME, "another project's gate over its modes, imported as a summary")
