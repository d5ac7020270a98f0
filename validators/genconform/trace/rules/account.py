"""What shows what was delivered, whether it does the task, and what all of it cost."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from genconform.lifecycle.machine import Route
from genconform.lifecycle.packet import EventKind
from genconform.trace.format import Costs
from genconform.trace.rules.base import Rules
from genconform.trace.shown import (
    Comparisons,
    Shown,
    Unmet,
    above_zero,
    equal,
    given,
    holds,
    nothing_of,
)

rules = Rules(EventKind.ACCOUNT_OUTCOME)
COST_TOLERANCE_SECONDS = 1e-6


@rules.shows(
    "verifierCost",
    Route.REQUIRE_VERIFIER_COST,
    reads="verifierCost/forwardPasses verifierCost/seconds "
    "verifyDraft/verification/verifierForwardPasses",
)
def verifier_cost(shown: Shown) -> Comparisons:
    """verifierCost gives the forward passes that were observed, and seconds above 0."""
    cost = shown.account.verifier_cost
    return (
        equal(
            "verifierCost/forwardPasses",
            cost.forward_passes,
            shown.verify.verification.verifier_forward_passes,
            "verifyDraft's verification.verifierForwardPasses",
        ),
        above_zero("verifierCost/seconds", cost.seconds),
    )


@rules.shows(
    "fallbackCost",
    Route.REQUIRE_FALLBACK_COST,
    reads="fallbackCost/forwardPasses fallbackCost/seconds "
    "verifyDraft/fallback/forwardPasses verifyDraft/fallback/seconds",
)
def fallback_cost(shown: Shown) -> Comparisons:
    """fallbackCost gives the passes and the seconds of the fallback that ran."""
    cost, fallback = shown.account.fallback_cost, shown.verify.fallback
    return nothing_of("fallbackCost", cost, "what the fallback cost") or (
        equal(
            "fallbackCost/forwardPasses",
            cost.forward_passes,
            fallback.forward_passes,
            "verifyDraft's fallback.forwardPasses",
        ),
        equal(
            "fallbackCost/seconds", cost.seconds, fallback.seconds, "verifyDraft's fallback.seconds"
        ),
    )


@rules.shows(
    "taskSuccess",
    Route.REQUIRE_TASK_SUCCESS,
    reads="task/evaluatorDigest task/outputDigest task/passed selectMode/evaluator/digest "
    "verifyDraft/output/digest verifyDraft/fallback/output/digest",
)
def task_checked(shown: Shown) -> Comparisons:
    """task holds the verdict, success or failure, of the evaluator on the delivered output."""
    task = shown.account.task
    return (
        equal(
            "task/evaluatorDigest",
            task.evaluator_digest,
            shown.select.evaluator.digest,
            "selectMode's evaluator.digest",
        ),
        equal(
            "task/outputDigest",
            task.output_digest,
            shown.delivered.digest,
            "the digest of the delivered output",
        ),
        given("task/passed", task.passed, "true or false"),
    )


@rules.shows(
    "baselineResult",
    Route.REQUIRE_BASELINE_RESULT,
    reads="baselineResult/runId baselineResult/outputDigest baselineResult/passed "
    "baselineResult/seconds baselineResult/tokens "
    "verifyDraft/reference/runId verifyDraft/reference/outputDigest selectMode/baseline/runId",
)
def baseline_result(shown: Shown) -> Comparisons:
    """baselineResult gives what came of the baseline's run: output, verdict, tokens and seconds.

    The run and the output are those of verifyDraft's reference. Where the same output was
    delivered, its verdict and its tokens are the same too. A run that is its own baseline took the
    seconds of its proposing at least, and its wallSeconds at most.
    """
    result, reference = shown.account.baseline_result, shown.verify.reference
    baseline = shown.select.baseline.run_id
    return (
        equal("baselineResult/runId", result.run_id, baseline, "selectMode's baseline.runId"),
        equal(
            "verifyDraft/reference/runId", reference.run_id, baseline, "selectMode's baseline.runId"
        ),
        given("verifyDraft/reference/outputDigest", reference.output_digest),
        equal(
            "baselineResult/outputDigest",
            result.output_digest,
            reference.output_digest,
            "verifyDraft's reference.outputDigest",
        ),
        given("baselineResult/passed", result.passed, "true or false"),
        above_zero("baselineResult/seconds", result.seconds),
        above_zero("baselineResult/tokens", result.tokens),
        *_same_output_same_verdict(shown),
        _own_seconds(shown) if shown.autoregressive else None,
    )


def _own_seconds(shown: Shown) -> Unmet | None:
    seconds = shown.account.baseline_result.seconds
    least = shown.generate.generation_cost.draft_seconds
    most = shown.account.useful_work.wall_seconds
    if seconds is UNSET or least is UNSET or most is UNSET:
        return None  # which others find
    return holds(
        least <= seconds <= most,
        "baselineResult/seconds",
        f"{least} to {most} seconds, as this run is its own baseline",
        seconds,
    )


def _same_output_same_verdict(shown: Shown) -> Comparisons:
    result, task, output = shown.account.baseline_result, shown.account.task, shown.delivered
    if UNSET in (result.output_digest, result.passed, task.passed, result.tokens, output.tokens):
        return ()
    if result.output_digest != output.digest:
        return ()
    return (
        equal(
            "baselineResult/passed",
            result.passed,
            task.passed,
            "task.passed, for both outputs are the same",
        ),
        equal(
            "baselineResult/tokens",
            result.tokens,
            output.tokens,
            "the delivered tokens, for both outputs are the same",
        ),
    )


@rules.shows(
    "usefulDenominator",
    Route.REQUIRE_USEFUL_DENOMINATOR,
    reads="usefulWork/attemptedTokens usefulWork/proposedTokens usefulWork/acceptedTokens "
    "usefulWork/verifiedTokens usefulWork/deliveredTokens usefulWork/usefulSolutions "
    "usefulWork/wallSeconds task/passed verifyDraft/output/tokens "
    "verifyDraft/fallback/output/tokens generateDraft/proposal/proposedTokens "
    "verifyDraft/verification/acceptedPerStep verifyDraft/verification/acceptedTokens "
    "verifyDraft/verification/emittedTokens",
)
def useful_denominator(shown: Shown) -> Comparisons:
    """usefulWork counts each kind of work as the events before did, over wallSeconds above 0.

    Attempted are the proposed tokens, one of the verifier's own a step in a fast mode, and the
    fallback's. A solution is useful only if the task's verdict is success.
    """
    work, seen = shown.account.useful_work, shown.verify.verification
    passed = shown.account.task.passed
    useful = UNSET if passed is UNSET else int(passed)
    counts = (
        ("attemptedTokens", work.attempted_tokens, _attempted(shown)),
        ("proposedTokens", work.proposed_tokens, shown.generate.proposal.proposed_tokens),
        ("acceptedTokens", work.accepted_tokens, seen.accepted_tokens),
        ("verifiedTokens", work.verified_tokens, seen.emitted_tokens),
        ("deliveredTokens", work.delivered_tokens, shown.delivered.tokens),
        ("usefulSolutions", work.useful_solutions, useful),
    )
    unmet = [
        Unmet(f"usefulWork/{name}", f"{counted}, as counted before", value)
        for name, value, counted in counts
        if value is UNSET or value != counted
    ]
    return (*unmet, above_zero("usefulWork/wallSeconds", work.wall_seconds))


def _attempted(shown: Shown) -> int | UnsetType:
    proposed = shown.generate.proposal.proposed_tokens
    accepted = shown.verify.verification.accepted_per_step
    fallback = shown.verify.fallback.output.tokens
    if proposed is UNSET or accepted is UNSET:
        return UNSET
    own = 0 if shown.autoregressive else len(accepted)
    return proposed + own + (0 if fallback is UNSET else fallback)


@rules.shows(
    "costMetricSeparation",
    Route.REQUIRE_COST_METRIC_SEPARATION,
    reads="costs/generationSeconds costs/verificationSeconds costs/fallbackSeconds "
    "costs/otherSeconds costs/totalSeconds verifierCost/seconds fallbackCost/seconds "
    "usefulWork/wallSeconds generateDraft/generationCost/draftSeconds",
)
def cost_metric_separation(shown: Shown) -> Comparisons:
    """costs gives each part of the bill as it was charged, and the parts sum to the total.

    The total is usefulWork.wallSeconds. Without a fallback its part is 0.
    """
    costs, account = shown.account.costs, shown.account
    fallback = account.fallback_cost.seconds if shown.fell_back else 0.0
    drafting = shown.generate.generation_cost.draft_seconds
    parts = (
        ("generationSeconds", costs.generation_seconds, drafting),
        ("verificationSeconds", costs.verification_seconds, account.verifier_cost.seconds),
        ("fallbackSeconds", costs.fallback_seconds, fallback),
        ("totalSeconds", costs.total_seconds, account.useful_work.wall_seconds),
        ("otherSeconds", costs.other_seconds, _rest(costs)),
    )
    return [
        Unmet(f"costs/{name}", f"{charged} seconds", value)
        for name, value, charged in parts
        if not _same_seconds(value, charged)
    ]


def _rest(costs: Costs) -> float | UnsetType:
    """What the total leaves for other work."""
    if costs.total_seconds is UNSET:
        return UNSET
    named = (costs.generation_seconds, costs.verification_seconds, costs.fallback_seconds)
    return costs.total_seconds - sum(part for part in named if part is not UNSET)


def _same_seconds(value: float | UnsetType, charged: float | UnsetType) -> bool:
    if value is UNSET or charged is UNSET:
        return False
    return abs(value - charged) <= COST_TOLERANCE_SECONDS


@rules.shows(
    "outputDigest",
    Route.REQUIRE_OUTPUT_DIGEST,
    reads="output/digest output/tokens output/text "
    "verifyDraft/output/digest verifyDraft/output/tokens verifyDraft/output/text "
    "verifyDraft/fallback/output/digest verifyDraft/fallback/output/tokens "
    "verifyDraft/fallback/output/text",
)
def delivered_output(shown: Shown) -> Comparisons:
    """output is the verified one, or the fallback's after a fallback."""
    output, delivered = shown.account.output, shown.delivered
    source = "verifyDraft's fallback.output" if shown.fell_back else "verifyDraft's output"
    return (
        equal("output/digest", output.digest, delivered.digest, source),
        equal("output/tokens", output.tokens, delivered.tokens, source),
        holds(output.text == delivered.text, "output/text", source, output.text),
    )
