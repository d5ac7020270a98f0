"""What each evidence field bears on: the route or rule that finds it missing.

Written by hand, field by field, apart from the toolkit's own list of what its rules read.
"""

from __future__ import annotations

from tests.trace.building import Trace

FAST = {
    "bindContext/request/promptDigest": "route.rejectMalformedRequest",
    "bindContext/request/promptTokens": "route.rejectMalformedRequest",
    "bindContext/request/maxNewTokens": "route.rejectMalformedRequest",
    "bindContext/request/promptText": "route.rejectMalformedRequest",
    "bindContext/contextPacket/digest": "route.requireContextPacket",
    "bindContext/contextPacket/tokens": "route.requireContextPacket",
    "bindContext/taskSet/digest": "route.requireTaskSet",
    "bindContext/taskSet/promptDigests": "route.requireTaskSet",
    "bindContext/consumer/name": "route.requireConsumer",
    "bindContext/consumer/digest": "route.requireConsumer",
    "bindContext/deadlineSeconds": "route.requireDeadline",
    "bindContext/rights/license": "route.requireRights",
    "bindContext/rights/uses": "route.requireRights",
    "selectMode/mode/name": "route.requireGenerationMode",
    "selectMode/mode/settings": "route.requireGenerationMode",
    "selectMode/riskTier": "route.requireRiskTier",
    "selectMode/qualityTarget/metric": "route.requireQualityTarget",
    "selectMode/qualityTarget/minimumAgainstBaseline": "route.requireQualityTarget",
    "selectMode/verifier/digest": "route.requireVerifierIdentity",
    "selectMode/verifier/kind": "route.requireVerifierIdentity",
    "selectMode/evaluator/digest": "route.requireIndependentEvaluator",
    "selectMode/evaluator/kind": "route.requireIndependentEvaluator",
    "selectMode/acceptancePredicate/name": "route.requireAcceptancePredicate",
    "selectMode/acceptancePredicate/minimumAcceptedShare": "route.requireAcceptancePredicate",
    "selectMode/baseline/mode": "route.requireMatchedBaseline",
    "selectMode/baseline/runId": "route.requireMatchedBaseline",
    "selectMode/baseline/modelDigest": "route.requireMatchedBaseline",
    "selectMode/baseline/promptDigest": "route.requireMatchedBaseline",
    "selectMode/baseline/maxNewTokens": "route.requireMatchedBaseline",
    "selectMode/baseline/dtype": "route.requireMatchedBaseline",
    "selectMode/latencyBudgetSeconds": "route.requireLatencyBudget",
    "selectMode/computeBudgetPasses": "route.requireComputeMemoryBudget",
    "selectMode/memoryBudgetBytes": "route.requireComputeMemoryBudget",
    "selectMode/riskOverride/approver": "route.requireRiskOverride",
    "selectMode/riskOverride/reason": "route.requireRiskOverride",
    "selectMode/slowFallback/mode": "trace.fallback.undeclared",
    "selectMode/highRiskReview/reviewer": "route.requireHighRiskReview",
    "selectMode/highRiskReview/digest": "route.requireHighRiskReview",
    "generateDraft/generator/digest": "route.requireGenerator",
    "generateDraft/draft/digest": "route.requireDraftArtifact",
    "generateDraft/draft/tokens": "route.requireDraftArtifact",
    # The artifact's tokens are compared with it, and are asked about first.
    "generateDraft/proposal/proposedTokens": "route.requireDraftArtifact",
    "generateDraft/proposal/proposedPerStep": "route.requireProposedOutput",
    "generateDraft/generationCost/draftForwardPasses": "route.requireGenerationCost",
    "generateDraft/generationCost/draftSeconds": "route.requireGenerationCost",
    "generateDraft/searchBound/maxProposalTokens": "route.requireSearchBound",
    "verifyDraft/verification/verifierDigest": "route.requireObservedVerification",
    "verifyDraft/verification/verifierForwardPasses": "route.requireObservedVerification",
    "verifyDraft/verification/acceptedPerStep": "route.requireObservedVerification",
    "verifyDraft/verification/acceptedTokens": "route.requireObservedVerification",
    "verifyDraft/verification/rejectedTokens": "route.requireObservedVerification",
    "verifyDraft/verification/emittedTokens": "route.requireObservedVerification",
    "verifyDraft/output/digest": "route.requireAcceptedOutput",
    "verifyDraft/output/tokens": "route.requireAcceptedOutput",
    "verifyDraft/output/text": "route.requireAcceptedOutput",
    "verifyDraft/reference/runId": "route.requireAcceptedOutput",
    "verifyDraft/reference/outputDigest": "route.requireAcceptedOutput",
    "verifyDraft/quality/score": "route.requireQualityPass",
    "verifyDraft/quality/baselineScore": "route.requireQualityPass",
    "verifyDraft/quality/evaluatorDigest": "route.requireQualityPass",
    "verifyDraft/fallback/mode": "route.requireExecutableFallback",
    "verifyDraft/fallback/runId": "route.requireExecutableFallback",
    "verifyDraft/fallback/forwardPasses": "route.requireExecutableFallback",
    "verifyDraft/fallback/seconds": "route.requireExecutableFallback",
    "verifyDraft/fallback/output/digest": "route.requireExecutableFallback",
    "verifyDraft/fallback/output/tokens": "route.requireExecutableFallback",
    "verifyDraft/fallback/output/text": "route.requireExecutableFallback",
    "verifyDraft/fallback/completed": "route.requireExecutableFallback",
    "verifyDraft/residual/slot": "route.requireFallbackResidual",
    "verifyDraft/residual/rejectedTokens": "route.requireFallbackResidual",
    "verifyDraft/residual/reason": "route.requireFallbackResidual",
    "accountOutcome/verifierCost/forwardPasses": "route.requireVerifierCost",
    "accountOutcome/verifierCost/seconds": "route.requireVerifierCost",
    "accountOutcome/fallbackCost/forwardPasses": "route.requireFallbackCost",
    "accountOutcome/fallbackCost/seconds": "route.requireFallbackCost",
    "accountOutcome/task/evaluatorDigest": "route.requireTaskSuccess",
    "accountOutcome/task/outputDigest": "route.requireTaskSuccess",
    "accountOutcome/task/passed": "route.requireTaskSuccess",
    "accountOutcome/baselineResult/runId": "route.requireBaselineResult",
    "accountOutcome/baselineResult/outputDigest": "route.requireBaselineResult",
    "accountOutcome/baselineResult/passed": "route.requireBaselineResult",
    "accountOutcome/baselineResult/seconds": "route.requireBaselineResult",
    "accountOutcome/baselineResult/tokens": "route.requireBaselineResult",
    "accountOutcome/usefulWork/attemptedTokens": "route.requireUsefulDenominator",
    "accountOutcome/usefulWork/proposedTokens": "route.requireUsefulDenominator",
    "accountOutcome/usefulWork/acceptedTokens": "route.requireUsefulDenominator",
    "accountOutcome/usefulWork/verifiedTokens": "route.requireUsefulDenominator",
    "accountOutcome/usefulWork/deliveredTokens": "route.requireUsefulDenominator",
    "accountOutcome/usefulWork/usefulSolutions": "route.requireUsefulDenominator",
    "accountOutcome/usefulWork/wallSeconds": "route.requireUsefulDenominator",
    "accountOutcome/costs/generationSeconds": "route.requireCostMetricSeparation",
    "accountOutcome/costs/verificationSeconds": "route.requireCostMetricSeparation",
    "accountOutcome/costs/fallbackSeconds": "route.requireCostMetricSeparation",
    "accountOutcome/costs/otherSeconds": "route.requireCostMetricSeparation",
    "accountOutcome/costs/totalSeconds": "route.requireCostMetricSeparation",
    "accountOutcome/output/digest": "route.requireOutputDigest",
    "accountOutcome/output/tokens": "route.requireOutputDigest",
    "accountOutcome/output/text": "route.requireOutputDigest",
    # Absent, every promotion is presumed to be asked for, and none has a transition to carry it.
    "decide/promotionsRequested": "route.requireEvidenceTransition",
    "decide/promotionsRequested/kind": "route.requireEvidenceTransition",
    "decide/basis/outputDigest": "route.requireDecisionReceipt",
    "decide/basis/taskPassed": "route.requireDecisionReceipt",
    "decide/basis/baselineRunId": "route.requireDecisionReceipt",
    "decide/evidenceTransition/id": "route.requireEvidenceTransition",
    "decide/evidenceTransition/digest": "route.requireEvidenceTransition",
    "decide/receipt/decision": "route.requireDecisionReceipt",
    "decide/receipt/basisDigest": "route.requireDecisionReceipt",
    "decide/nonClaims": "route.requireDecisionNonClaims",
    "close/acknowledgment/consumerDigest": "route.requireConsumerAcknowledgment",
    "close/acknowledgment/outputDigest": "route.requireConsumerAcknowledgment",
    "close/residual/slot": "route.requireResidualClosure",
    "close/residual/openItems": "route.requireResidualClosure",
    "close/residual/owner": "route.requireResidualClosure",
    "close/descendants/references": "route.requireDescendantReferences",
    "close/result/slot": "route.requireBoundResultDigest",
    "close/result/outputDigest": "route.requireBoundResultDigest",
    "close/cleanup/cacheBytesAllocated": "route.requireCleanup",
    "close/cleanup/cacheBytesReleased": "route.requireCleanup",
    "close/cleanup/hooksInstalled": "route.requireCleanup",
    "close/cleanup/hooksRemoved": "route.requireCleanup",
}

_DECLARED_BY_A_BASELINE = (
    "riskTier",
    "qualityTarget",
    "verifier",
    "evaluator",
    "baseline",
    "latencyBudgetSeconds",
    "computeBudgetPasses",
    "memoryBudgetBytes",
)


def bears_on(field: str, trace: Trace) -> str:
    """The route or rule that finds this field missing in a run of this shape."""
    kind, _, name = field.partition("/")
    if name == "effectsRequested":
        return "route.rejectAuthorityLeak"
    if field.startswith("selectMode/mode/settings/"):
        return "route.requireGenerationMode"
    select = trace.evidence("selectMode")
    slow = trace.header["run"]["mode"] == "autoregressive"
    if slow and kind == "selectMode" and name.partition("/")[0] in _DECLARED_BY_A_BASELINE:
        # The lifecycle lets the slow baseline through; what it must declare is asked beside it.
        return "trace.baseline.undeclared"
    if field == "selectMode/slowFallback/mode" and select["riskTier"] in ("high", "critical"):
        return "route.requireSlowFallback"
    fell_back = "fallback" in trace.evidence("verifyDraft")
    if fell_back and field.startswith("verifyDraft/reference/"):
        return "route.requireBaselineResult"
    return _decide(field, trace) if kind == "decide" else FAST[field]


def _decide(field: str, trace: Trace) -> str:
    """What a decision rests on is asked of a promotion before it is asked of the receipt."""
    evidence = trace.evidence("decide")
    asked = {promotion["kind"] for promotion in evidence["promotionsRequested"]}
    if "rawSpeed" in asked and field.startswith("decide/basis/"):
        return "route.blockRawSpeedProxy"
    if field.startswith("decide/promotionsRequested"):
        if not evidence["basis"]["taskPassed"]:
            return "route.blockRawSpeedProxy"
        if "support" in asked:  # with its transition: nothing more than was asked is presumed
            return "route.requireDecisionReceipt"
    return FAST[field]
