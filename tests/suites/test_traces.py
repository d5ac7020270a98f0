"""The suite `traces`: recorded runs as fixtures, and changes of them."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import UNSET

from genconform.mutation.author import Mutation, Unfit
from genconform.suites import Fixture
from genconform.suites.traces import SUITE
from genconform.tree import Tree
from tests.trace.building import build

HONEST = Fixture("fixtures/traces/valid/honest.jsonl", build().data())


def mutation(pointer: str, value: Any = UNSET, *, at: str = "", remove: bool = False) -> Mutation:
    return Mutation(
        "m", "traces/honest", "rule", at=at, pointer=pointer, value=value, remove=remove
    )


def rules(fixture: Fixture, tree: Tree) -> list[str]:
    return [finding.rule for finding in SUITE.judge(fixture, tree)]


def test_honest_runs_pass(tree: Tree) -> None:
    for run in (build(), build(fallback=True), build("autoregressive")):
        assert rules(Fixture("x.jsonl", run.data()), tree) == []


@pytest.mark.parametrize(
    ("at", "pointer", "value", "rule"),
    [
        ("requested", "/evidence/rights/uses", ["train"], "route.requireRights"),
        ("requested", "/identity/taskId", "another", "route.rejectTaskSubstitution"),
        ("decided", "/evidence/effectsRequested/-", "x", "route.rejectAuthorityLeak"),
        ("contextBound", "/evidence/computeBudgetPasses", 1, "trace.budget.compute-exceeded"),
        ("verified", "/claims", {"taskSuccess": False}, "trace.claim.unsupported"),
        ("verified", "/seq", 5, "trace.malformed.sequence"),
        ("verified", "", 7, "trace.malformed.field"),
        ("", "/version", 2, "trace.malformed.version"),
        ("", "", [], "trace.malformed.header"),
    ],
)
def test_a_change_is_judged_and_not_the_digest_that_it_breaks(
    tree: Tree, at: str, pointer: str, value: Any, rule: str
) -> None:
    assert rules(SUITE.change(HONEST, mutation(pointer, value, at=at)), tree) == [rule]


def test_evidence_can_be_taken_away(tree: Tree) -> None:
    changed = SUITE.change(
        HONEST, mutation("/evidence/slowFallback", at="contextBound", remove=True)
    )
    assert rules(changed, tree) == ["trace.fallback.undeclared"]


def test_a_change_of_the_digest_stays(tree: Tree) -> None:
    changed = SUITE.change(HONEST, mutation("/eventDigest", "0" * 64, at="decided"))
    assert rules(changed, tree) == ["trace.event.digest-mismatch"]


def test_the_first_run_of_several_is_changed(tree: Tree) -> None:
    second = build(run_id="second").data()
    several = Fixture("x.jsonl", build().data() + second)
    changed = SUITE.change(several, mutation("/evidence/rights/uses", [], at="requested"))
    assert rules(changed, tree) == ["route.requireRights"]
    kept = Fixture("x.jsonl", b"".join(changed.data.splitlines(keepends=True)[8:]))
    assert rules(kept, tree) == []


def test_only_the_route_that_was_taken_catches(tree: Tree) -> None:
    """A judge also tells what else is missing; a fixture is named after what decides."""
    changed = SUITE.change(HONEST, mutation("/evidence/riskTier", "high", at="contextBound"))
    assert set(rules(changed, tree)) == {"route.requireRiskOverride"}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (mutation("/evidence/nothing", at="verified", remove=True), "/pointer"),
        (mutation("/evidence", at="closed", remove=True), "/at"),
        (mutation("/evidence", at="verifid", remove=True), "/at"),
        (mutation("/seq", 4, at="verified"), "/value"),
        (Mutation("m", "b", "rule", at="verified", set={"taskSuccess": False}), "/set"),
    ],
)
def test_a_change_that_cannot_be_made_is_refused(change: Mutation, field: str) -> None:
    with pytest.raises(Unfit) as refused:
        SUITE.change(HONEST, change)
    assert refused.value.field == field
