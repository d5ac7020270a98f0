"""Mutants of the rules: a suite of records with one of its rules left out, for each rule in turn.

An expected-invalid record that only this rule catches then passes, which kills the mutant. A rule
whose mutant survives is idle: nothing that is committed shows that it catches anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from genconform.finding import CheckResult, Finding, Level, Location, Verdict, verdict_of
from genconform.mutation.author import RULES_SUITE
from genconform.spec.rules import RULES_PATH, load_rules
from genconform.suites import FOLDER, INVALID, Fixture, all_suites
from genconform.suites.authored import Trial
from genconform.suites.record import RecordSuite
from genconform.suites.replay import judged, named_rule
from genconform.tree import Tree


class RuleMutant(NamedTuple):
    """A suite without one of its rules, and the expected-invalid records that then pass."""

    suite: str
    rule: str
    killers: tuple[str, ...]


class ExpectedInvalid(NamedTuple):
    """A record that one rule must catch: a fixture, or an author's change, by its name."""

    suite: str
    rule: str
    name: str
    fixture: Fixture


def rule_mutants(trial: Trial, tree: Tree) -> Iterator[RuleMutant]:
    """Leave out each rule of each suite of records that the tree has, and see what passes."""
    suites = [one for one in record_suites() if tree.path(f"{FOLDER}/{one.name}").is_dir()]
    cases = list(expected_invalid(trial, tree, suites))
    for suite in suites:
        for rule in suite.rules.ids:
            yield RuleMutant(suite.name, rule, tuple(_killers(suite, rule, cases, tree)))


def record_suites() -> list[RecordSuite[Any]]:
    """Every suite whose rules can be listed."""
    return [suite for suite in all_suites() if isinstance(suite, RecordSuite)]


def expected_invalid(
    trial: Trial, tree: Tree, suites: Iterable[RecordSuite[Any]]
) -> Iterator[ExpectedInvalid]:
    """The records in invalid/ and those that authors made, with the rule that must catch each."""
    rules = load_rules(tree).keys()
    for suite in suites:
        for fixture in suite.fixtures(tree, INVALID):
            rule = named_rule(fixture, rules)
            if rule is not None:
                yield ExpectedInvalid(suite.name, rule, fixture.name, fixture)
    for one in trial.tried:
        yield ExpectedInvalid(one.suite.name, one.expected, one.placed.id, one.changed)


def rules_result(mutants: Iterable[RuleMutant]) -> CheckResult:
    """What the mutants of the rules come to; one that survives fails.

    Not applicable in a tree without records.
    """
    listed = list(mutants)
    findings = tuple(_idle(mutant) for mutant in listed if not mutant.killers)
    killed = len(listed) - len(findings)
    return CheckResult(
        RULES_SUITE,
        verdict_of(findings, len(listed)) if listed else Verdict.NOT_APPLICABLE,
        {"rule_mutants": len(listed), "rule_mutants_killed": killed},
        findings,
        f"score {100 * killed / len(listed):.4g} %" if listed else "",
        {
            "mutants": [
                {"suite": one.suite, "without": one.rule, "passes": list(one.killers)}
                for one in listed
            ]
        },
    )


def _killers(
    suite: RecordSuite[Any], rule: str, cases: Iterable[ExpectedInvalid], tree: Tree
) -> Iterator[str]:
    weakened = suite.without(rule)
    for case in cases:
        if (case.suite, case.rule) == (suite.name, rule) and judged(
            weakened, case.fixture, tree
        ).passes:
            yield case.name


def _idle(mutant: RuleMutant) -> Finding:
    return Finding(
        "mutation.rule.idle",
        Level.ERROR,
        f"{mutant.suite}: nothing passes when {mutant.rule} is left out",
        Location(RULES_PATH),
        "an invalid fixture or a mutation that this rule catches, and no other",
    )
