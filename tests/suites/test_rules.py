"""No rule of a record suite is idle, and no value of a valid record is loose.

Both are shown over every suite: by leaving out one rule at a time, and by changing one value, or
leaving out or doubling one item of a list, at a time.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from genconform.errors import MalformedInput
from genconform.finding import Verdict
from genconform.mutation.author import Authored
from genconform.suites import VALID, Fixture
from genconform.suites.authored import Trial, try_all
from genconform.suites.lifecycle import changes_a_run
from genconform.suites.record import RecordSuite
from genconform.suites.replay import judged
from genconform.suites.rule_mutants import (
    RuleMutant,
    expected_invalid,
    record_suites,
    rule_mutants,
    rules_result,
)
from genconform.tree import Tree

SUITES = record_suites()
RULES = [(suite.name, rule) for suite in SUITES for rule in suite.rules.ids]


@pytest.fixture(scope="module")
def mutants(tree: Tree) -> dict[tuple[str, str], RuleMutant]:
    trial = try_all(tree, lambda placed: not changes_a_run(placed))
    return {(one.suite, one.rule): one for one in rule_mutants(trial, tree)}


@pytest.mark.parametrize(("suite", "rule"), RULES, ids=[f"{s}-{r}" for s, r in RULES])
def test_a_rule_that_is_left_out_lets_something_pass(
    suite: str, rule: str, mutants: dict[tuple[str, str], RuleMutant]
) -> None:
    assert mutants[suite, rule].killers, f"nothing that is committed needs {rule}"


def test_what_passes_without_a_rule_is_caught_by_it_and_no_other(tree: Tree) -> None:
    suites = {suite.name: suite for suite in SUITES}
    trial = try_all(tree, lambda placed: not changes_a_run(placed))
    cases = [one for one in expected_invalid(trial, tree, SUITES) if one.suite in suites]
    assert len(cases) > len(RULES)
    for case in cases:
        assert judged(suites[case.suite], case.fixture, tree).rules == (case.rule,), case.name


def test_a_rule_that_only_authors_show_is_idle_without_them(tree: Tree) -> None:
    result = rules_result(rule_mutants(Trial(Authored(), ()), tree))
    assert result.verdict is Verdict.FAIL
    idle = {finding.message for finding in result.findings}
    assert "baseline-harness: nothing passes when harness.pair.differs is left out" in idle
    assert not any("harness.evidence.missing" in message for message in idle)
    assert {finding.rule for finding in result.findings} == {"mutation.rule.idle"}
    counts = result.counts
    assert counts["rule_mutants"] == len(RULES) == counts["rule_mutants_killed"] + len(idle)


@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.name)
def test_every_value_is_bound_or_said_to_be_free(suite: RecordSuite[Any], tree: Tree) -> None:
    loose, used = [], set()
    for fixture in suite.fixtures(tree, VALID):
        for pointer, value, changed in changes(
            fixture.document.value, enums_of(suite.rules.record)
        ):
            free = [pattern for pattern in suite.free if fits(pointer, pattern)]
            used.update(free)
            if not free and not caught(suite, fixture.with_content(changed), tree):
                loose.append(f"{fixture.stem}{pointer} = {value!r}")
    assert loose == []
    assert used == set(suite.free), "these are said to be free and are not there"
    assert all(reason for reason in suite.free.values())


def caught(suite: RecordSuite[Any], fixture: Fixture, tree: Tree) -> bool:
    """Whether any rule or the type catches it; the first that does is enough."""
    try:
        return next(iter(suite.judge(fixture, tree)), None) is not None
    except MalformedInput:
        return True


def fits(pointer: str, pattern: str) -> bool:
    steps, wanted = pointer.split("/"), pattern.split("/")
    return len(steps) >= len(wanted) and all(
        one in (step, "*") for step, one in zip(steps, wanted, strict=False)
    )


Enums = list[tuple[Any, ...]]


def enums_of(record: type) -> Enums:
    """The values that belong together, from the JSON Schema of a record."""
    schemas = json.dumps(msgspec.json.schema(record))
    return [tuple(found) for found in _enums(json.loads(schemas))]


def _enums(schema: Any) -> Iterator[list[Any]]:
    if isinstance(schema, dict):
        if isinstance(schema.get("enum"), list):
            yield schema["enum"]
        schema = list(schema.values())
    if isinstance(schema, list):
        for item in schema:
            yield from _enums(item)


def changes(document: Any, enums: Enums) -> Iterator[tuple[str, Any, Any]]:
    """Every single change, with the document that it makes."""
    found = list(leaves(document))
    for pointer, steps, leaf in found:
        named_alike = {
            text for _, other, text in found if other[-1:] == steps[-1:] and isinstance(text, str)
        }
        for value in others(leaf, named_alike, enums):
            yield pointer, value, with_value(document, steps, value)
        yield pointer, "nothing", without_value(document, steps)
    for pointer, steps, items in lists(document):
        for index, item in enumerate(items):
            yield f"{pointer}/{index}", "left out", without_value(document, (*steps, index))
            yield f"{pointer}/{index}", "twice", with_value(document, steps, [*items, item])


def lists(value: Any, steps: tuple[str | int, ...] = ()) -> Iterator[tuple[str, Any, list[Any]]]:
    """Every list of a document, by its pointer and steps."""
    if isinstance(value, list):
        yield "".join(f"/{step}" for step in steps), steps, value
    items: Any = value.items() if isinstance(value, dict) else ()
    for step, item in enumerate(value) if isinstance(value, list) else items:
        yield from lists(item, (*steps, step))


def leaves(value: Any, steps: tuple[str | int, ...] = ()) -> Iterator[tuple[str, Any, Any]]:
    items: Any = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    if not items:
        yield "".join(f"/{step}" for step in steps), steps, value
    for step, item in items:
        yield from leaves(item, (*steps, step))


def others(leaf: Any, named_alike: set[str], enums: Enums) -> list[Any]:
    """Values near a leaf's: numbers beside it; texts beside it, of its kind, and named as it is."""
    if isinstance(leaf, bool):
        return [not leaf]
    if isinstance(leaf, int):
        return [leaf + 1, leaf - 1, 0 if leaf else 7]
    if isinstance(leaf, float):
        return [leaf + 0.01, leaf * 2 if leaf else 1.0, -1.0]
    if isinstance(leaf, str):
        of_its_kind = {text for enum in enums if leaf in enum for text in enum}
        return [_text_beside(leaf), *sorted((named_alike | of_its_kind) - {leaf})]
    return [["x"]] if leaf == [] else [{"x": 1}] if leaf == {} else ["x"]


def _text_beside(leaf: str) -> str:
    if len(leaf) == 64:
        return ("0" if leaf[0] != "0" else "1") + leaf[1:]
    return leaf + "x"


def with_value(document: Any, steps: Any, value: Any) -> Any:
    if not steps:
        return value
    copy = document.copy()
    copy[steps[0]] = with_value(document[steps[0]], steps[1:], value)
    return copy


def without_value(document: Any, steps: Any) -> Any:
    copy = document.copy()
    if len(steps) == 1:
        del copy[steps[0]]
    else:
        copy[steps[0]] = without_value(document[steps[0]], steps[1:])
    return copy
