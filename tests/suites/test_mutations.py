"""The check `mutations`: every rule of it has an input here that breaks it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from genconform.context import Context
from genconform.finding import CheckResult, Finding, Level, Verdict
from genconform.mutation.operators import Mutant, mutants
from genconform.mutation.score import Outcome, judge_mutants
from genconform.spec.table import load_table
from genconform.suites import Fixture, Suite, authored
from genconform.suites.authored import try_all
from genconform.suites.lifecycle import changes_a_run
from genconform.suites.mutations import (
    coverage_result,
    judge_table,
    lifecycle_tests,
    run,
    table_result,
)
from genconform.tree import Tree
from tests.suites.conftest import CAUGHT


def written(tree: Tree, text: str, name: str = "mine") -> CheckResult:
    """What a suite of this text comes to."""
    Path(tree.path(f"mutations/{name}.yaml")).write_text(text)
    return try_all(tree, lambda placed: placed.suite == name).result(name)


def rules(result: CheckResult) -> list[str]:
    return [finding.rule for finding in result.findings]


def test_the_tree_passes(lifecycle_tree: Tree) -> None:
    result = run(Context(lifecycle_tree))
    assert (result.verdict, result.findings) == (Verdict.PASS, ())
    assert result.counts["mutations"] == result.counts["caught"]
    assert (result.counts["rejecting_routes"], result.counts["shown"]) == (51, 51)
    assert result.counts["mutants"] == result.counts["killed"] + result.counts["equivalent"]
    assert result.counts["survived"] == 0
    assert result.note == "score 100 %"


def test_the_route_suite_has_one_change_for_each_rejecting_route(tree: Tree) -> None:
    tried = [one for one in try_all(tree, changes_a_run).tried if one.placed.suite == "routes"]
    table = load_table(tree)
    assert sorted(one.placed.mutation.expect for one in tried) == sorted(
        route for route in table.routes() if route not in table.accepting()
    )
    assert all(len(one.placed.mutation.set) == 1 for one in tried)
    assert {one.placed.mutation.base for one in tried} == {"witness/verified", "witness/fallback"}
    assert all(one.as_expected for one in tried)


def test_a_change_that_nothing_catches(lifecycle_tree: Tree) -> None:
    result = written(lifecycle_tree, CAUGHT.replace("riskTier", "highRisk"))
    assert (result.verdict, rules(result)) == (Verdict.FAIL, ["mutation.change.uncaught"])
    (finding,) = result.findings
    assert (finding.location.file, finding.location.line) == ("mutations/mine.yaml", 3)
    assert (finding.expected, finding.actual) == ("route.requireRiskTier", "no rule")


def test_a_change_that_another_route_catches(lifecycle_tree: Tree) -> None:
    text = CAUGHT.replace("expect: requireRiskTier", "expect: requireMatchedBaseline")
    result = written(lifecycle_tree, text)
    assert (result.verdict, rules(result)) == (Verdict.FAIL, ["mutation.change.misattributed"])
    (finding,) = result.findings
    assert finding.expected == "route.requireMatchedBaseline"
    assert finding.actual == "route.requireRiskTier"


def test_a_route_may_be_named_by_its_rule(lifecycle_tree: Tree) -> None:
    text = CAUGHT.replace("expect: ", "expect: route.")
    assert written(lifecycle_tree, text).verdict is Verdict.PASS
    Path(lifecycle_tree.path("mutations/routes.yaml")).unlink()
    trial = try_all(lifecycle_tree, changes_a_run)
    assert "requireRiskTier" not in trial.uncovered(load_table(lifecycle_tree))
    mine = next(test for test in lifecycle_tests(lifecycle_tree, trial) if test.id == "mine/first")
    assert mine.routes == ("requireRiskTier",)


def test_a_suite_that_cannot_be_read_is_malformed_and_hides_nothing(lifecycle_tree: Tree) -> None:
    result = written(lifecycle_tree, CAUGHT + "  - {id: second}\n")
    assert (result.verdict, rules(result)) == (Verdict.MALFORMED, ["mutation.suite.malformed"])
    assert result.counts == {"mutations": 1, "caught": 1}
    both = written(lifecycle_tree, CAUGHT.replace("riskTier", "highRisk") + "  - {id: second}\n")
    assert both.verdict is Verdict.FAIL
    assert set(rules(both)) == {"mutation.suite.malformed", "mutation.change.uncaught"}


def test_a_suite_in_which_nothing_can_be_tried_is_no_pass(lifecycle_tree: Tree) -> None:
    assert written(lifecycle_tree, "suite: mine\nmutations: []\n").verdict is Verdict.MALFORMED


def test_a_route_that_no_single_change_shows(lifecycle_tree: Tree) -> None:
    path = Path(lifecycle_tree.path("mutations/routes.yaml"))
    path.write_text(path.read_text().replace("set: {riskTier: false}", "set: {highRisk: false}"))
    result = coverage_result(try_all(lifecycle_tree, changes_a_run), load_table(lifecycle_tree))
    assert (result.verdict, rules(result)) == (Verdict.FAIL, ["mutation.route.uncovered"])
    assert "requireRiskTier" in result.findings[0].message
    assert result.counts == {"rejecting_routes": 51, "shown": 50}


def test_two_changes_at_once_do_not_show_a_route(lifecycle_tree: Tree) -> None:
    """mutations/order.yaml expects each route too, but of two lines unmet at once."""
    Path(lifecycle_tree.path("mutations/routes.yaml")).unlink()
    trial = try_all(lifecycle_tree, changes_a_run)
    assert any(one.placed.mutation.expect == "requireRiskTier" for one in trial.tried)
    assert "requireRiskTier" in trial.uncovered(load_table(lifecycle_tree))


def test_a_survivor_is_reported_and_fails_the_threshold(lifecycle_tree: Tree) -> None:
    Path(lifecycle_tree.path("mutations/conditions.yaml")).unlink()
    table, trial = load_table(lifecycle_tree), try_all(lifecycle_tree, changes_a_run)
    judged = list(judge_table(lifecycle_tree, table, trial))
    result = table_result(lifecycle_tree, judged)
    assert result.verdict is Verdict.FAIL
    assert set(rules(result)) == {"mutation.table.survived", "mutation.score.low"}
    survivors = [one for one in result.findings if one.rule == "mutation.table.survived"]
    assert result.counts["survived"] == len(survivors) > 0
    version = next(one for one in survivors if "substitute:taskVersion" in one.message)
    assert version.level is Level.WARNING
    assert version.location.file == "spec/lifecycle.yaml"
    assert "set: {taskVersion: 2}" in version.expected
    lenient = table_result(lifecycle_tree, judged, threshold=95)
    assert lenient.verdict is Verdict.PASS
    assert set(rules(lenient)) == {"mutation.table.survived"}


def test_a_score_just_below_a_hundred_does_not_read_as_one(tree: Tree) -> None:
    table = load_table(tree)
    judged = list(judge_table(tree, table, try_all(tree, changes_a_run)))
    survivor = next(iter(judge_mutants(table, [_first(tree, "substitute:taskId")], [])))
    result = table_result(tree, [*judged, survivor])
    assert result.note == "score 99.83 %"
    assert "mutation.score.low" in rules(result)


def test_no_mutants_at_all_are_no_pass(tree: Tree) -> None:
    assert table_result(tree, []).verdict is Verdict.FAIL
    assert table_result(tree, [], threshold=0).verdict is Verdict.INCOMPLETE


def test_an_injected_equivalent_is_no_survivor(tree: Tree) -> None:
    table = load_table(tree)
    mutant = _first(tree, "skip:closed:requested")
    (one,) = judge_mutants(table, [mutant], lifecycle_tests(tree, try_all(tree, changes_a_run)))
    assert one.outcome is Outcome.EQUIVALENT
    result = table_result(tree, [one], threshold=0)
    assert (result.counts["equivalent"], result.counts["survived"]) == (1, 0)


def test_expectations_that_do_not_come_out_test_nothing(lifecycle_tree: Tree) -> None:
    """An author's mistake cannot kill: only tests that hold for the table itself count."""
    Path(lifecycle_tree.path("mutations/mine.yaml")).write_text(
        CAUGHT.replace("expect: requireRiskTier", "expect: requireRights")
    )
    tests = lifecycle_tests(lifecycle_tree, try_all(lifecycle_tree, changes_a_run))
    assert "mine/first" not in {test.id for test in tests}


def _first(tree: Tree, name: str) -> Mutant:
    return next(one for one in mutants(load_table(tree)) if one.id == name)


# --- mutations of documents --------------------------------------------------------------------


def needs_a_name(fixture: Fixture, _: Tree) -> list[Finding]:
    """A document whose name must be a text, and whose sizes must be more than one."""
    value, found = fixture.document.value, []
    if not isinstance(value.get("name"), str):
        found.append(Finding("check.error", Level.ERROR, "no name"))
    if len(value.get("sizes", ())) < 2:
        found.append(Finding("spec.table.broken", Level.ERROR, "too few"))
    return found


@pytest.fixture
def documents(
    lifecycle_tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], CheckResult]:
    """Tries one mutation of a document of a suite of its own."""
    monkeypatch.setattr(authored, "all_suites", lambda: (Suite("papers", "", needs_a_name),))
    folder = Path(lifecycle_tree.path("fixtures/papers/valid"))
    folder.mkdir(parents=True)
    (folder / "plain.yaml").write_text("name: x\nsizes: [1, 2]\n")

    def attempt(change: str) -> CheckResult:
        head = "suite: mine\nmutations:\n  - id: first\n    base: papers/plain\n    "
        return written(lifecycle_tree, head + change.replace("; ", "\n    ") + "\n")

    return attempt


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ("pointer: /name; remove: true; expect: check.error", []),
        ("pointer: /name; value: 7; expect: check.error", []),
        ("pointer: /sizes/1; remove: true; expect: spec.table.broken", []),
        ("pointer: /sizes; value: []; expect: check.error", ["mutation.change.misattributed"]),
        ("pointer: /sizes/-; value: 3; expect: check.error", ["mutation.change.uncaught"]),
        ("pointer: /nam; remove: true; expect: check.error", ["mutation.suite.malformed"]),
        ("pointer: ''; value: {}; expect: check.error", ["mutation.change.misattributed"]),
        ("set: {name: 7}; expect: check.error", ["mutation.suite.malformed"]),
        ("pointer: /name; value: 7; expect: chek.error", ["mutation.suite.malformed"]),
    ],
)
def test_a_document_is_changed_at_a_pointer(
    documents: Callable[[str], CheckResult], change: str, found: list[str]
) -> None:
    assert rules(documents(change)) == found
