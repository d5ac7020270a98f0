"""The suite `baseline-harness`: a task's generation-mode record, its budget, the runs they cite.

A scenario holds the evidence that its record cites, so that every number of the record is that of a
run, and the run is the one whose digest was cited.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import UNSET

from genconform.digest.canonical import canonical_digest
from genconform.suites.generation_mode import (
    DEFINITIONS,
    EvidenceKind,
    GenerationModeRecord,
    Measured,
    MetricName,
    ResourceBudgetRecord,
    Resources,
    Setup,
    value_of,
)
from genconform.suites.record import (
    Fault,
    Record,
    RecordRules,
    Text,
    ratio,
    unequal,
    unequal_fields,
    unless,
)
from genconform.trace.format import AUTOREGRESSIVE, NON_CLAIMS, Decision

NAME = "baseline-harness"
NEEDED: tuple[EvidenceKind, ...] = ("run", "baseline", "negative_control")
"""What a measurement must cite."""
COVERED: tuple[MetricName, ...] = (
    "effective_verified_tokens_per_second",
    "useful_solutions_per_second",
    "quality",
    "residual",
)
"""What metrics must cover, whatever else they show."""
_MAY_GO_WITHOUT_FALLBACK = "low"


class Evidence(Record, frozen=True):
    """A run of a task, as it was measured."""

    kind: EvidenceKind
    id: Text
    task_id: Text
    setup: Setup
    measured: Measured


class Scenario(Record, frozen=True):
    """A record, the budget of its task, and what the record cites."""

    record: Literal["baseline-scenario"]
    generation: GenerationModeRecord
    budget: ResourceBudgetRecord
    evidence: tuple[Evidence, ...]

    def of_kind(self, kind: EvidenceKind) -> Evidence | None:
        """The first piece of evidence of a kind that the record cites."""
        cited = {ref.id for ref in self.generation.evidence_refs if ref.kind == kind}
        return next((one for one in self.evidence if one.kind == kind and one.id in cited), None)


rules = RecordRules(Scenario)


@rules.rule("harness.pair.differs")
def pair_agrees(scenario: Scenario) -> Iterator[Fault]:
    """Record and budget speak of the same task, at the same risk, with the same limits."""
    ours = scenario.generation
    shared = {"task_id": ours.task_id, "risk_tier": ours.risk_tier, "budget": ours.budget}
    yield from unequal_fields("/budget", scenario.budget, shared, "not as in the record")


@rules.rule("harness.evidence.missing")
def measurement_is_cited(scenario: Scenario) -> Iterator[Fault]:
    """A measurement cites its run, a matched baseline and a negative control, each once."""
    if scenario.generation.measurement_state != "run":
        return
    kinds = [ref.kind for ref in scenario.generation.evidence_refs]
    for kind in NEEDED:
        count, message = kinds.count(kind), f"a measurement cites one {kind}"
        yield from unequal("/generation/evidenceRefs", count, 1, message)


@rules.rule("harness.evidence.digest-differs")
def evidence_is_what_was_cited(scenario: Scenario) -> Iterator[Fault]:
    """What is cited is there once, and is by digest what was cited."""
    for name, ids in (
        ("evidence", [one.id for one in scenario.evidence]),
        ("generation/evidenceRefs", [ref.id for ref in scenario.generation.evidence_refs]),
    ):
        yield from unequal(f"/{name}", len(ids), len(set(ids)), "the same evidence twice")
    held = {(one.kind, one.id): canonical_digest(one) for one in scenario.evidence}
    for index, ref in enumerate(scenario.generation.evidence_refs):
        pointer, message = f"/generation/evidenceRefs/{index}/sha256", f"not the digest of {ref.id}"
        yield from unequal(pointer, ref.sha256, held.get((ref.kind, ref.id), "not there"), message)


@rules.rule("harness.measurement.differs")
def numbers_are_of_the_run(scenario: Scenario) -> Iterator[Fault]:
    """Setup and numbers of the record are those of the run that it cites."""
    ours, run = scenario.generation, scenario.of_kind("run")
    if run is None:
        return
    shared = {"task_id": run.task_id, "setup": run.setup, "measured": run.measured}
    yield from unequal_fields("/generation", ours, shared, f"not as in {run.id}")


@rules.rule("harness.baseline.unmatched")
def baseline_is_matched(scenario: Scenario) -> Iterator[Fault]:
    """The baseline ran the same task in the same context, autoregressively."""
    baseline = scenario.of_kind("baseline")
    if baseline is None:
        return
    ours = scenario.generation
    at = f"/evidence/{scenario.evidence.index(baseline)}"
    for name, actual, expected in (
        ("taskId", baseline.task_id, ours.task_id),
        ("setup/contextPacketId", baseline.setup.context_packet_id, ours.setup.context_packet_id),
        ("setup/generationMode", baseline.setup.generation_mode, AUTOREGRESSIVE),
    ):
        yield from unequal(f"{at}/{name}", actual, expected, "the baseline is not matched")


@rules.rule("harness.control.idle")
def control_is_rejected(scenario: Scenario) -> Iterator[Fault]:
    """The negative control fails: a verifier that passes it shows nothing."""
    control = scenario.of_kind("negative_control")
    if control is not None:
        pointer = f"/evidence/{scenario.evidence.index(control)}/measured/quality/passed"
        passed, message = control.measured.quality.passed, "the negative control passes"
        yield from unequal(pointer, passed, False, message)


@rules.rule("harness.work.unbalanced")
def work_adds_up(scenario: Scenario) -> Iterator[Fault]:
    """No kind of work exceeds the one that it is a part of, and costs sum to their total."""
    for index, one in enumerate(scenario.evidence):
        at, work, costs = f"/evidence/{index}/measured", one.measured.work, one.measured.costs
        ordered = (
            work.accepted_tokens <= work.proposed_tokens <= work.attempted_tokens
            and work.verified_tokens <= work.attempted_tokens
            and work.delivered_tokens <= work.attempted_tokens
            and work.useful_solutions <= work.delivered_tokens
        )
        message = "more of a part than of the whole"
        yield from unless(ordered, f"{at}/work", message, "accepted <= proposed <= attempted", work)
        total, message = sum(costs.parts), "not the sum of its components"
        yield from unequal(f"{at}/costs/totalSeconds", costs.total_seconds, total, message)


@rules.rule("harness.budget.misspent")
def budget_is_kept(scenario: Scenario) -> Iterator[Fault]:
    """What was spent is what was measured, wall time included, and within the limits."""
    budget, measured = scenario.budget, scenario.generation.measured
    if measured is UNSET:
        return
    yield from unequal("/budget/spent", budget.spent, measured.spent, "not what was measured")
    total, message = measured.costs.total_seconds, "the wall time is not the whole bill"
    pointer = "/generation/measured/spent/latencySeconds"
    yield from unequal(pointer, measured.spent.latency_seconds, total, message)
    for name, spent, limit in _limits(measured.spent, budget.budget):
        message = "more than the budget allows"
        yield from unless(spent <= limit, f"/budget/spent/{name}", message, limit, spent)


def _limits(spent: Resources, limit: Resources) -> Iterator[tuple[str, float, float]]:
    yield "latencySeconds", spent.latency_seconds, limit.latency_seconds
    yield "computePasses", spent.compute_passes, limit.compute_passes
    yield "memoryBytes", spent.memory_bytes, limit.memory_bytes


@rules.rule("harness.metric.differs")
def metrics_are_computed(scenario: Scenario) -> Iterator[Fault]:
    """Each metric stands once, is defined as its name says, and has the value that was measured."""
    ours = scenario.generation
    names = [metric.name for metric in ours.metrics]
    yield from unequal("/generation/metrics", len(names), len(set(names)), "a metric stands twice")
    for index, metric in enumerate(ours.metrics):
        at = f"/generation/metrics/{index}"
        defined = (metric.numerator, metric.denominator, metric.unit)
        yield from unequal(
            at, defined, DEFINITIONS[metric.name], f"not how {metric.name} is defined"
        )
        value = UNSET if ours.measured is UNSET else value_of(metric.name, ours.measured)
        yield from unequal(f"{at}/value", metric.value, value, "not what was measured")


@rules.rule("harness.metrics.latency-only")
def metrics_cover_use(scenario: Scenario) -> Iterator[Fault]:
    """Metrics cover verified work, use, quality and what stays open, not raw speed alone."""
    if scenario.generation.measurement_state != "run":
        return
    named = {metric.name for metric in scenario.generation.metrics}
    missing = [name for name in COVERED if name not in named]
    message = "metrics of speed stand in for usefulness"
    yield from unless(not missing, "/generation/metrics", message, list(COVERED), sorted(named))


@rules.rule("harness.quality.misjudged")
def quality_is_judged(scenario: Scenario) -> Iterator[Fault]:
    """Quality passes if and only if the score reaches the least that was asked for."""
    for index, one in enumerate(scenario.evidence):
        quality = one.measured.quality
        pointer = f"/evidence/{index}/measured/quality/passed"
        reached = quality.score >= quality.minimum_score
        message = f"the score is {quality.score} and {quality.minimum_score} was asked for"
        yield from unequal(pointer, quality.passed, reached, message)


@rules.rule("harness.acceptance.unmet")
def predicate_is_met(scenario: Scenario) -> Iterator[Fault]:
    """A mode is kept only if the share of accepted tokens reaches the acceptance predicate's."""
    ours = scenario.generation
    if ours.measured is UNSET or ours.promotion_decision != "keep_experimental":
        return
    work, predicate = ours.measured.work, ours.setup.acceptance_predicate
    share, least = (
        ratio(work.accepted_tokens, work.proposed_tokens),
        predicate.minimum_accepted_share,
    )
    message = "too few proposed tokens were accepted"
    yield from unless(share >= least, "/generation/measured/work", message, least, share)


@rules.rule("harness.quality.failed-promoted")
def failed_quality_stays_down(scenario: Scenario) -> Iterator[Fault]:
    """Failed or unmeasured quality is never promoted or kept."""
    ours, kept = scenario.generation, ("promote", "keep_experimental")
    if ours.measurement_state == "run" and not _passes(ours) and ours.promotion_decision in kept:
        message, expected = "the quality that was asked for was not reached", list(_allowed(ours))
        yield Fault("/generation/promotionDecision", message, expected, ours.promotion_decision)


@rules.rule("harness.promotion.in-fixture")
def fixtures_promote_nothing(scenario: Scenario) -> Iterator[Fault]:
    """A fixture promotes no mode, however good its numbers are."""
    ours = scenario.generation
    if _passes(ours) and ours.promotion_decision == "promote":
        message = "a fixture is no ground for promotion"
        yield Fault("/generation/promotionDecision", message, "keep_experimental", "promote")


@rules.rule("harness.decision.unfounded")
def decision_follows(scenario: Scenario) -> Iterator[Fault]:
    """The decision is one that the measurement allows; the two rules above see to the others."""
    ours = scenario.generation
    seen_to = ("promote",) if _passes(ours) else ("promote", "keep_experimental")
    if ours.measurement_state == "run" and ours.promotion_decision not in seen_to:
        decision, allowed = ours.promotion_decision, _allowed(ours)
        message = "the decision does not follow from the measurement"
        holds = decision in allowed
        yield from unless(holds, "/generation/promotionDecision", message, list(allowed), decision)


def _passes(ours: GenerationModeRecord) -> bool:
    return ours.measured is not UNSET and ours.measured.quality.passed


def _allowed(ours: GenerationModeRecord) -> tuple[Decision, ...]:
    if not _passes(ours):
        return ("quarantine", "reject")
    if ours.setup.generation_mode == AUTOREGRESSIVE:
        return ("fallback_only",)
    return ("keep_experimental",)


@rules.rule("harness.not-run.evaluated")
def what_was_not_run_is_not_evaluated(scenario: Scenario) -> Iterator[Fault]:
    """Without a run there is no decision, measurement or use; with one there is a measurement."""
    ours = scenario.generation
    if ours.measurement_state == "run":
        missing = ours.measured is UNSET
        message = "it was run, and nothing was measured"
        yield from unless(not missing, "/generation/measured", message, "a measurement", None)
        return
    message = "it was not run"
    for name, actual, expected in (
        ("promotionDecision", ours.promotion_decision, "not_evaluated"),
        ("measured", ours.measured is not UNSET, False),
        ("dispatched", ours.dispatched, False),
    ):
        yield from unequal(f"/generation/{name}", actual, expected, message)


@rules.rule("harness.fallback.missing")
def fallback_executes(scenario: Scenario) -> Iterator[Fault]:
    """A fast mode at medium risk or above names a fallback that was seen to execute."""
    ours = scenario.generation
    if ours.fallback is UNSET:
        fast = ours.setup.generation_mode != AUTOREGRESSIVE
        if fast and ours.risk_tier != _MAY_GO_WITHOUT_FALLBACK:
            message = f"a fast mode at {ours.risk_tier} risk needs a fallback"
            yield Fault("/generation/fallback", message, "a fallback that executes", None)
        return
    shown = scenario.of_kind("fallback")
    expected = shown and (shown.id, shown.setup.generation_mode, True)
    actual = (ours.fallback.evidence, ours.fallback.mode, ours.fallback.executable)
    message = "the fallback was not seen to execute"
    yield from unequal("/generation/fallback", actual, expected, message)


@rules.rule("harness.dispatch.refused")
def refused_modes_rest(scenario: Scenario) -> Iterator[Fault]:
    """A mode that was run is in use unless it was rejected or quarantined, and never then."""
    ours = scenario.generation
    if ours.measurement_state != "run":
        return
    usable = ours.promotion_decision not in ("reject", "quarantine")
    message = f"a mode whose decision is {ours.promotion_decision}"
    yield from unequal("/generation/dispatched", ours.dispatched, usable, message)


@rules.rule("harness.non-claims.missing")
def non_claims_are_made(scenario: Scenario) -> Iterator[Fault]:
    """The record says what it does not claim: every known non-claim, in their order."""
    said = tuple(one.claim for one in scenario.generation.non_claims)
    yield from unequal("/generation/nonClaims", said, NON_CLAIMS, "not what it must not claim")


SUITE = rules.suite(
    NAME,
    "a generation mode, its budget and the runs that they cite",
    free={
        "/generation/nonClaims/*/text": "a sentence for the reader; the claim beside it is bound"
    },
)
