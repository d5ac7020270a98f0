"""No rule of a record suite is idle, and no value of a valid record is loose.

Both are shown over every suite: by leaving out one rule at a time, and by changing one value at a
time.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from genconform.errors import MalformedInput
from genconform.mutation.author import load_authored
from genconform.spec.rules import load_rules
from genconform.suites import INVALID, VALID, Fixture, all_suites
from genconform.suites.record import RecordSuite
from genconform.suites.replay import judged, named_rule
from genconform.tree import Tree

SUITES = [suite for suite in all_suites() if isinstance(suite, RecordSuite)]
RULES = [(suite, rule) for suite in SUITES for rule in suite.rules.ids]


@pytest.fixture(scope="module")
def expected_invalid(tree: Tree) -> dict[tuple[str, str], list[Fixture]]:
    """Every expected-invalid record, by suite and the rule that must catch it.

    They are the fixtures in invalid/ and the changes of mutations/.
    """
    rules = load_rules(tree).keys()
    found: dict[tuple[str, str], list[Fixture]] = {}
    for suite in SUITES:
        for fixture in suite.fixtures(tree, INVALID):
            found.setdefault((suite.name, str(named_rule(fixture, rules))), []).append(fixture)
    bases = {f"{s.name}/{f.stem}": (s, f) for s in SUITES for f in s.fixtures(tree, VALID)}
    for placed in load_authored(tree).mutations:
        if placed.mutation.base in bases:
            suite, base = bases[placed.mutation.base]
            changed = suite.change(base, placed.mutation)
            found.setdefault((suite.name, placed.mutation.expect), []).append(changed)
    return found


@pytest.mark.parametrize(("suite", "rule"), RULES, ids=[f"{s.name}-{r}" for s, r in RULES])
def test_a_rule_that_is_left_out_lets_something_pass(
    suite: RecordSuite[Any],
    rule: str,
    tree: Tree,
    expected_invalid: dict[tuple[str, str], list[Fixture]],
) -> None:
    weakened = suite.rules.without(rule)
    cases = expected_invalid.get((suite.name, rule), [])
    assert cases, f"nothing shows that {rule} catches anything"
    for fixture in cases:
        assert judged(suite, fixture, tree).rules == (rule,)
        assert list(weakened.judge(fixture, tree)) == [], fixture.name


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
    """Every single change of a leaf, and every removal of one, with the document that it makes."""
    found = list(leaves(document))
    for pointer, steps, leaf in found:
        named_alike = {
            text for _, other, text in found if other[-1:] == steps[-1:] and isinstance(text, str)
        }
        for value in others(leaf, named_alike, enums):
            yield pointer, value, with_value(document, steps, value)
        yield pointer, "nothing", without_value(document, steps)


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
