"""What a mode must declare before it runs."""

from __future__ import annotations

from msgspec import UNSET

from genconform.digest.canonical import canonical_digest
from genconform.lifecycle.machine import Route
from genconform.lifecycle.packet import EventKind
from genconform.trace.format import (
    AUTOREGRESSIVE,
    GENERATION_MODES,
    GREEDY_TOKEN_IDENTITY,
    JUDGE_KINDS,
    RISK_TIERS,
    TASK_SCORE,
)
from genconform.trace.rules.base import Rules
from genconform.trace.shown import (
    Comparisons,
    Shown,
    above_zero,
    at_most,
    equal,
    given,
    holds,
    known,
    nothing_of,
)

rules = Rules(EventKind.SELECT_MODE)
_LOW_RISK = ("low", "medium")


@rules.presumes("fastModeRequested", Route.SELECT_SLOW_BASELINE, reads="mode/name mode/settings")
def slow_mode_requested(shown: Shown) -> Comparisons:
    """mode is the one that was bound, and its name is "autoregressive"."""
    name = shown.select.mode.name
    slow = equal("mode/name", name, AUTOREGRESSIVE, AUTOREGRESSIVE)
    return (slow,) if slow else _bound_mode(shown)


@rules.shows("generationMode", Route.REQUIRE_GENERATION_MODE, reads="mode/name mode/settings")
def generation_mode(shown: Shown) -> Comparisons:
    """mode is the one that was bound, and its name is one of the twelve modes."""
    name = shown.select.mode.name
    return (known("mode/name", name, GENERATION_MODES), *_bound_mode(shown))


def _bound_mode(shown: Shown) -> Comparisons:
    mode = shown.select.mode
    return (
        equal("mode/name", mode.name, shown.run.mode, "the header's run.mode"),
        given("mode/settings", mode.settings),
        equal(
            "mode",
            canonical_digest(mode),
            shown.identity.mode_digest,
            "a document with the identity's modeDigest",
        ),
    )


@rules.shows("riskTier", Route.REQUIRE_RISK_TIER, reads="riskTier")
def risk_tier(shown: Shown) -> Comparisons:
    """riskTier is low, medium, high or critical."""
    return (known("riskTier", shown.select.risk_tier, RISK_TIERS),)


@rules.presumes(
    "highRisk",
    Route.REQUIRE_RISK_OVERRIDE,
    Route.REQUIRE_SLOW_FALLBACK,
    Route.REQUIRE_HIGH_RISK_REVIEW,
    reads="riskTier",
)
def no_high_risk(shown: Shown) -> Comparisons:
    """riskTier is low or medium."""
    return (known("riskTier", shown.select.risk_tier, _LOW_RISK),)


@rules.shows(
    "qualityTarget",
    Route.REQUIRE_QUALITY_TARGET,
    reads="qualityTarget/metric qualityTarget/minimumAgainstBaseline",
)
def quality_target(shown: Shown) -> Comparisons:
    """qualityTarget.metric is "taskScore", and minimumAgainstBaseline is there and not above 0."""
    target = shown.select.quality_target
    return (
        equal("qualityTarget/metric", target.metric, TASK_SCORE, TASK_SCORE),
        at_most(
            "qualityTarget/minimumAgainstBaseline",
            target.minimum_against_baseline,
            0,
            "0, or less where a loss is allowed",
        ),
    )


@rules.shows(
    "verifierIdentity", Route.REQUIRE_VERIFIER_IDENTITY, reads="verifier/digest verifier/kind"
)
def verifier_identity(shown: Shown) -> Comparisons:
    """verifier.digest is the identity's verifierDigest; its kind says model or program."""
    verifier = shown.select.verifier
    return (
        equal(
            "verifier/digest",
            verifier.digest,
            shown.identity.verifier_digest,
            "the identity's verifierDigest",
        ),
        known("verifier/kind", verifier.kind, JUDGE_KINDS),
    )


@rules.shows(
    "independentEvaluator",
    Route.REQUIRE_INDEPENDENT_EVALUATOR,
    reads="evaluator/digest evaluator/kind",
)
def independent_evaluator(shown: Shown) -> Comparisons:
    """evaluator is a program, and its digest is none of the run's models."""
    evaluator = shown.select.evaluator
    return (
        given("evaluator/digest", evaluator.digest),
        holds(
            evaluator.digest not in shown.header.subjects.models,
            "evaluator/digest",
            "none of the models of the run",
            evaluator.digest,
        ),
        equal("evaluator/kind", evaluator.kind, "program", "program"),
    )


@rules.shows(
    "acceptancePredicate",
    Route.REQUIRE_ACCEPTANCE_PREDICATE,
    reads="acceptancePredicate/name acceptancePredicate/minimumAcceptedShare",
)
def acceptance_predicate(shown: Shown) -> Comparisons:
    """acceptancePredicate is "greedy-token-identity" with a least accepted share from 0 to 1."""
    predicate = shown.select.acceptance_predicate
    share = predicate.minimum_accepted_share
    return (
        equal(
            "acceptancePredicate/name", predicate.name, GREEDY_TOKEN_IDENTITY, GREEDY_TOKEN_IDENTITY
        ),
        holds(
            share is not UNSET and 0 <= share <= 1,
            "acceptancePredicate/minimumAcceptedShare",
            "a share from 0 to 1",
            share,
        ),
    )


@rules.shows(
    "matchedBaseline",
    Route.REQUIRE_MATCHED_BASELINE,
    reads="baseline/mode baseline/runId baseline/modelDigest baseline/promptDigest "
    "baseline/maxNewTokens baseline/dtype "
    "bindContext/request/promptDigest bindContext/request/maxNewTokens",
)
def matched_baseline(shown: Shown) -> Comparisons:
    """baseline has the identity's baselineDigest, and differs from the run in its mode alone.

    It is autoregressive, with the run's target model, prompt, token limit and number type. It is
    another run than this one, unless this one is autoregressive: then it is this one.
    """
    baseline, request = shown.select.baseline, shown.bind.request
    own = baseline.run_id == shown.run.id
    return (
        equal("baseline/mode", baseline.mode, AUTOREGRESSIVE, AUTOREGRESSIVE),
        holds(
            baseline.run_id is not UNSET and own is shown.autoregressive,
            "baseline/runId",
            "this run" if shown.autoregressive else "another run",
            baseline.run_id,
        ),
        equal(
            "baseline/modelDigest",
            baseline.model_digest,
            shown.header.subjects.target,
            "the header's subjects.target",
        ),
        equal(
            "baseline/promptDigest",
            baseline.prompt_digest,
            request.prompt_digest,
            "bindContext's request.promptDigest",
        ),
        equal(
            "baseline/maxNewTokens",
            baseline.max_new_tokens,
            request.max_new_tokens,
            "bindContext's request.maxNewTokens",
        ),
        equal(
            "baseline/dtype",
            baseline.dtype,
            shown.header.environment.dtype,
            "the header's environment.dtype",
        ),
        equal(
            "baseline",
            canonical_digest(baseline),
            shown.identity.baseline_digest,
            "a document with the identity's baselineDigest",
        ),
    )


@rules.shows(
    "latencyBudget",
    Route.REQUIRE_LATENCY_BUDGET,
    reads="latencyBudgetSeconds bindContext/deadlineSeconds",
)
def latency_budget(shown: Shown) -> Comparisons:
    """latencyBudgetSeconds is more than 0 and within the deadline."""
    seconds = shown.select.latency_budget_seconds
    field = "latencyBudgetSeconds"
    return (
        above_zero(field, seconds),
        at_most(field, seconds, shown.bind.deadline_seconds, "at most the deadlineSeconds"),
    )


@rules.shows(
    "computeMemoryBudget",
    Route.REQUIRE_COMPUTE_MEMORY_BUDGET,
    reads="computeBudgetPasses memoryBudgetBytes",
)
def compute_memory_budget(shown: Shown) -> Comparisons:
    """computeBudgetPasses and memoryBudgetBytes are both more than 0."""
    return (
        above_zero("computeBudgetPasses", shown.select.compute_budget_passes),
        above_zero("memoryBudgetBytes", shown.select.memory_budget_bytes),
    )


@rules.shows(
    "riskOverride", Route.REQUIRE_RISK_OVERRIDE, reads="riskOverride/approver riskOverride/reason"
)
def risk_override(shown: Shown) -> Comparisons:
    """riskOverride names who allowed the fast path and why."""
    override = shown.select.risk_override
    return nothing_of("riskOverride", override, "who allowed it, and why") or (
        given("riskOverride/approver", override.approver),
        given("riskOverride/reason", override.reason),
    )


@rules.shows("slowFallback", Route.REQUIRE_SLOW_FALLBACK, reads="slowFallback/mode")
def slow_fallback(shown: Shown) -> Comparisons:
    """slowFallback.mode is "autoregressive"."""
    mode = shown.select.slow_fallback.mode
    return (equal("slowFallback/mode", mode, AUTOREGRESSIVE, AUTOREGRESSIVE),)


@rules.shows(
    "highRiskReview",
    Route.REQUIRE_HIGH_RISK_REVIEW,
    reads="highRiskReview/reviewer highRiskReview/digest",
)
def high_risk_review(shown: Shown) -> Comparisons:
    """highRiskReview names the reviewer and gives the digest of the review."""
    review = shown.select.high_risk_review
    return nothing_of("highRiskReview", review, "a reviewer, and the digest of the review") or (
        given("highRiskReview/reviewer", review.reviewer),
        given("highRiskReview/digest", review.digest),
    )
