"""What shows that the draft was verified, and what a failed one leaves."""

from __future__ import annotations

from msgspec import UNSET

from genconform.lifecycle.machine import Route
from genconform.lifecycle.packet import EventKind
from genconform.trace.format import Output
from genconform.trace.rules.base import Rules
from genconform.trace.shown import (
    Comparisons,
    Shown,
    Unmet,
    above_zero,
    at_most,
    equal,
    given,
    holds,
    nothing_of,
    text_shown,
)

rules = Rules(EventKind.VERIFY_DRAFT)

_VERIFICATION = (
    "verification/verifierDigest verification/verifierForwardPasses verification/acceptedPerStep "
    "verification/acceptedTokens verification/rejectedTokens verification/emittedTokens "
    "generateDraft/proposal/proposedTokens generateDraft/proposal/proposedPerStep "
)


@rules.shows("observedVerification", Route.REQUIRE_OBSERVED_VERIFICATION, reads=_VERIFICATION)
def observed_verification(shown: Shown) -> Comparisons:
    """verification is by the bound verifier, tells of every step, and its counts add up.

    Each step has a forward pass and accepts at most what it was proposed; accepted and rejected
    tokens together are the proposed ones. The emitted tokens are the accepted ones and one of the
    verifier's own a step; the last step alone may emit less, down to one token, where the text
    ended. An autoregressive run emits the accepted tokens alone.
    """
    seen, proposal = shown.verify.verification, shown.generate.proposal
    accepted = () if seen.accepted_per_step is UNSET else seen.accepted_per_step
    proposed = () if proposal.proposed_per_step is UNSET else proposal.proposed_per_step
    passes = seen.verifier_forward_passes
    within = len(accepted) == len(proposed) and all(map(int.__le__, accepted, proposed))
    return (
        equal(
            "verification/verifierDigest",
            seen.verifier_digest,
            shown.identity.verifier_digest,
            "the identity's verifierDigest",
        ),
        holds(
            bool(accepted) and within,
            "verification/acceptedPerStep",
            "for each step at most as many tokens as it was proposed",
            seen.accepted_per_step,
        ),
        holds(
            passes is not UNSET and passes >= max(len(accepted), 1),
            "verification/verifierForwardPasses",
            "a pass for each step",
            passes,
        ),
        equal(
            "verification/acceptedTokens",
            seen.accepted_tokens,
            sum(accepted),
            "the sum of acceptedPerStep",
        ),
        _every_token_judged(shown),
        _emitted(shown, accepted),
    )


def _every_token_judged(shown: Shown) -> Unmet | None:
    seen, proposed = shown.verify.verification, shown.generate.proposal.proposed_tokens
    accepted, rejected = seen.accepted_tokens, seen.rejected_tokens
    counted = UNSET if accepted is UNSET or rejected is UNSET else accepted + rejected
    if counted is UNSET or counted != proposed:
        field = "verification/rejectedTokens"
        return Unmet(field, "the proposed tokens less the accepted ones", rejected)
    return None


def _emitted(shown: Shown, accepted: tuple[int, ...]) -> Unmet | None:
    field = "verification/emittedTokens"
    emitted = shown.verify.verification.emitted_tokens
    if shown.autoregressive:
        return equal(field, emitted, sum(accepted), "acceptedTokens")
    most = sum(accepted) + len(accepted)
    least = most - accepted[-1] if accepted else 1
    if emitted is UNSET or not least <= emitted <= most:
        return Unmet(field, f"{least} to {most}, acceptedTokens and one a step", emitted)
    return None


@rules.shows(
    "verificationPassed",
    Route.REQUIRE_EXECUTABLE_FALLBACK,
    Route.REQUIRE_FALLBACK_RESIDUAL,
    Route.ACTIVATE_FALLBACK,
    reads=_VERIFICATION + "selectMode/acceptancePredicate/minimumAcceptedShare",
)
def verification_passed(shown: Shown) -> Comparisons:
    """verification was observed, and accepted at least the share of proposed tokens that was set.

    In an autoregressive run it rejected nothing.
    """
    return (*observed_verification(shown), _enough_accepted(shown))


def _enough_accepted(shown: Shown) -> Unmet | None:
    accepted = shown.verify.verification.accepted_tokens
    proposed = shown.generate.proposal.proposed_tokens
    share = shown.select.acceptance_predicate.minimum_accepted_share
    least = 1.0 if shown.autoregressive else share
    if accepted is UNSET or proposed is UNSET or least is UNSET:
        enough = False
    else:
        enough = proposed > 0 and accepted / proposed >= least
    if enough:
        return None
    expected = f"at least the share {least} of {proposed} proposed tokens"
    return Unmet("verification/acceptedTokens", expected, accepted)


@rules.shows(
    "fallbackExecutable",
    Route.REQUIRE_EXECUTABLE_FALLBACK,
    reads="fallback/completed fallback/mode fallback/runId fallback/forwardPasses "
    "fallback/seconds fallback/output/digest fallback/output/tokens fallback/output/text "
    "selectMode/slowFallback/mode bindContext/request/maxNewTokens",
)
def fallback_executable(shown: Shown) -> Comparisons:
    """fallback ran to its end, as a run of its own, in the mode that was declared beforehand.

    It gives its forward passes and seconds, both more than 0, and an output within the token limit.
    """
    fallback = shown.verify.fallback
    others = (UNSET, shown.run.id, shown.select.baseline.run_id)
    return nothing_of("fallback", fallback, "a fallback that ran") or (
        equal("fallback/completed", fallback.completed, True, "true"),
        equal(
            "fallback/mode",
            fallback.mode,
            shown.select.slow_fallback.mode,
            "selectMode's slowFallback.mode",
        ),
        holds(
            fallback.run_id not in others,
            "fallback/runId",
            "a run of its own, neither this one nor its baseline",
            fallback.run_id,
        ),
        above_zero("fallback/forwardPasses", fallback.forward_passes),
        above_zero("fallback/seconds", fallback.seconds),
        *_complete_output(shown, "fallback/output", fallback.output),
    )


def _complete_output(shown: Shown, field: str, output: Output) -> Comparisons:
    """An output has a digest, tokens within the limit, and in a public run a text."""
    limit = shown.bind.request.max_new_tokens
    return (
        given(field + "/digest", output.digest),
        above_zero(field + "/tokens", output.tokens),
        at_most(field + "/tokens", output.tokens, limit, "at most request.maxNewTokens"),
        text_shown(shown, field + "/text", output.text),
    )


@rules.shows(
    "fallbackResidual",
    Route.REQUIRE_FALLBACK_RESIDUAL,
    reads="residual/slot residual/rejectedTokens residual/reason verification/rejectedTokens",
)
def fallback_residual(shown: Shown) -> Comparisons:
    """residual is in the bound slot, counts the rejected tokens and says why they were."""
    residual = shown.verify.residual
    return nothing_of("residual", residual, "what the failed draft left") or (
        equal(
            "residual/slot",
            residual.slot,
            shown.identity.residual_digest,
            "the identity's residualDigest",
        ),
        equal(
            "residual/rejectedTokens",
            residual.rejected_tokens,
            shown.verify.verification.rejected_tokens,
            "verification.rejectedTokens",
        ),
        given("residual/reason", residual.reason),
    )


@rules.shows(
    "acceptedOutput",
    Route.REQUIRE_ACCEPTED_OUTPUT,
    reads="output/digest output/tokens output/text reference/runId reference/outputDigest "
    "verification/emittedTokens selectMode/baseline/runId bindContext/request/maxNewTokens",
)
def accepted_output(shown: Shown) -> Comparisons:
    """output is token by token the matched baseline's own, and all that was emitted.

    Its digest is reference.outputDigest, and reference.runId is the baseline's; its tokens are
    verification.emittedTokens and within the token limit.
    """
    output, reference = shown.verify.output, shown.verify.reference
    return (
        *_complete_output(shown, "output", output),
        equal(
            "output/tokens",
            output.tokens,
            shown.verify.verification.emitted_tokens,
            "verification.emittedTokens",
        ),
        given("reference/outputDigest", reference.output_digest),
        equal("output/digest", output.digest, reference.output_digest, "reference.outputDigest"),
        equal(
            "reference/runId",
            reference.run_id,
            shown.select.baseline.run_id,
            "selectMode's baseline.runId",
        ),
    )


@rules.shows(
    "qualityPass",
    Route.REQUIRE_QUALITY_PASS,
    reads="quality/score quality/baselineScore quality/evaluatorDigest "
    "selectMode/evaluator/digest selectMode/qualityTarget/minimumAgainstBaseline",
)
def quality_pass(shown: Shown) -> Comparisons:
    """quality.score less baselineScore is at least the minimum, by the evaluator named before.

    Where the output is the baseline's own, both scores are the same.
    """
    quality = shown.verify.quality
    score, baseline = quality.score, quality.baseline_score
    least = shown.select.quality_target.minimum_against_baseline
    return (
        given("quality/score", score),
        given("quality/baselineScore", baseline),
        at_most(
            "quality/score",
            least,
            UNSET if score is UNSET or baseline is UNSET else score - baseline,
            "a score that exceeds baselineScore by qualityTarget.minimumAgainstBaseline",
        ),
        _same_output_same_score(shown),
        equal(
            "quality/evaluatorDigest",
            quality.evaluator_digest,
            shown.select.evaluator.digest,
            "selectMode's evaluator.digest",
        ),
    )


def _same_output_same_score(shown: Shown) -> Unmet | None:
    quality, output = shown.verify.quality, shown.verify.output
    if output.digest is UNSET or output.digest != shown.verify.reference.output_digest:
        return None
    same = "quality.baselineScore, for both outputs are the same"
    return equal("quality/score", quality.score, quality.baseline_score, same)
