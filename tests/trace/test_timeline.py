"""A timeline says what the evidence of a run says, and nothing that it does not."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from genconform.trace.files import check_path
from genconform.trace.judge import JudgedRun, judge_file
from genconform.trace.timeline import listed, timeline
from genconform.tree import Tree


def judged(path: Path) -> JudgedRun:
    with path.open("rb") as stream:
        (run,) = judge_file(stream, path.name).runs
    return run


@pytest.fixture(scope="module")
def fallback(tree: Tree) -> JudgedRun:
    return judged(tree.path("fixtures/traces/valid/fallback.jsonl"))


def evidence(tree: Tree, kind: str) -> dict[str, Any]:
    lines = tree.path("fixtures/traces/valid/fallback.jsonl").read_text().splitlines()
    events = (json.loads(line) for line in lines[1:])
    found: dict[str, Any] = next(e["evidence"] for e in events if e["kind"] == kind)
    return found


def test_it_has_what_the_evidence_has(fallback: JudgedRun, tree: Tree) -> None:
    told = timeline(fallback)
    proposal = evidence(tree, "generateDraft")["proposal"]
    verification = evidence(tree, "verifyDraft")["verification"]
    costs = evidence(tree, "accountOutcome")["costs"]
    assert told["tokens"]["proposed"] == proposal["proposedPerStep"]
    assert told["tokens"]["accepted"] == verification["acceptedPerStep"]
    assert told["passes"]["verification"] == verification["verifierForwardPasses"]
    assert told["seconds"]["fallback"] == costs["fallbackSeconds"] > 0
    routes = [event["route"] for event in told["events"]]
    assert routes == listed(fallback)["routes"]
    assert routes[3] == "activateFallback"
    assert all(event["says"] for event in told["events"])


def test_an_untimed_one_has_no_time_in_it(fallback: JudgedRun) -> None:
    told = timeline(fallback, timed=False)
    assert "seconds" not in told
    assert not any("says" in event for event in told["events"])
    assert told["tokens"] == timeline(fallback)["tokens"]


def test_a_run_that_breaks_off_has_what_there_is(tree: Tree) -> None:
    lines = tree.path("fixtures/traces/valid/fallback.jsonl").read_bytes().splitlines(True)
    (run,) = judge_file(io.BytesIO(b"".join(lines[:3])), "cut").runs
    told = timeline(run)
    assert [event["after"] for event in told["events"]] == ["contextBound", "modeSelected"]
    assert told["tokens"] == {"proposed": [], "accepted": []}
    assert told["passes"] == told["seconds"] == {}


def test_the_first_runs_of_a_file_alone_have_one(tree: Tree, tmp_path: Path) -> None:
    text = tree.path("fixtures/traces/valid/autoregressive.jsonl").read_text()
    name = json.loads(text.splitlines()[0])["run"]["id"]
    path = tmp_path / "many.jsonl"
    path.write_text("".join(text.replace(name, f"run-{number}") for number in range(40)))
    details = check_path(path).details
    assert isinstance(details, dict)
    assert ["timeline" in run for run in details["runs"]] == [True] * 32 + [False] * 8
