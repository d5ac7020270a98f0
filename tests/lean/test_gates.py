"""Each gate finds the committed input that was made to trip it, and says so in plain words."""

from __future__ import annotations

import pytest

from genconform.finding import Level, Verdict
from genconform.spec.rules import load_rules
from genconform.tree import Tree
from tests.lean.conftest import GATE_INPUTS, CheckBroken, Pristine, gate_input

NAMES = sorted(path.stem for path in GATE_INPUTS.glob("*.yaml"))


def test_the_package_as_it_is_passes(pristine: Pristine) -> None:
    assert pristine.result.verdict is Verdict.PASS
    assert [finding.rule for finding in pristine.result.findings] == ["lean.trust"]


@pytest.mark.parametrize("name", NAMES)
def test_a_broken_package_fails_with_the_rule_of_its_gate(
    name: str, check_broken: CheckBroken
) -> None:
    broken = gate_input(name)
    result = check_broken(broken)
    errors = [finding for finding in result.findings if finding.level is Level.ERROR]
    assert result.verdict is Verdict.FAIL
    assert {finding.rule for finding in errors} >= set(broken.expect)
    said = "\n".join(
        f"{finding.location} {finding.message} {finding.expected} {finding.actual}"
        for finding in errors
        if finding.rule in broken.expect
    )
    assert [words for words in broken.says if words not in said] == [], said


def test_every_gate_has_an_input_that_trips_it(tree: Tree) -> None:
    tripped = {rule for name in NAMES for rule in gate_input(name).expect}
    rules = {rule.id: rule for rule in load_rules(tree).values() if rule.id.startswith("lean.")}
    broken_elsewhere = {
        rule.id for rule in rules.values() if not rule.broken_by.startswith("tests/lean/gate_in")
    }
    assert tripped | broken_elsewhere == set(rules)
    for rule in rules.values():
        assert tree.path(rule.broken_by).is_file()
