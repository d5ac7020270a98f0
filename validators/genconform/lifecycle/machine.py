"""The hand-written state machine: which route an event takes, and the state after it.

Written from the facts of the lifecycle. It neither reads the table in spec/ nor is generated from
it: that the two agree is proved elsewhere, on the whole input space.

Each generator below yields the routes of its lines that are taken, in the order in which they are
asked, so the first is the one that decides. An accepting line ends the asking.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from itertools import chain

from genconform.lifecycle.packet import Counters, Event, EventKind, Packet, Stage, State


class Route(StrEnum):
    """The sixty routes, in the order in which their lines are asked."""

    # Enum hashes by name in Python code; the hash of str is the same for our use and native.
    __hash__ = str.__hash__

    REJECT_WRONG_STAGE = "rejectWrongStage"
    REJECT_TASK_SUBSTITUTION = "rejectTaskSubstitution"
    REJECT_MODE_SUBSTITUTION = "rejectModeSubstitution"
    REJECT_EVALUATOR_SUBSTITUTION = "rejectEvaluatorSubstitution"
    REJECT_RESULT_SUBSTITUTION = "rejectResultSubstitution"
    REJECT_EVENT_REPLAY = "rejectEventReplay"
    REJECT_AUTHORITY_LEAK = "rejectAuthorityLeak"

    REJECT_MALFORMED_REQUEST = "rejectMalformedRequest"
    REQUIRE_CONTEXT_PACKET = "requireContextPacket"
    REQUIRE_TASK_SET = "requireTaskSet"
    REQUIRE_CONSUMER = "requireConsumer"
    REQUIRE_DEADLINE = "requireDeadline"
    REQUIRE_RIGHTS = "requireRights"
    ACCEPT_CONTEXT = "acceptContext"

    SELECT_SLOW_BASELINE = "selectSlowBaseline"
    REQUIRE_GENERATION_MODE = "requireGenerationMode"
    REQUIRE_RISK_TIER = "requireRiskTier"
    REQUIRE_QUALITY_TARGET = "requireQualityTarget"
    REQUIRE_VERIFIER_IDENTITY = "requireVerifierIdentity"
    REQUIRE_INDEPENDENT_EVALUATOR = "requireIndependentEvaluator"
    REQUIRE_ACCEPTANCE_PREDICATE = "requireAcceptancePredicate"
    REQUIRE_MATCHED_BASELINE = "requireMatchedBaseline"
    REQUIRE_LATENCY_BUDGET = "requireLatencyBudget"
    REQUIRE_COMPUTE_MEMORY_BUDGET = "requireComputeMemoryBudget"
    REQUIRE_RISK_OVERRIDE = "requireRiskOverride"
    REQUIRE_SLOW_FALLBACK = "requireSlowFallback"
    REQUIRE_HIGH_RISK_REVIEW = "requireHighRiskReview"
    ACCEPT_FAST_SELECTION = "acceptFastSelection"

    REQUIRE_GENERATOR = "requireGenerator"
    REQUIRE_DRAFT_ARTIFACT = "requireDraftArtifact"
    REQUIRE_PROPOSED_OUTPUT = "requireProposedOutput"
    REQUIRE_GENERATION_COST = "requireGenerationCost"
    REQUIRE_SEARCH_BOUND = "requireSearchBound"
    ACCEPT_GENERATION = "acceptGeneration"

    REQUIRE_OBSERVED_VERIFICATION = "requireObservedVerification"
    REQUIRE_EXECUTABLE_FALLBACK = "requireExecutableFallback"
    REQUIRE_FALLBACK_RESIDUAL = "requireFallbackResidual"
    ACTIVATE_FALLBACK = "activateFallback"
    REQUIRE_ACCEPTED_OUTPUT = "requireAcceptedOutput"
    REQUIRE_QUALITY_PASS = "requireQualityPass"
    ACCEPT_VERIFICATION = "acceptVerification"

    REQUIRE_VERIFIER_COST = "requireVerifierCost"
    REQUIRE_FALLBACK_COST = "requireFallbackCost"
    REQUIRE_TASK_SUCCESS = "requireTaskSuccess"
    REQUIRE_BASELINE_RESULT = "requireBaselineResult"
    REQUIRE_USEFUL_DENOMINATOR = "requireUsefulDenominator"
    REQUIRE_COST_METRIC_SEPARATION = "requireCostMetricSeparation"
    REQUIRE_OUTPUT_DIGEST = "requireOutputDigest"
    ACCEPT_ACCOUNTING = "acceptAccounting"

    BLOCK_RAW_SPEED_PROXY = "blockRawSpeedProxy"
    REQUIRE_EVIDENCE_TRANSITION = "requireEvidenceTransition"
    REQUIRE_DECISION_RECEIPT = "requireDecisionReceipt"
    REQUIRE_DECISION_NON_CLAIMS = "requireDecisionNonClaims"
    ACCEPT_DECISION = "acceptDecision"

    REQUIRE_CONSUMER_ACKNOWLEDGMENT = "requireConsumerAcknowledgment"
    REQUIRE_RESIDUAL_CLOSURE = "requireResidualClosure"
    REQUIRE_DESCENDANT_REFERENCES = "requireDescendantReferences"
    REQUIRE_BOUND_RESULT_DIGEST = "requireBoundResultDigest"
    REQUIRE_CLEANUP = "requireCleanup"
    ACCEPT_CLOSURE = "acceptClosure"


ACCEPTING: frozenset[Route] = frozenset(
    {
        Route.ACCEPT_CONTEXT,
        Route.SELECT_SLOW_BASELINE,
        Route.ACCEPT_FAST_SELECTION,
        Route.ACCEPT_GENERATION,
        Route.ACTIVATE_FALLBACK,
        Route.ACCEPT_VERIFICATION,
        Route.ACCEPT_ACCOUNTING,
        Route.ACCEPT_DECISION,
        Route.ACCEPT_CLOSURE,
    }
)

_KIND_OF = dict(zip(Stage, (*EventKind, EventKind.CLOSE), strict=True))
_NEXT_OF = dict(zip(Stage, (*list(Stage)[1:], Stage.CLOSED), strict=True))


def route(state: State, event: Event) -> Route:
    """The one route that this event takes in this state."""
    common = next(_common_lines(state, event), None)
    return common or next(_OWN_LINES[state.stage](state, event.packet))


def unmet(state: State, event: Event) -> tuple[Route, ...]:
    """Every line that rejects this event, in order: what must be mended before it is accepted.

    The first is the route; an accepted event has none.
    """
    rejecting: dict[Route, None] = {}
    own = _OWN_LINES[state.stage](state, event.packet)
    for taken in chain(_common_lines(state, event), own):
        if taken in ACCEPTING:
            break
        rejecting[taken] = None
    return tuple(rejecting)


def step(state: State, event: Event) -> tuple[State, Route]:
    """The state after this event, and the route taken. A rejected event changes nothing."""
    taken = route(state, event)
    if taken not in ACCEPTING:
        return state, taken
    after = State(
        _NEXT_OF[state.stage],
        state.identity,
        (*state.consumed_event_digests, event.packet.event_digest),
        _counted(state, taken),
    )
    return after, taken


def _counted(state: State, taken: Route) -> Counters:
    stage, before = state.stage, state.counters
    return Counters(
        receipts=before.receipts + 1,
        drafts=before.drafts + (stage is Stage.MODE_SELECTED),
        verifications=before.verifications + (stage is Stage.DRAFT_GENERATED),
        fallbacks=before.fallbacks + (taken is Route.ACTIVATE_FALLBACK),
        useful_outcomes=before.useful_outcomes + (stage is Stage.VERIFIED),
        decisions=before.decisions + (stage is Stage.ACCOUNTED),
        support_assignments=before.support_assignments,
        external_effects=before.external_effects,
    )


def _common_lines(state: State, event: Event) -> Iterator[Route]:
    identity, packet = state.identity, event.packet
    if event.kind is not _KIND_OF[state.stage]:
        yield Route.REJECT_WRONG_STAGE
    if (
        packet.task_id != identity.task_id
        or packet.task_version != identity.task_version
        or packet.context_digest != identity.context_digest
        or packet.task_set_digest != identity.task_set_digest
        or packet.consumer_digest != identity.consumer_digest
    ):
        yield Route.REJECT_TASK_SUBSTITUTION
    if (
        packet.mode_digest != identity.mode_digest
        or packet.baseline_digest != identity.baseline_digest
    ):
        yield Route.REJECT_MODE_SUBSTITUTION
    if packet.verifier_digest != identity.verifier_digest:
        yield Route.REJECT_EVALUATOR_SUBSTITUTION
    if (
        packet.result_digest != identity.result_digest
        or packet.residual_digest != identity.residual_digest
    ):
        yield Route.REJECT_RESULT_SUBSTITUTION
    if packet.event_digest in state.consumed_event_digests:
        yield Route.REJECT_EVENT_REPLAY
    if packet.external_effect_requested:
        yield Route.REJECT_AUTHORITY_LEAK


def _requested(_: State, packet: Packet) -> Iterator[Route]:
    if not packet.request_well_formed:
        yield Route.REJECT_MALFORMED_REQUEST
    if not packet.context_packet:
        yield Route.REQUIRE_CONTEXT_PACKET
    if not packet.task_set:
        yield Route.REQUIRE_TASK_SET
    if not packet.consumer:
        yield Route.REQUIRE_CONSUMER
    if not packet.deadline:
        yield Route.REQUIRE_DEADLINE
    if not packet.rights:
        yield Route.REQUIRE_RIGHTS
    yield Route.ACCEPT_CONTEXT


def _context_bound(_: State, packet: Packet) -> Iterator[Route]:
    if not packet.fast_mode_requested:
        yield Route.SELECT_SLOW_BASELINE
    if not packet.generation_mode:
        yield Route.REQUIRE_GENERATION_MODE
    if not packet.risk_tier:
        yield Route.REQUIRE_RISK_TIER
    if not packet.quality_target:
        yield Route.REQUIRE_QUALITY_TARGET
    if not packet.verifier_identity:
        yield Route.REQUIRE_VERIFIER_IDENTITY
    if not packet.independent_evaluator:
        yield Route.REQUIRE_INDEPENDENT_EVALUATOR
    if not packet.acceptance_predicate:
        yield Route.REQUIRE_ACCEPTANCE_PREDICATE
    if not packet.matched_baseline:
        yield Route.REQUIRE_MATCHED_BASELINE
    if not packet.latency_budget:
        yield Route.REQUIRE_LATENCY_BUDGET
    if not packet.compute_memory_budget:
        yield Route.REQUIRE_COMPUTE_MEMORY_BUDGET
    if packet.high_risk and not packet.risk_override:
        yield Route.REQUIRE_RISK_OVERRIDE
    if packet.high_risk and not packet.slow_fallback:
        yield Route.REQUIRE_SLOW_FALLBACK
    if packet.high_risk and not packet.high_risk_review:
        yield Route.REQUIRE_HIGH_RISK_REVIEW
    yield Route.ACCEPT_FAST_SELECTION


def _mode_selected(_: State, packet: Packet) -> Iterator[Route]:
    if not packet.generator:
        yield Route.REQUIRE_GENERATOR
    if not packet.draft_artifact:
        yield Route.REQUIRE_DRAFT_ARTIFACT
    if not packet.proposed_output:
        yield Route.REQUIRE_PROPOSED_OUTPUT
    if not packet.generation_cost:
        yield Route.REQUIRE_GENERATION_COST
    if not packet.search_bound:
        yield Route.REQUIRE_SEARCH_BOUND
    yield Route.ACCEPT_GENERATION


def _draft_generated(_: State, packet: Packet) -> Iterator[Route]:
    if not packet.observed_verification:
        yield Route.REQUIRE_OBSERVED_VERIFICATION
    if not packet.verification_passed:
        if not packet.fallback_executable:
            yield Route.REQUIRE_EXECUTABLE_FALLBACK
        if not packet.fallback_residual:
            yield Route.REQUIRE_FALLBACK_RESIDUAL
        yield Route.ACTIVATE_FALLBACK
    if not packet.accepted_output:
        yield Route.REQUIRE_ACCEPTED_OUTPUT
    if not packet.quality_pass:
        yield Route.REQUIRE_QUALITY_PASS
    yield Route.ACCEPT_VERIFICATION


def _verified(state: State, packet: Packet) -> Iterator[Route]:
    if not packet.verifier_cost:
        yield Route.REQUIRE_VERIFIER_COST
    if state.counters.fallbacks > 0 and not packet.fallback_cost:
        yield Route.REQUIRE_FALLBACK_COST
    if not packet.task_success:
        yield Route.REQUIRE_TASK_SUCCESS
    if not packet.baseline_result:
        yield Route.REQUIRE_BASELINE_RESULT
    if not packet.useful_denominator:
        yield Route.REQUIRE_USEFUL_DENOMINATOR
    if not packet.cost_metric_separation:
        yield Route.REQUIRE_COST_METRIC_SEPARATION
    if not packet.output_digest:
        yield Route.REQUIRE_OUTPUT_DIGEST
    yield Route.ACCEPT_ACCOUNTING


def _accounted(_: State, packet: Packet) -> Iterator[Route]:
    if packet.raw_speed_promotion_requested and not (
        packet.accepted_output and packet.task_success and packet.baseline_result
    ):
        yield Route.BLOCK_RAW_SPEED_PROXY
    if packet.support_promotion_requested and not packet.evidence_transition:
        yield Route.REQUIRE_EVIDENCE_TRANSITION
    if not packet.decision_receipt:
        yield Route.REQUIRE_DECISION_RECEIPT
    if not packet.decision_non_claims:
        yield Route.REQUIRE_DECISION_NON_CLAIMS
    yield Route.ACCEPT_DECISION


def _decided(_: State, packet: Packet) -> Iterator[Route]:
    if not packet.consumer_acknowledgment:
        yield Route.REQUIRE_CONSUMER_ACKNOWLEDGMENT
    if not packet.residual_closure:
        yield Route.REQUIRE_RESIDUAL_CLOSURE
    if not packet.descendant_references:
        yield Route.REQUIRE_DESCENDANT_REFERENCES
    if not packet.result_digest_bound:
        yield Route.REQUIRE_BOUND_RESULT_DIGEST
    if not packet.cleanup:
        yield Route.REQUIRE_CLEANUP
    yield Route.ACCEPT_CLOSURE


def _closed(_: State, __: Packet) -> Iterator[Route]:
    yield Route.REJECT_WRONG_STAGE


_OWN_LINES = dict(
    zip(
        Stage,
        (
            _requested,
            _context_bound,
            _mode_selected,
            _draft_generated,
            _verified,
            _accounted,
            _decided,
            _closed,
        ),
        strict=True,
    )
)
