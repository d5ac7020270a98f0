"""The check fails when there is something wrong with the runs, and only then."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest

from genconform.finding import Verdict
from genconform.trace.judge import JudgedFile, judge_file
from genconform_probe import check
from genconform_probe.models import Models
from genconform_probe.session import Outcome


def judge(outcome: Outcome, cut: int = 0) -> JudgedFile:
    """The judge's view of a run, the last `cut` bytes of its trace left out."""
    text = outcome.path.read_bytes()
    return judge_file(io.BytesIO(text[: len(text) - cut]), outcome.path.name)


@pytest.fixture(scope="module")
def judged(outcomes: list[Outcome]) -> list[JudgedFile]:
    return [judge(outcome) for outcome in outcomes]


@pytest.fixture(scope="module")
def judged_failures(failures: list[Outcome]) -> list[JudgedFile]:
    return [judge(outcome) for outcome in failures]


def test_the_committed_models_pass(models: Models) -> None:
    result = check.examine(models)
    assert result.verdict is Verdict.PASS, result.findings
    assert result.counts["traces"] == 45
    assert result.counts["conforming"] == 45
    assert result.counts["tokenIdentical"] == 40
    assert result.counts["fallbacks"] == 5
    assert result.counts["tasksDone"] > 36


def test_an_output_that_differs_from_the_baseline_fails(
    outcomes: list[Outcome], judged: list[JudgedFile], judged_failures: list[JudgedFile]
) -> None:
    first, *rest = outcomes
    other = replace(first.result.candidate, ids=(*first.result.candidate.ids, 7))
    altered = replace(first, result=replace(first.result, candidate=other))
    result = check.conclude([altered, *rest], judged, judged_failures)
    assert result.verdict is Verdict.FAIL
    assert [finding.rule for finding in result.findings] == ["probe.output.differs"]


def test_models_that_do_too_few_tasks_fail(
    outcomes: list[Outcome], judged: list[JudgedFile], judged_failures: list[JudgedFile]
) -> None:
    wrong = [
        replace(o, result=replace(o.result, candidate=replace(o.result.candidate, passed=False)))
        for o in outcomes[:4]
    ]
    result = check.conclude([*wrong, *outcomes[4:]], judged, judged_failures)
    assert result.verdict is Verdict.FAIL
    assert [finding.rule for finding in result.findings] == ["probe.task.success"]


def test_a_forced_failure_that_did_not_fall_back_fails(
    outcomes: list[Outcome], judged: list[JudgedFile]
) -> None:
    result = check.conclude(outcomes, judged, judged[:1])
    assert result.verdict is Verdict.FAIL
    assert [finding.rule for finding in result.findings] == ["probe.fault.missed"]


def test_a_trace_that_does_not_conform_fails(
    outcomes: list[Outcome], judged: list[JudgedFile], judged_failures: list[JudgedFile]
) -> None:
    cut = [judge(outcomes[0], cut=10), *judged[1:]]
    result = check.conclude(outcomes, cut, judged_failures)
    assert result.verdict is Verdict.FAIL
    assert all(finding.rule.startswith("trace.") for finding in result.findings)
    assert result.counts["conforming"] == result.counts["traces"] - 1
