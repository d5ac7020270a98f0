"""The check `mutations`: authors' changes are caught as they say, and notice faults of the checks.

The authors' changes of runs, and the committed runs, are the tests of the table's mutants. Their
changes of records, and the expected-invalid records, are those of the rules'.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import UNSET

from genconform.context import Context
from genconform.document import read_document
from genconform.finding import CheckResult, Finding, Level, Location, combine, verdict_of
from genconform.mutation.author import COVERAGE, TABLE_SUITE
from genconform.mutation.operators import OPERATORS, mutants
from genconform.mutation.score import Judged, Outcome, Test, judge_mutants, score
from genconform.mutation.suggestion import suggest
from genconform.spec.table import TABLE_PATH, Table, load_table
from genconform.suites import INVALID, VALID, lifecycle
from genconform.suites.authored import Trial, try_all
from genconform.suites.replay import summed
from genconform.suites.rule_mutants import rule_mutants, rules_result
from genconform.tree import Tree

FULL_SCORE = 100.0


def run(context: Context) -> CheckResult:
    """Try every author suite, and score the table's mutants; every one must be noticed."""
    table = load_table(context.tree)
    trial = try_all(context.tree)
    judged = tuple(judge_table(context.tree, table, trial))
    authored = [trial.result(suite) for suite in trial.authored.suites]
    results = [
        *authored,
        coverage_result(trial, table),
        rules_result(rule_mutants(trial, context.tree)),
        table_result(context.tree, judged),
    ]
    return CheckResult(
        "mutations",
        combine(result.verdict for result in results),
        {"suites": len(authored), **summed(results)},
        tuple(finding for result in results for finding in result.findings),
        results[-1].note,
        {result.id: result.details for result in results if result.details is not UNSET},
    )


def judge_table(tree: Tree, table: Table, trial: Trial) -> Iterator[Judged]:
    """Run the tests of a tree against every mutant of its table."""
    return judge_mutants(table, mutants(table), lifecycle_tests(tree, trial))


def lifecycle_tests(tree: Tree, trial: Trial) -> list[Test]:
    """What mutants of the table must get past: changes of runs that are caught, then whole runs."""
    changes = (
        lifecycle.change_as_test(one.changed, one.placed, one.route)
        for one in trial.tried
        if one.suite.name == lifecycle.SUITE.name and one.as_expected
    )
    runs = (
        lifecycle.run_as_test(fixture)
        for kind in (VALID, INVALID)
        for fixture in lifecycle.SUITE.fixtures(tree, kind)
    )
    return [*changes, *(test for test in runs if test is not None)]


def coverage_result(trial: Trial, table: Table) -> CheckResult:
    """Whether every rejecting route is shown by one change of an accepted run."""
    uncovered = trial.uncovered(table)
    rejecting = len(table.routes()) - len(table.accepting())
    findings = tuple(
        Finding(
            "mutation.route.uncovered",
            Level.ERROR,
            f"no single change of an accepted run is caught by {route}",
            Location("mutations"),
            "a mutation with one value under `set` that expects it",
        )
        for route in uncovered
    )
    counts = {"rejecting_routes": rejecting, "shown": rejecting - len(uncovered)}
    return CheckResult(COVERAGE, verdict_of(findings, rejecting), counts, findings)


def table_result(
    tree: Tree, judged: Sequence[Judged], threshold: float = FULL_SCORE
) -> CheckResult:
    """What the mutants of the table come to; a score below the threshold, in percent, fails."""
    reached = score(judged)
    survivors = [one for one in judged if one.outcome is Outcome.SURVIVED]
    findings = list(_survivor_findings(tree, survivors))
    if reached < threshold:
        findings.append(_low(reached, threshold))
    outcomes = Counter(one.outcome for one in judged)
    return CheckResult(
        TABLE_SUITE,
        verdict_of(findings, len(judged) - outcomes[Outcome.EQUIVALENT]),
        {"mutants": len(judged)} | {outcome.value: outcomes[outcome] for outcome in Outcome},
        tuple(findings),
        f"score {_percent(reached)}",
        {
            "score": reached,
            "operators": operator_counts(judged),
            "mutants": [_details(one) for one in judged],
        },
    )


def operator_counts(judged: Sequence[Judged]) -> dict[str, dict[str, int]]:
    """For each operator, how many of its mutants came to what."""
    counted = Counter((one.mutant.operator, one.outcome) for one in judged)
    return {
        operator: {outcome.value: counted[operator, outcome] for outcome in Outcome}
        for operator in OPERATORS
    }


def _survivor_findings(tree: Tree, survivors: Iterable[Judged]) -> Iterator[Finding]:
    document = read_document(tree.path(TABLE_PATH), TABLE_PATH)
    bases = lifecycle.bases(tree)
    for one in survivors:
        assert one.difference is not None
        yield Finding(
            "mutation.table.survived",
            Level.WARNING,
            f"{one.mutant.id}: no suite notices that {one.mutant.description}",
            document.location(one.mutant.pointer),
            suggest(one.difference, bases),
        )


def _low(reached: float, threshold: float) -> Finding:
    return Finding(
        "mutation.score.low",
        Level.ERROR,
        "too few mutants of the table are noticed",
        Location(TABLE_PATH),
        f"a score of at least {_percent(threshold)}",
        _percent(reached),
    )


def _percent(value: float) -> str:
    """Cut to two places, so that nothing below 100 reads as 100."""
    return f"{math.floor(value * 100) / 100:g} %"


def _details(one: Judged) -> dict[str, Any]:
    shown: dict[str, Any] = {"id": one.mutant.id, "outcome": one.outcome.value}
    if one.kill is not None:
        return shown | {
            "killedBy": one.kill.test,
            "expected": one.kill.expected,
            "actual": one.kill.actual,
        }
    return shown | ({"casesVisited": one.proof.cases} if one.proof else {})
