"""What a decision may rest on, and what it must not claim."""

from __future__ import annotations

from msgspec import UNSET

from genconform.digest.canonical import canonical_digest
from genconform.lifecycle.machine import Route
from genconform.lifecycle.packet import EventKind
from genconform.trace.format import DECISIONS, NON_CLAIMS, PROMOTE, PROMOTIONS
from genconform.trace.rules.base import Rules
from genconform.trace.shown import Comparisons, Shown, Unmet, equal, given, holds, known, nothing_of

rules = Rules(EventKind.DECIDE)


@rules.presumes(
    "rawSpeedPromotionRequested",
    Route.BLOCK_RAW_SPEED_PROXY,
    reads="promotionsRequested promotionsRequested/kind",
)
def no_raw_speed_promotion(shown: Shown) -> Comparisons:
    """promotionsRequested is there, and every request in it is for support."""
    return _only_promotions(shown, "support")


@rules.presumes(
    "supportPromotionRequested",
    Route.REQUIRE_EVIDENCE_TRANSITION,
    reads="promotionsRequested promotionsRequested/kind",
)
def no_support_promotion(shown: Shown) -> Comparisons:
    """promotionsRequested is there, and every request in it is for rawSpeed."""
    return _only_promotions(shown, "rawSpeed")


def _only_promotions(shown: Shown, kind: str) -> Comparisons:
    """A request of another kind than those known counts as a request of each."""
    requested = shown.decide.promotions_requested
    shows = requested is not UNSET and all(request.kind == kind for request in requested)
    expected = f"a list without any request but for {kind}"
    return (holds(shows, "promotionsRequested", expected, requested),)


@rules.shows(
    "acceptedOutput",
    Route.BLOCK_RAW_SPEED_PROXY,
    reads="basis/outputDigest accountOutcome/output/digest",
)
def basis_output(shown: Shown) -> Comparisons:
    """basis.outputDigest is the accounted output's."""
    wanted = shown.account.output.digest
    expected = "accountOutcome's output.digest"
    return (equal("basis/outputDigest", shown.decide.basis.output_digest, wanted, expected),)


@rules.shows(
    "taskSuccess", Route.BLOCK_RAW_SPEED_PROXY, reads="basis/taskPassed accountOutcome/task/passed"
)
def basis_success(shown: Shown) -> Comparisons:
    """basis.taskPassed is true, and the accounted verdict."""
    return (
        equal("basis/taskPassed", shown.decide.basis.task_passed, True, "true"),
        _basis_verdict(shown),
    )


def _basis_verdict(shown: Shown) -> Unmet | None:
    wanted = shown.account.task.passed
    expected = "accountOutcome's task.passed"
    return equal("basis/taskPassed", shown.decide.basis.task_passed, wanted, expected)


@rules.shows(
    "baselineResult",
    Route.BLOCK_RAW_SPEED_PROXY,
    reads="basis/baselineRunId selectMode/baseline/runId",
)
def basis_baseline(shown: Shown) -> Comparisons:
    """basis.baselineRunId is the matched baseline's."""
    wanted = shown.select.baseline.run_id
    expected = "selectMode's baseline.runId"
    value = shown.decide.basis.baseline_run_id
    return (equal("basis/baselineRunId", value, wanted, expected),)


@rules.shows(
    "evidenceTransition",
    Route.REQUIRE_EVIDENCE_TRANSITION,
    reads="evidenceTransition/id evidenceTransition/digest",
)
def evidence_transition(shown: Shown) -> Comparisons:
    """evidenceTransition gives the id and the digest of the transition."""
    transition = shown.decide.evidence_transition
    return nothing_of("evidenceTransition", transition, "an accepted transition") or (
        given("evidenceTransition/id", transition.id),
        given("evidenceTransition/digest", transition.digest),
    )


@rules.shows(
    "decisionReceipt",
    Route.REQUIRE_DECISION_RECEIPT,
    reads="receipt/decision receipt/basisDigest basis/outputDigest basis/taskPassed "
    "basis/baselineRunId promotionsRequested promotionsRequested/kind "
    "accountOutcome/output/digest accountOutcome/task/passed selectMode/baseline/runId",
)
def decision_receipt(shown: Shown) -> Comparisons:
    """receipt.decision is a known one, on a basis with basisDigest that agrees with the account.

    promotionsRequested tells what it decides on; it is promote only if something was requested.
    """
    receipt, basis = shown.decide.receipt, shown.decide.basis
    requested = shown.decide.promotions_requested
    asked = [] if requested is UNSET else [request.kind for request in requested]
    return (
        known("receipt/decision", receipt.decision, DECISIONS),
        holds(
            requested is not UNSET and all(kind in PROMOTIONS for kind in asked),
            "promotionsRequested",
            "a list of requests, each for one of " + ", ".join(PROMOTIONS),
            requested,
        ),
        holds(
            bool(asked) or receipt.decision != PROMOTE,
            "receipt/decision",
            "another decision, for no promotion was requested",
            receipt.decision,
        ),
        equal(
            "receipt/basisDigest",
            receipt.basis_digest,
            canonical_digest(basis),
            "the digest of basis",
        ),
        *basis_output(shown),
        _basis_verdict(shown),
        *basis_baseline(shown),
    )


@rules.shows("decisionNonClaims", Route.REQUIRE_DECISION_NON_CLAIMS, reads="nonClaims")
def decision_non_claims(shown: Shown) -> Comparisons:
    """nonClaims lists at least one thing that the decision does not claim, and known ones only."""
    listed = shown.decide.non_claims
    shows = listed is not UNSET and bool(listed) and all(claim in NON_CLAIMS for claim in listed)
    expected = "some of " + ", ".join(NON_CLAIMS)
    return (holds(shows, "nonClaims", expected, listed),)
