"""The generation-mode record and the resource-budget record: how a task was served, at what cost.

Numbers have their units in their names, so that rules compare them. A record that was not run holds
nothing measured. spec/records.md is the page on both.
"""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, UnsetType

from genconform.suites.record import Count, Digest, Rate, Record, Seconds, Share, Text, ratio
from genconform.trace.format import Decision, GenerationMode, NonClaimKind, RiskTier

MeasurementState = Literal["not_run", "planned", "run"]
EvidenceKind = Literal["run", "baseline", "negative_control", "fallback"]


class Resources(Record, frozen=True):
    """Amounts of the three things that a budget limits and a run spends."""

    latency_seconds: Seconds
    compute_passes: Count
    memory_bytes: Count


class Part(Record, frozen=True):
    """A model, program or cache that took part."""

    kind: Literal["none", "model", "heads", "program", "cache", "layers"]
    id: Text


class AcceptancePredicate(Record, frozen=True):
    """What makes a draft acceptable: the rule, and the least share of tokens to pass it."""

    name: Literal["greedy-token-identity", "rejection-sampling", "task-check"]
    minimum_accepted_share: Share


class Work(Record, frozen=True):
    """The six kinds of work. Each is counted apart, and none stands in for another."""

    attempted_tokens: Count
    proposed_tokens: Count
    accepted_tokens: Count
    verified_tokens: Count
    delivered_tokens: Count
    useful_solutions: Count


class Costs(Record, frozen=True):
    """The whole bill in wall seconds, from the queue to the delivered answer."""

    queue_seconds: Seconds
    prefill_seconds: Seconds
    decode_seconds: Seconds
    verification_seconds: Seconds
    repair_seconds: Seconds
    retry_seconds: Seconds
    fallback_seconds: Seconds
    total_seconds: Seconds

    @property
    def parts(self) -> tuple[float, ...]:
        """Every component, without the total."""
        return (
            self.queue_seconds,
            self.prefill_seconds,
            self.decode_seconds,
            self.verification_seconds,
            self.repair_seconds,
            self.retry_seconds,
            self.fallback_seconds,
        )


class Quality(Record, frozen=True):
    """A score beside the least that was asked for before the run, and whether it was reached."""

    predicate: Literal["score-at-least"]
    score: Share
    minimum_score: Share
    passed: bool


class Measured(Record, frozen=True):
    """What a run came to. `residual_items` are things that it left open."""

    work: Work
    costs: Costs
    spent: Resources
    quality: Quality
    residual_items: Count


class Fallback(Record, frozen=True):
    """The slower mode to fall back on; `evidence` is the id of the run that shows it executes."""

    mode: GenerationMode
    executable: bool
    evidence: Text


MetricName = Literal[
    "effective_verified_tokens_per_second",
    "useful_solutions_per_second",
    "proposed_tokens_per_second",
    "quality",
    "residual",
]


class Metric(Record, frozen=True):
    """A metric with its definition: what is divided by what, in which unit; the value of a run."""

    name: MetricName
    numerator: Text
    denominator: Literal["totalSeconds", "none"]
    unit: Text
    value: Rate | UnsetType = UNSET


class EvidenceRef(Record, frozen=True):
    """Evidence elsewhere, by id, and the SHA-256 of its RFC 8785 form."""

    kind: EvidenceKind
    id: Text
    sha256: Digest


class NonClaim(Record, frozen=True):
    """Something that the record does not claim, and a sentence for the reader."""

    claim: NonClaimKind
    text: Text


class Setup(Record, frozen=True):
    """What ran: context, mode, what drafted and verified, and when a draft is accepted."""

    context_packet_id: Text
    generation_mode: GenerationMode
    draft_source: Part
    verifier: Part
    acceptance_predicate: AcceptancePredicate


class GenerationModeRecord(Record, frozen=True):
    """How one task was served by one mode, and what was decided about the mode."""

    record: Literal["generation-mode"]
    task_id: Text
    risk_tier: RiskTier
    budget: Resources
    setup: Setup
    measurement_state: MeasurementState
    metrics: tuple[Metric, ...]
    promotion_decision: Decision
    dispatched: bool
    evidence_refs: tuple[EvidenceRef, ...]
    non_claims: tuple[NonClaim, ...]
    measured: Measured | UnsetType = UNSET
    fallback: Fallback | UnsetType = UNSET


class ResourceBudgetRecord(Record, frozen=True):
    """What one task may take, and what it took."""

    record: Literal["resource-budget"]
    task_id: Text
    risk_tier: RiskTier
    budget: Resources
    spent: Resources | UnsetType = UNSET


DEFINITIONS: dict[MetricName, tuple[str, str, str]] = {
    "effective_verified_tokens_per_second": ("verifiedTokens", "totalSeconds", "tokens/s"),
    "useful_solutions_per_second": ("usefulSolutions", "totalSeconds", "solutions/s"),
    "proposed_tokens_per_second": ("proposedTokens", "totalSeconds", "tokens/s"),
    "quality": ("score", "none", "share"),
    "residual": ("residualItems", "none", "items"),
}
"""Numerator, denominator and unit of each metric."""


def value_of(metric: MetricName, measured: Measured) -> float:
    """A metric's value, to six digits behind the point, from what was measured."""
    work = measured.work
    amounts: dict[str, float] = {
        "verifiedTokens": work.verified_tokens,
        "usefulSolutions": work.useful_solutions,
        "proposedTokens": work.proposed_tokens,
        "score": measured.quality.score,
        "residualItems": measured.residual_items,
    }
    numerator, denominator, _ = DEFINITIONS[metric]
    amount = amounts[numerator]
    if denominator == "none":
        return amount
    return round(ratio(amount, measured.costs.total_seconds), 6)
