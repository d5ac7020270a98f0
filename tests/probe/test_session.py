"""Whole sessions: what is promised first, told in full, and true."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from genconform.digest.canonical import canonical_bytes, canonical_digest
from genconform.errors import UsageError
from genconform_probe.faults import FAULTS, NO_FAULT
from genconform_probe.models import Models
from genconform_probe.modes import MODE_NAMES, load_mode, load_modes
from genconform_probe.session import Outcome, Plan, Runner, run
from genconform_probe.tasks import held_out_problems, is_held_out
from genconform_probe.trace_file import TraceFile

KINDS = [
    "bindContext",
    "selectMode",
    "generateDraft",
    "verifyDraft",
    "accountOutcome",
    "decide",
    "close",
]


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def evidence(outcome: Outcome) -> dict[str, Any]:
    return {line["kind"]: line["evidence"] for line in lines(outcome.path)[1:]}


def test_every_prompt_runs_in_every_mode(outcomes: list[Outcome], plan: Plan) -> None:
    assert len(outcomes) == len(plan.problems) * len(MODE_NAMES)
    assert {outcome.mode for outcome in outcomes} == set(MODE_NAMES)
    assert all(is_held_out(problem.prompt) for problem in plan.problems)


def test_speculative_output_is_token_identical_to_greedy(outcomes: list[Outcome]) -> None:
    assert all(outcome.identical for outcome in outcomes)


def test_more_than_nine_tasks_in_ten_succeed(outcomes: list[Outcome]) -> None:
    passed = sum(outcome.result.delivered.passed for outcome in outcomes)
    assert passed > 0.9 * len(outcomes)


def test_drafting_saves_passes_of_the_target(outcomes: list[Outcome]) -> None:
    speculative = [o.result for o in outcomes if o.mode == "speculative"]
    passes = sum(result.account.verifier_passes for result in speculative)
    assert passes < 0.6 * sum(result.baseline.passes for result in speculative)


def test_a_corrupted_draft_ends_in_a_fallback_that_ran_and_was_charged(
    failures: list[Outcome],
) -> None:
    assert len(failures) == 5
    for outcome in failures:
        result, told = outcome.result, evidence(outcome)
        assert result.fallback is not None
        assert result.fallback.answer.ids == result.baseline.answer.ids
        assert result.fallback.passes == len(result.fallback.answer.ids)
        cost = told["accountOutcome"]["fallbackCost"]
        assert cost == {
            "forwardPasses": result.fallback.passes,
            "seconds": result.fallback.seconds,
        }
        assert told["accountOutcome"]["costs"]["fallbackSeconds"] == cost["seconds"] > 0
        assert told["decide"]["receipt"]["decision"] == "fallback_only"


def test_sound_runs_need_no_fallback(outcomes: list[Outcome]) -> None:
    assert all(outcome.result.fallback is None for outcome in outcomes)


def test_a_trace_is_a_header_and_seven_events_in_canonical_lines(outcomes: list[Outcome]) -> None:
    for outcome in outcomes:
        text = outcome.path.read_bytes()
        header, *events = lines(outcome.path)
        assert text.endswith(b"\n")
        assert all(canonical_bytes(json.loads(line)) == line for line in text.splitlines())
        assert header["run"]["mode"] == outcome.mode
        assert [event["kind"] for event in events] == KINDS
        assert [event["seq"] for event in events] == list(range(7))
        assert all(event["identity"] == header["identity"] for event in events)


def test_event_digests_are_of_their_content(outcomes: list[Outcome]) -> None:
    digests = set()
    for outcome in outcomes:
        header, *events = lines(outcome.path)
        for event in events:
            content = {name: event[name] for name in ("kind", "identity", "evidence")}
            digest = canonical_digest({"runId": header["run"]["id"], **content})
            assert event["eventDigest"] == digest
            digests.add(digest)
    assert len(digests) == 7 * len(outcomes)


def test_costs_sum_to_the_total(outcomes: list[Outcome], failures: list[Outcome]) -> None:
    for outcome in [*outcomes, *failures]:
        costs = evidence(outcome)["accountOutcome"]["costs"]
        total = costs.pop("totalSeconds")
        assert min(costs.values()) >= 0
        assert sum(costs.values()) == pytest.approx(total, abs=1e-9)


def test_a_run_stays_within_its_budget_of_passes(failures: list[Outcome]) -> None:
    for outcome in failures:
        account, fallback = outcome.result.account, outcome.result.fallback
        assert fallback is not None
        spent = account.draft_passes + account.verifier_passes + fallback.passes
        assert spent <= evidence(outcome)["selectMode"]["computeBudgetPasses"]


def test_texts_are_told_of_public_runs_alone(
    outcomes: list[Outcome], failures: list[Outcome], plan: Plan
) -> None:
    for outcome in outcomes:
        text = outcome.path.read_text()
        assert '"promptText"' not in text
        assert '"text"' not in text
        assert not any(json.dumps(problem.prompt)[1:-1] in text for problem in plan.problems)
    for outcome in failures:
        told = evidence(outcome)
        assert told["bindContext"]["request"]["promptText"]
        assert told["accountOutcome"]["output"]["text"] == outcome.result.delivered.text


def test_a_session_runs_the_same_again(
    models: Models, plan: Plan, outcomes: list[Outcome], tmp_path: Path
) -> None:
    again = list(run(plan, models, tmp_path))
    assert [o.path.name for o in again] == [o.path.name for o in outcomes]
    for first, second in zip(outcomes, again, strict=True):
        assert first.result.candidate == second.result.candidate
        assert first.result.account.proposed == second.result.account.proposed
        assert lines(first.path)[:3] == lines(second.path)[:3]


def test_what_is_promised_is_on_disk_before_anything_runs(
    models: Models, plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    runner = Runner(plan, models, plan.problems[0])
    runner.baseline()
    monkeypatch.setattr(runner, "_run", stop)
    path = tmp_path / "killed.jsonl"
    with pytest.raises(KeyboardInterrupt):
        runner.trace(load_mode("speculative"), NO_FAULT, path)
    _, *events = lines(path)
    assert [event["kind"] for event in events] == ["bindContext", "selectMode"]


def test_a_trace_is_never_written_over(outcomes: list[Outcome], models: Models, plan: Plan) -> None:
    path = outcomes[0].path
    before = path.read_bytes()
    with pytest.raises(UsageError) as caught:
        next(run(plan, models, path.parent))
    assert str(path) in caught.value.diagnostics()
    assert path.read_bytes() == before


def test_a_fault_runs_only_the_modes_that_it_touches() -> None:
    problems = tuple(held_out_problems(1, 0))
    modes, fault = load_modes(), FAULTS["corrupted-draft"]
    assert Plan(problems, modes, (fault,)).jobs == [(load_mode("speculative"), fault)]
    assert Plan(problems, (load_mode("autoregressive"),), (fault,)).jobs == []


def test_the_baseline_runs_first_whatever_the_order_of_modes() -> None:
    problems = tuple(held_out_problems(1, 0))
    plan = Plan(problems, load_modes(reversed(MODE_NAMES)))
    assert plan.jobs[0] == (load_mode("autoregressive"), NO_FAULT)


def test_a_trace_that_cannot_be_created_is_a_clear_error(
    tmp_path: Path,
) -> None:
    with pytest.raises(UsageError, match="cannot be written"):
        TraceFile(tmp_path / "no" / "such" / "folder.jsonl", None)  # type: ignore[arg-type]
