"""What a run must show: each rule broken by one change of a value, and what is found beside."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import msgspec
import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from genconform.finding import Verdict
from genconform.lifecycle.machine import ACCEPTING, Route
from genconform.lifecycle.packet import BOOLEAN_NAMES
from genconform.spec.rules import load_rules
from genconform.tree import Tree
from tests.trace.building import (
    KINDS,
    Trace,
    build,
    digest,
    every_kind_of_run,
    judge,
    named,
    passes,
    rules,
)

OTHER = named("something else")
OWN = "run-speculative-low"


@dataclass(frozen=True)
class Change:
    """One field set to a value, in a run of some shape, and what must find it first."""

    field: str
    value: Any
    rule: str
    mode: str = "speculative"
    fallback: bool = False
    risk: str = "low"
    promotions: tuple[str, ...] = ()
    bind: bool = False
    """Whether mode and baseline are bound anew, so that it is not their digest that is found."""

    def trace(self) -> Trace:
        trace = build(self.mode, fallback=self.fallback, risk=self.risk, promotions=self.promotions)
        kind, *steps = self.field.split("/")
        value: Any = trace.evidence(kind)
        for step in steps[:-1]:
            value = value[step]
        value[steps[-1]] = self.value
        return trace.rebind_identity() if self.bind else trace.rebind()

    def __str__(self) -> str:
        return f"{self.field}={str(self.value)[:12]}"


def slow(field: str, value: Any, rule: str, bind: bool = False) -> Change:
    return Change(field, value, rule, mode="autoregressive", bind=bind)


def fell_back(field: str, value: Any, rule: str) -> Change:
    return Change(field, value, rule, fallback=True)


def high(field: str, value: Any, rule: str) -> Change:
    return Change(field, value, rule, risk="high")


CHANGES = [
    Change("bindContext/effectsRequested", ["sendMail"], "route.rejectAuthorityLeak"),
    Change("close/effectsRequested", ["sendMail"], "route.rejectAuthorityLeak"),
    Change("bindContext/request/promptTokens", 0, "route.rejectMalformedRequest"),
    Change("bindContext/request/maxNewTokens", 0, "route.rejectMalformedRequest"),
    Change("bindContext/request/promptText", "another", "route.rejectMalformedRequest"),
    Change("bindContext/contextPacket/digest", OTHER, "route.requireContextPacket"),
    Change("bindContext/contextPacket/tokens", 6, "route.requireContextPacket"),
    Change("bindContext/taskSet/digest", OTHER, "route.requireTaskSet"),
    Change("bindContext/taskSet/promptDigests", [OTHER], "route.requireTaskSet"),
    Change("bindContext/request/promptDigest", OTHER, "route.requireTaskSet"),
    Change("bindContext/consumer/name", "somebody", "route.requireConsumer"),
    Change("bindContext/consumer/digest", OTHER, "route.requireConsumer"),
    Change("bindContext/deadlineSeconds", 0, "route.requireDeadline"),
    Change("bindContext/rights/license", "", "route.requireRights"),
    Change("bindContext/rights/uses", ["train"], "route.requireRights"),
    Change("selectMode/mode/name", "diffusion", "route.requireGenerationMode", bind=True),
    Change("selectMode/mode/name", "autoregressive", "route.requireGenerationMode", bind=True),
    Change("selectMode/mode/settings", {}, "route.requireGenerationMode"),
    slow("selectMode/mode/name", "speculative", "route.requireGenerationMode", bind=True),
    Change("selectMode/riskTier", "none", "route.requireRiskTier"),
    Change("selectMode/riskTier", "high", "route.requireRiskOverride"),
    Change("selectMode/qualityTarget/metric", "speed", "route.requireQualityTarget"),
    Change("selectMode/qualityTarget/minimumAgainstBaseline", 0.1, "route.requireQualityTarget"),
    Change("selectMode/verifier/digest", OTHER, "route.requireVerifierIdentity"),
    Change("selectMode/verifier/kind", "person", "route.requireVerifierIdentity"),
    Change("selectMode/evaluator/digest", named("draft"), "route.requireIndependentEvaluator"),
    Change("selectMode/evaluator/digest", named("target"), "route.requireIndependentEvaluator"),
    Change("selectMode/evaluator/kind", "model", "route.requireIndependentEvaluator"),
    Change("selectMode/acceptancePredicate/name", "lenient", "route.requireAcceptancePredicate"),
    Change(
        "selectMode/acceptancePredicate/minimumAcceptedShare",
        1.5,
        "route.requireAcceptancePredicate",
    ),
    Change("selectMode/baseline/mode", "speculative", "route.requireMatchedBaseline", bind=True),
    Change("selectMode/baseline/runId", OWN, "route.requireMatchedBaseline", bind=True),
    Change("selectMode/baseline/modelDigest", OTHER, "route.requireMatchedBaseline", bind=True),
    Change("selectMode/baseline/promptDigest", OTHER, "route.requireMatchedBaseline", bind=True),
    Change("selectMode/baseline/maxNewTokens", 31, "route.requireMatchedBaseline", bind=True),
    Change("selectMode/baseline/dtype", "int8", "route.requireMatchedBaseline", bind=True),
    Change("selectMode/baseline/runId", "another", "route.requireMatchedBaseline"),
    slow("selectMode/baseline/runId", "another", "trace.baseline.undeclared", bind=True),
    slow("selectMode/riskTier", "none", "trace.baseline.undeclared"),
    slow("selectMode/evaluator/kind", "model", "trace.baseline.undeclared"),
    Change("selectMode/latencyBudgetSeconds", 0, "route.requireLatencyBudget"),
    Change("selectMode/latencyBudgetSeconds", 60.5, "route.requireLatencyBudget"),
    Change("selectMode/computeBudgetPasses", 0, "route.requireComputeMemoryBudget"),
    Change("selectMode/memoryBudgetBytes", 0, "route.requireComputeMemoryBudget"),
    Change("selectMode/slowFallback/mode", "speculative", "trace.fallback.undeclared"),
    high("selectMode/slowFallback/mode", "speculative", "route.requireSlowFallback"),
    high("selectMode/highRiskReview", {}, "route.requireHighRiskReview"),
    Change("generateDraft/generator/digest", named("target"), "route.requireGenerator"),
    slow("generateDraft/generator/digest", OTHER, "route.requireGenerator"),
    Change("generateDraft/draft/tokens", 11, "route.requireDraftArtifact"),
    Change("generateDraft/proposal/proposedPerStep", [4, 4], "route.requireProposedOutput"),
    Change("generateDraft/generationCost/draftForwardPasses", 0, "route.requireGenerationCost"),
    Change("generateDraft/generationCost/draftSeconds", 0, "route.requireGenerationCost"),
    Change("generateDraft/searchBound/maxProposalTokens", 3, "route.requireSearchBound"),
    Change("generateDraft/searchBound/maxProposalTokens", 0, "route.requireSearchBound"),
    Change("verifyDraft/verification/verifierDigest", OTHER, "route.requireObservedVerification"),
    Change(
        "verifyDraft/verification/verifierForwardPasses", 3, "route.requireObservedVerification"
    ),
    *(
        Change(
            "verifyDraft/verification/acceptedPerStep", steps, "route.requireObservedVerification"
        )
        for steps in ([4, 3, 2], [4, 3, 1, 1], [4, 3, 0, 2, 0], [5, 2, 0, 2], [])
    ),
    Change("verifyDraft/verification/acceptedTokens", 10, "route.requireObservedVerification"),
    Change("verifyDraft/verification/rejectedTokens", 2, "route.requireObservedVerification"),
    Change("verifyDraft/output/digest", OTHER, "route.requireAcceptedOutput"),
    Change("verifyDraft/output/tokens", 11, "route.requireAcceptedOutput"),
    Change("verifyDraft/reference/outputDigest", OTHER, "route.requireAcceptedOutput"),
    Change("verifyDraft/reference/runId", "another", "route.requireAcceptedOutput"),
    Change("verifyDraft/quality/score", 0.5, "route.requireQualityPass"),
    Change("verifyDraft/quality/evaluatorDigest", OTHER, "route.requireQualityPass"),
    fell_back("verifyDraft/fallback/completed", False, "route.requireExecutableFallback"),
    fell_back("verifyDraft/fallback/mode", "lookahead", "route.requireExecutableFallback"),
    fell_back("verifyDraft/fallback/forwardPasses", 0, "route.requireExecutableFallback"),
    fell_back("verifyDraft/fallback/seconds", 0, "route.requireExecutableFallback"),
    fell_back(
        "verifyDraft/fallback/runId", "run-of-the-baseline", "route.requireExecutableFallback"
    ),
    fell_back("verifyDraft/fallback/output/tokens", 33, "route.requireExecutableFallback"),
    fell_back("verifyDraft/residual/slot", OTHER, "route.requireFallbackResidual"),
    fell_back("verifyDraft/residual/rejectedTokens", 1, "route.requireFallbackResidual"),
    fell_back("verifyDraft/residual/reason", "", "route.requireFallbackResidual"),
    fell_back("verifyDraft/reference/outputDigest", OTHER, "route.requireBaselineResult"),
    Change("accountOutcome/verifierCost/forwardPasses", 3, "route.requireVerifierCost"),
    Change("accountOutcome/verifierCost/seconds", 0, "route.requireVerifierCost"),
    fell_back("accountOutcome/fallbackCost/forwardPasses", 3, "route.requireFallbackCost"),
    fell_back("accountOutcome/fallbackCost/seconds", 0.5, "route.requireFallbackCost"),
    Change("accountOutcome/task/evaluatorDigest", OTHER, "route.requireTaskSuccess"),
    Change("accountOutcome/task/outputDigest", OTHER, "route.requireTaskSuccess"),
    Change("accountOutcome/baselineResult/runId", "another", "route.requireBaselineResult"),
    Change("accountOutcome/baselineResult/outputDigest", OTHER, "route.requireBaselineResult"),
    Change("accountOutcome/baselineResult/seconds", 0, "route.requireBaselineResult"),
    Change("accountOutcome/baselineResult/passed", False, "route.requireBaselineResult"),
    Change("accountOutcome/baselineResult/tokens", 11, "route.requireBaselineResult"),
    *(
        Change(f"accountOutcome/usefulWork/{name}", 5, "route.requireUsefulDenominator")
        for name in (
            "attemptedTokens",
            "proposedTokens",
            "acceptedTokens",
            "verifiedTokens",
            "deliveredTokens",
            "usefulSolutions",
        )
    ),
    Change("accountOutcome/usefulWork/usefulSolutions", 0, "route.requireUsefulDenominator"),
    Change("accountOutcome/usefulWork/wallSeconds", 0, "route.requireUsefulDenominator"),
    *(
        Change(f"accountOutcome/costs/{name}Seconds", 0.3, "route.requireCostMetricSeparation")
        for name in ("generation", "verification", "fallback", "other", "total")
    ),
    Change("verifyDraft/quality/score", 2, "route.requireQualityPass"),
    Change("verifyDraft/quality/baselineScore", 0, "route.requireQualityPass"),
    slow("accountOutcome/baselineResult/seconds", 0.49, "route.requireBaselineResult"),
    slow("accountOutcome/baselineResult/seconds", 0.876, "route.requireBaselineResult"),
    Change("accountOutcome/output/digest", OTHER, "route.requireOutputDigest"),
    Change("accountOutcome/output/tokens", 11, "route.requireOutputDigest"),
    fell_back("accountOutcome/output/digest", OTHER, "route.requireOutputDigest"),
    Change("decide/promotionsRequested", [{"kind": "support"}], "route.requireEvidenceTransition"),
    Change("decide/promotionsRequested", [{"kind": "fame"}], "route.requireEvidenceTransition"),
    *(
        Change(f"decide/basis/{name}", value, "route.blockRawSpeedProxy", promotions=("rawSpeed",))
        for name, value in (
            ("outputDigest", OTHER),
            ("taskPassed", False),
            ("baselineRunId", "another"),
        )
    ),
    Change("decide/basis/taskPassed", False, "route.requireDecisionReceipt"),
    Change("decide/receipt/decision", "ship_it", "route.requireDecisionReceipt"),
    Change("decide/receipt/decision", "promote", "route.requireDecisionReceipt"),
    Change("decide/receipt/basisDigest", OTHER, "route.requireDecisionReceipt"),
    Change("decide/nonClaims", [], "route.requireDecisionNonClaims"),
    Change("decide/nonClaims", ["no-doubt"], "route.requireDecisionNonClaims"),
    Change("close/acknowledgment/consumerDigest", OTHER, "route.requireConsumerAcknowledgment"),
    Change("close/acknowledgment/outputDigest", OTHER, "route.requireConsumerAcknowledgment"),
    Change("close/residual/slot", OTHER, "route.requireResidualClosure"),
    Change("close/residual/openItems", 1, "route.requireResidualClosure"),
    Change("close/descendants/references", ["another"], "route.requireDescendantReferences"),
    fell_back(
        "close/descendants/references",
        ["run-of-the-baseline"],
        "route.requireDescendantReferences",
    ),
    Change("close/result/slot", OTHER, "route.requireBoundResultDigest"),
    Change("close/result/outputDigest", OTHER, "route.requireBoundResultDigest"),
    Change("close/cleanup/cacheBytesReleased", 4095, "route.requireCleanup"),
    Change("close/cleanup/hooksRemoved", 2, "route.requireCleanup"),
    Change("selectMode/latencyBudgetSeconds", 0.5, "trace.budget.latency-exceeded"),
    fell_back("selectMode/computeBudgetPasses", 26, "trace.budget.compute-exceeded"),
    Change("selectMode/memoryBudgetBytes", 4095, "trace.budget.memory-exceeded"),
    Change("verifyDraft/output/text", "42", "trace.text.not-public"),
]


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_one_change_is_found_by_its_rule(change: Change) -> None:
    judged = change.trace().judged()
    assert judged.verdict is Verdict.FAIL
    assert rules(judged)[0] == change.rule, judged.findings


def test_a_deadline_that_passed_is_found_in_place_of_the_budget() -> None:
    trace = build()
    trace.evidence("bindContext")["deadlineSeconds"] = 0.5
    trace.evidence("selectMode")["latencyBudgetSeconds"] = 0.5
    judged = trace.rebind().judged()
    assert rules(judged) == ["trace.deadline.exceeded"]
    assert judged.findings[0].expected == "at most 0.5 seconds, the deadlineSeconds"
    assert judged.findings[0].actual == 0.875


def test_every_rejecting_route_that_evidence_can_lead_to_is_taken() -> None:
    by_evidence = {change.rule for change in CHANGES}
    by_identity = {
        f"route.{route.value}"
        for route in (
            Route.REJECT_WRONG_STAGE,
            Route.REJECT_TASK_SUBSTITUTION,
            Route.REJECT_MODE_SUBSTITUTION,
            Route.REJECT_EVALUATOR_SUBSTITUTION,
            Route.REJECT_RESULT_SUBSTITUTION,
            Route.REJECT_EVENT_REPLAY,
        )
    }
    rejecting = {f"route.{route.value}" for route in Route if route not in ACCEPTING}
    assert rejecting - by_evidence == by_identity


class TestEmittedTokens:
    """accepted + one of the verifier's own a step; the last step may stop where the text ends."""

    def judged_with(self, emitted: int, accepted: list[int]) -> bool:
        trace = build()
        verification = trace.evidence("verifyDraft")["verification"]
        verification["acceptedPerStep"] = accepted
        verification["acceptedTokens"] = sum(accepted)
        verification["rejectedTokens"] = 12 - sum(accepted)
        verification["emittedTokens"] = emitted
        trace.evidence("generateDraft")["proposal"]["proposedPerStep"] = [4, 4, 4]
        return "route.requireObservedVerification" not in rules(trace.rebind().judged())

    @given(st.lists(st.integers(0, 4), min_size=3, max_size=3), st.integers(0, 20))
    def test_are_bounded_by_what_the_steps_can_emit(
        self, accepted: list[int], emitted: int
    ) -> None:
        before_the_last = sum(accepted[:-1]) + len(accepted) - 1
        of_the_last = emitted - before_the_last
        possible = 1 <= of_the_last <= accepted[-1] + 1
        assert self.judged_with(emitted, accepted) is possible

    @pytest.mark.parametrize("emitted", [11, 13])
    def test_of_an_autoregressive_run_are_the_accepted_ones(self, emitted: int) -> None:
        trace = build("autoregressive")
        trace.evidence("verifyDraft")["verification"]["emittedTokens"] = emitted
        assert rules(trace.rebind().judged())[0] == "route.requireObservedVerification"


class TestAcceptedShare:
    @pytest.mark.parametrize(("share", "passed"), [(0.75, True), (0.7500001, False), (1, False)])
    def test_decides_whether_verification_passed(self, share: float, passed: bool) -> None:
        trace = build()  # accepts 9 of 12
        trace.evidence("selectMode")["acceptancePredicate"]["minimumAcceptedShare"] = share
        found = rules(trace.rebind().judged())
        missing = ["route.requireExecutableFallback", "route.requireFallbackResidual"]
        assert found == ([] if passed else missing)

    @given(st.integers(1, 300), st.data())
    def test_that_is_just_reached_is_enough(self, proposed: int, data: st.DataObject) -> None:
        accepted = data.draw(st.integers(0, proposed))
        trace = build()
        trace.evidence("selectMode")["acceptancePredicate"]["minimumAcceptedShare"] = (
            accepted / proposed
        )
        proposal = trace.evidence("generateDraft")["proposal"]
        proposal |= {"proposedTokens": proposed, "proposedPerStep": [proposed]}
        trace.evidence("generateDraft")["draft"]["tokens"] = proposed
        trace.evidence("generateDraft")["searchBound"]["maxProposalTokens"] = proposed
        trace.evidence("verifyDraft")["verification"] |= {
            "acceptedPerStep": [accepted],
            "acceptedTokens": accepted,
            "rejectedTokens": proposed - accepted,
            "emittedTokens": accepted + 1,
        }
        found = rules(trace.rebind().judged())
        assert "route.requireExecutableFallback" not in found

    def test_of_an_autoregressive_run_is_all(self) -> None:
        trace = build("autoregressive")
        trace.evidence("verifyDraft")["verification"] |= {
            "acceptedPerStep": [11],
            "acceptedTokens": 11,
            "rejectedTokens": 1,
            "emittedTokens": 11,
        }
        assert rules(trace.rebind().judged())[0] == "route.requireExecutableFallback"


class TestATaskThatIsNotDone:
    def failed(self, promotions: tuple[str, ...] = ()) -> Trace:
        trace = build(promotions=promotions)
        account, decide = trace.evidence("accountOutcome"), trace.evidence("decide")
        account["task"]["passed"] = account["baselineResult"]["passed"] = False
        account["usefulWork"]["usefulSolutions"] = 0
        trace.evidence("verifyDraft")["quality"] |= {"score": 0, "baselineScore": 0}
        decide["basis"]["taskPassed"] = False
        decide["receipt"]["basisDigest"] = digest(decide["basis"])
        return trace.rebind()

    def test_is_an_outcome_and_conforms(self) -> None:
        judged = self.failed().judged()
        assert passes(judged)
        assert judged.runs[0].state.counters.useful_outcomes == 1

    def test_carries_no_promotion(self) -> None:
        assert rules(self.failed(("rawSpeed",)).judged()) == ["route.blockRawSpeedProxy"]

    def test_blocks_when_promotions_are_not_told(self) -> None:
        trace = self.failed()
        del trace.evidence("decide")["promotionsRequested"]
        assert rules(trace.rebind().judged())[0] == "route.blockRawSpeedProxy"


class TestIdentity:
    @pytest.mark.parametrize(
        ("name", "route"),
        [
            ("taskId", "rejectTaskSubstitution"),
            ("taskVersion", "rejectTaskSubstitution"),
            ("contextDigest", "rejectTaskSubstitution"),
            ("taskSetDigest", "rejectTaskSubstitution"),
            ("consumerDigest", "rejectTaskSubstitution"),
            ("modeDigest", "rejectModeSubstitution"),
            ("baselineDigest", "rejectModeSubstitution"),
            ("verifierDigest", "rejectEvaluatorSubstitution"),
            ("resultDigest", "rejectResultSubstitution"),
            ("residualDigest", "rejectResultSubstitution"),
        ],
    )
    @pytest.mark.parametrize("event", range(7))
    def test_of_another_request_is_rejected(self, name: str, route: str, event: int) -> None:
        trace = build()
        value = 2 if name == "taskVersion" else OTHER
        trace.events[event]["identity"][name] = value
        judged = trace.rebind().judged()
        assert rules(judged) == [f"route.{route}"]
        (finding,) = judged.findings
        assert finding.location.pointer == f"/identity/{name}"
        assert finding.location.line == event + 2
        assert finding.actual == value

    @pytest.mark.parametrize("slot", ["result", "residual"])
    def test_of_a_slot_of_another_run_is_found_at_the_end(self, slot: str) -> None:
        trace = build()
        name = f"{slot}Digest"
        other = digest({"slot": slot, "runId": "another"})
        for identity in (trace.header["identity"], *(event["identity"] for event in trace.events)):
            identity[name] = other
        trace.evidence("close")[slot]["slot"] = other
        assert rules(trace.rebind().judged()) in (
            ["route.requireBoundResultDigest"],
            ["route.requireResidualClosure"],
        )


class TestDigests:
    @pytest.mark.parametrize("event", range(7))
    def test_that_are_not_the_content_s_are_found(self, event: int) -> None:
        trace = build()
        right = trace.events[event]["eventDigest"]
        trace.events[event]["eventDigest"] = OTHER
        judged = trace.judged()
        assert rules(judged) == ["trace.event.digest-mismatch"]
        assert (judged.findings[0].expected, judged.findings[0].actual) == (right, OTHER)
        assert judged.runs[0].events[-1].route is Route.ACCEPT_CLOSURE

    @pytest.mark.parametrize("event", range(1, 7))
    @pytest.mark.parametrize("earlier", range(6))
    def test_consumed_at_any_earlier_step_are_a_replay(self, event: int, earlier: int) -> None:
        if earlier < event:
            trace = build()
            trace.events[event]["eventDigest"] = trace.events[earlier]["eventDigest"]
            judged = trace.judged()
            assert rules(judged) == ["route.rejectEventReplay"]
            assert judged.findings[0].message.endswith(f"line {earlier + 2}")

    def test_of_another_run_are_not_this_run_s(self) -> None:
        trace = build()
        trace.header["run"]["id"] = "renamed"
        assert rules(trace.judged())[0] == "trace.event.digest-mismatch"

    def test_of_numbers_written_otherwise_are_the_same(self) -> None:
        data = build().data()
        written_otherwise = data.replace(b'"deadlineSeconds": 60.0', b'"deadlineSeconds":6e1')
        assert written_otherwise != data
        assert passes(judge(written_otherwise))


class TestDigestsOfLinesAsWritten:
    """Whoever writes a line, and in whatever spelling, its content has one digest."""

    numbers = st.floats(30, 2.0**52) | st.integers(30, 2**53 - 1).map(float) | st.integers(30, 99)
    settings = st.dictionaries(
        st.text(max_size=4) | st.sampled_from(["evidence", "identity", "seq", ',"seq":']),
        st.none()
        | st.booleans()
        | st.integers(1 - 2**53, 2**53 - 1)
        | st.floats(allow_nan=False, allow_infinity=False).filter(
            lambda x: not 2**53 <= abs(x) < 1e21
        )
        | st.text(max_size=6)
        | st.sampled_from(["é", '"', "1.0,", "-0", "\\"]),
        max_size=5,
    )

    @given(settings, numbers, st.booleans())
    def test_is_that_of_the_reference_library(
        self, settings: dict[str, Any], deadline: float, claims: bool
    ) -> None:
        trace = build()
        trace.evidence("selectMode")["mode"]["settings"] = settings
        trace.evidence("bindContext")["deadlineSeconds"] = deadline
        trace.rebind_identity()
        if claims:
            trace.events[0]["claims"] = {"deadline": True}
        lines = [trace.header, *trace.events]
        for write in (rfc8785.dumps, sorted_by_msgspec, compact, spaced):
            assert passes(judge(b"".join(write(line) + b"\n" for line in lines))), write

    @given(st.sampled_from([1.0, -0.0, 1e22, 1e-7, 5e-324]), st.integers(0, 6))
    def test_is_not_that_of_another_spelling(self, number: float, event: int) -> None:
        """A digest over the bytes as they stand, where those are not canonical, is none."""
        trace = build()
        trace.evidence("selectMode")["mode"]["settings"] = {"a": number}
        trace.rebind_identity()
        line = {key: trace.events[1][key] for key in ("evidence", "identity", "kind")}
        document = line | {"runId": OWN}
        trace.events[1]["eventDigest"] = sha256(sorted_by_msgspec(document)).hexdigest()
        data = b"".join(sorted_by_msgspec(line) + b"\n" for line in (trace.header, *trace.events))
        assert rules(judge(data)) == ["trace.event.digest-mismatch"]


def sorted_by_msgspec(line: Any) -> bytes:
    return msgspec.json.encode(line, order="sorted")


def compact(line: Any) -> bytes:
    return json.dumps(line, separators=(",", ":"), ensure_ascii=False).encode()


def spaced(line: Any) -> bytes:
    return json.dumps(dict(reversed(line.items()))).encode()


class TestOrderOfEvents:
    def test_an_event_of_another_kind_is_rejected(self) -> None:
        trace = build()
        trace.events[2:4] = reversed(trace.events[2:4])
        for seq, event in enumerate(trace.events):
            event["seq"] = seq
        judged = trace.rebind().judged()
        assert rules(judged) == ["route.rejectWrongStage"]
        assert (judged.findings[0].expected, judged.findings[0].actual) == KINDS[2:4]

    def test_nothing_is_asked_after_a_rejection(self) -> None:
        trace = build()
        for kind in KINDS[2:]:
            trace.evidence(kind).clear()
        judged = trace.rebind().judged()
        assert len(judged.runs[0].events) == 3
        assert {finding.location.line for finding in judged.findings} == {4}


class TestAllThatIsMissing:
    def test_is_listed_at_once_in_the_order_of_the_lines(self) -> None:
        trace = build()
        trace.evidence("bindContext").clear()
        assert rules(trace.rebind().judged()) == [
            "route.rejectAuthorityLeak",
            "route.rejectMalformedRequest",
            "route.requireContextPacket",
            "route.requireTaskSet",
            "route.requireConsumer",
            "route.requireDeadline",
            "route.requireRights",
        ]

    def test_is_one_word_where_a_whole_object_is(self) -> None:
        trace = build(fallback=True)
        del trace.evidence("verifyDraft")["fallback"]
        found = [f for f in trace.rebind().judged().findings if f.location.pointer is not None]
        about = [(f.expected, f.actual) for f in found if "/fallback" in str(f.location.pointer)]
        assert about == [("a fallback that ran", "nothing")]

    def test_says_where_what_was_expected_and_what_was_there(self) -> None:
        trace = build()
        trace.evidence("selectMode")["baseline"]["dtype"] = "bfloat16"
        finding = trace.rebind_identity().judged().findings[0]
        assert finding.location.line == 3
        assert finding.location.pointer == "/evidence/baseline/dtype"
        assert finding.message == "matchedBaseline is not shown"
        assert finding.expected == "the header's environment.dtype"
        assert finding.actual == "bfloat16"


class TestClaims:
    def test_that_the_evidence_bears_are_fine(self) -> None:
        trace = build()
        trace.events[0]["claims"] = {"deadline": True, "externalEffectRequested": False}
        trace.events[1]["claims"] = {"riskOverride": False, "fastModeRequested": True}
        assert passes(trace.judged())

    def test_are_no_part_of_what_the_digest_binds(self) -> None:
        trace = build()
        before = [event["eventDigest"] for event in trace.events]
        trace.events[0]["claims"] = {"deadline": True}
        assert [event["eventDigest"] for event in trace.rebind().events] == before

    @given(st.sampled_from(KINDS), st.sampled_from(BOOLEAN_NAMES), st.booleans())
    def test_that_differ_from_what_is_derived_are_found(
        self, kind: str, name: str, claimed: bool
    ) -> None:
        trace = build()
        event = trace.events[KINDS.index(kind)]
        derived = trace.judged().runs[0].events[KINDS.index(kind)].derived.value(name)
        event["claims"] = {name: claimed}
        judged = trace.judged()
        assert rules(judged) == ([] if claimed is derived else ["trace.claim.unsupported"])

    def test_do_not_help_a_run_that_shows_nothing(self) -> None:
        trace = build()
        del trace.evidence("bindContext")["deadlineSeconds"]
        trace.events[0]["claims"] = {"deadline": True}
        assert rules(trace.rebind().judged()) == [
            "route.requireDeadline",
            "trace.claim.unsupported",
        ]


class TestTheJudge:
    def test_gives_the_state_that_the_lifecycle_ends_in(self) -> None:
        counters = build(fallback=True).judged().runs[0].state.counters
        assert msgspec.to_builtins(counters) == {
            "receipts": 7,
            "drafts": 1,
            "verifications": 1,
            "fallbacks": 1,
            "usefulOutcomes": 1,
            "decisions": 1,
            "supportAssignments": 0,
            "externalEffects": 0,
        }

    def test_says_the_same_of_the_same(self) -> None:
        trace = build()
        trace.evidence("decide").clear()
        first, second = trace.rebind().judged(), trace.judged()
        assert msgspec.json.encode(first.findings) == msgspec.json.encode(second.findings)

    def test_judges_each_run_of_a_file(self) -> None:
        broken = build(run_id="broken")
        broken.evidence("close")["cleanup"]["hooksRemoved"] = 0
        runs = [build("autoregressive", run_id="first"), broken.rebind(), build(run_id="last")]
        judged = judge(b"".join(trace.data() for trace in runs))
        assert [run.verdict.value for run in judged.runs] == ["pass", "fail", "pass"]
        assert judged.verdict is Verdict.FAIL

    def test_needs_neither_torch_nor_the_probe(self) -> None:
        script = """
import sys
from tests.trace.building import build, passes, judge
import genconform.cli.trace
assert passes(judge(build().data()))
heavy = {"torch", "transformers", "genconform_probe", "tokenizers"}
sys.exit(", ".join(heavy & set(sys.modules)) or 0)
"""
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr

    def test_finds_nothing_that_is_no_rule(self, tree: Tree) -> None:
        known = load_rules(tree)
        found = {change.rule for change in CHANGES}
        assert found <= set(known)

    @pytest.mark.parametrize("trace", every_kind_of_run(), ids=lambda trace: trace.name)
    def test_passes_honest_runs_of_every_shape(self, trace: Trace) -> None:
        assert passes(trace.judged()), trace.judged().findings
