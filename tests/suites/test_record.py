"""Suites of records: rules that can be listed, and expected-invalid records that are changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genconform.context import Context
from genconform.errors import MalformedInput
from genconform.finding import Finding, Verdict, report_of
from genconform.mutation.author import Authored, Mutation, Unfit
from genconform.report import json
from genconform.suites import INVALID, VALID, Fixture
from genconform.suites import replay as replaying
from genconform.suites import rule_mutants as mutating
from genconform.suites.authored import Trial
from genconform.suites.record import (
    Count,
    Fault,
    Placed,
    Record,
    RecordRules,
    RecordSuite,
    changed_record,
    ratio,
    unequal,
    unless,
)
from genconform.suites.replay import replay
from genconform.tree import Tree


class Sum(Record, frozen=True):
    """Two numbers and their sum."""

    left_items: Count
    right_items: Count
    total_items: Count


def suite() -> RecordSuite[Sum]:
    rules = RecordRules(Sum)

    @rules.rule("sum.total.differs")
    def total_follows(record: Sum) -> Iterator[Fault]:
        total = record.left_items + record.right_items
        yield from unequal("/totalItems", record.total_items, total, "not the sum")

    @rules.placed("sum.marker.missing")
    def marker_is_there(placed: Placed[Sum]) -> Iterator[Fault]:
        there = placed.tree.path("marker").is_file()
        yield from unless(there, "", "no marker", True, placed.document.name)

    return rules.suite("sums", "two numbers and their sum", free={}, carries=_carried)


def _carried(record: Sum) -> dict[str, Any]:
    return {"items": record.total_items}


SOUND = "leftItems: 1\nrightItems: 2\ntotalItems: 3\n"


@pytest.fixture
def sums(lifecycle_tree: Tree) -> Tree:
    """A tree with a suite of one valid record, whose rules it knows."""
    with lifecycle_tree.path("spec/rules.yaml").open("a", encoding="utf-8") as known:
        for rule in suite().rules.ids:
            known.write(f"  - {{id: {rule}, level: error, text: x, page: x, brokenBy: x}}\n")
    put(lifecycle_tree, "marker", "")
    put(lifecycle_tree, "fixtures/sums/valid/sound.yaml", SOUND)
    return lifecycle_tree


def put(tree: Tree, name: str, text: str) -> None:
    tree.path(name).parent.mkdir(parents=True, exist_ok=True)
    tree.path(name).write_text(text, encoding="utf-8")


def judge(
    text: str, tree: Tree, of: RecordSuite[Sum] | None = None
) -> list[tuple[str, int | None]]:
    findings = (of or suite()).judge(Fixture("sums.yaml", text.encode()), tree)
    return [(finding.rule, finding.location.line) for finding in findings]


def test_a_fault_has_the_line_of_its_pointer(sums: Tree) -> None:
    assert judge(SOUND, sums) == []
    assert judge(SOUND.replace("3", "4"), sums) == [("sum.total.differs", 3)]


def test_a_placed_rule_sees_the_tree(sums: Tree) -> None:
    sums.path("marker").unlink()
    assert judge(SOUND, sums) == [("sum.marker.missing", 1)]


@pytest.mark.parametrize("rule", suite().rules.ids)
def test_a_rule_that_is_left_out_says_nothing(rule: str, sums: Tree) -> None:
    sums.path("marker").unlink()
    wrong = SOUND.replace("3", "4")
    found = {name for name, _ in judge(wrong, sums)}
    assert found == {"sum.total.differs", "sum.marker.missing"}
    assert {name for name, _ in judge(wrong, sums, suite().without(rule))} == found - {rule}


@pytest.mark.parametrize(
    "text", [SOUND.replace("3", "-3"), SOUND.replace("3", "x"), SOUND + "more: 1\n", "[]", "left"]
)
def test_another_form_is_malformed(text: str, sums: Tree) -> None:
    with pytest.raises(MalformedInput):
        judge(text, sums)


def test_a_change_of_a_valid_record_is_an_expected_invalid_one(sums: Tree) -> None:
    put(sums, "fixtures/sums/invalid/sum.total.differs.change.yaml", _change("/totalItems", 4))
    (made,) = suite().fixtures(sums, INVALID)
    assert made.document.value == {"leftItems": 1, "rightItems": 2, "totalItems": 4}
    (finding,) = suite().judge(made, sums)
    assert finding.rule == "sum.total.differs"
    assert finding.location.file == "fixtures/sums/invalid/sum.total.differs.change.yaml"


def _change(pointer: str, value: int, base: str = "sound") -> str:
    return f"base: {base}\npointer: {pointer}\nvalue: {value}\n"


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (_change("/totalItems", 4, base="unsound"), 1, "there is no such valid fixture"),
        (_change("/total/items", 4), 2, "there is no 'total'"),
        (_change("/totalItems", 3), 3, "the change changes nothing"),
        ("base: sound\nexpect: x\n", 1, "unknown field"),
        ("base: sound\n", 1, "a mutation makes one kind of change"),
        (_change("/totalItems", 4) + "set: {/totalItems: 5}\n", 1, "one kind of change"),
        (_change("/totalItems", 4) + "remove: true\n", 2, "what becomes of"),
    ],
)
def test_a_change_that_cannot_be_made_is_one_finding_at_its_line(
    text: str, line: int, said: str, sums: Tree
) -> None:
    broken = _broken_beside_sound(sums, "sum.total.differs.change.yaml", text)
    assert said in broken.message
    assert broken.location.line == line


def _broken_beside_sound(sums: Tree, name: str, text: str) -> Finding:
    """What is said of the file in invalid/ that is broken, when another beside it is as it must."""
    put(sums, f"fixtures/sums/invalid/{name}", text)
    put(sums, "fixtures/sums/invalid/sum.total.differs.kept.change.yaml", _change("/totalItems", 4))
    result = replay(suite(), sums)
    (finding,) = result.findings
    assert (result.verdict, finding.rule) == (Verdict.FAIL, "fixture.file.unreadable")
    assert finding.location.file == f"fixtures/sums/invalid/{name}"
    assert result.counts["passed"] == result.counts["valid"]
    assert (result.counts["caught"], result.counts["expected_invalid"]) == (1, 2)
    return finding


@pytest.mark.parametrize("text", ["base: [", "", "[]", "base: 5\n", "\x00"])
@pytest.mark.parametrize("rule", ["sum.total.differs", "no.such.rule", "fixture.file.unreadable"])
def test_a_broken_change_catches_nothing_whatever_its_name(
    rule: str, text: str, sums: Tree
) -> None:
    _broken_beside_sound(sums, f"{rule}.change.yaml", text)


def test_a_change_of_a_broken_fixture_names_both(sums: Tree) -> None:
    put(sums, "fixtures/sums/valid/broken.yaml", "leftItems: [")
    put(sums, "fixtures/sums/invalid/a.change.yaml", _change("/totalItems", 4, base="broken"))
    base, change = replay(suite(), sums).findings
    assert (base.rule, base.location.file) == (
        "fixture.valid.refused",
        "fixtures/sums/valid/broken.yaml",
    )
    assert (change.rule, change.location.line) == ("fixture.file.unreadable", 1)
    assert change.location.file == "fixtures/sums/invalid/a.change.yaml"
    assert "the base is malformed: not YAML" in change.message


@pytest.fixture
def sums_alone(sums: Tree, monkeypatch: pytest.MonkeyPatch) -> Tree:
    """A tree of which the checks see this one suite."""
    put(sums, "fixtures/sums/invalid/sum.total.differs.change.yaml", _change("/totalItems", 4))
    for module in (replaying, mutating):
        monkeypatch.setattr(module, "all_suites", lambda: (suite(),))
    return sums


def test_a_broken_change_stops_no_check(sums_alone: Tree) -> None:
    put(sums_alone, "fixtures/sums/invalid/sum.total.differs.broken.change.yaml", "base: [")
    (finding,) = replaying.run(Context(sums_alone)).findings
    assert finding.rule == "fixture.file.unreadable"
    killers = {
        one.rule: one.killers for one in mutating.rule_mutants(Trial(Authored(), ()), sums_alone)
    }
    sound = "fixtures/sums/invalid/sum.total.differs.change.yaml"
    assert killers == {"sum.total.differs": (sound,), "sum.marker.missing": ()}


def test_a_suite_that_cannot_be_gathered_is_a_finding_in_json_too(sums_alone: Tree) -> None:
    sums_alone.path("fixtures/sums/valid/folder").mkdir()
    result = replaying.run(Context(sums_alone))
    assert result.verdict is Verdict.FAIL
    assert "cannot read the file" in json.render(report_of([result]))


def test_several_values_move_along() -> None:
    base = Fixture("sound.yaml", SOUND.encode())
    mutation = Mutation("m", "sums/sound", "x", set={"/leftItems": 2, "/totalItems": 4})
    changed = changed_record(base, mutation).document.value
    assert changed == {"leftItems": 2, "rightItems": 2, "totalItems": 4}
    with pytest.raises(Unfit):
        changed_record(base, Mutation("m", "sums/sound", "x", set={"leftItems": 2}))


def test_a_valid_record_carries_what_it_comes_to(sums: Tree) -> None:
    put(sums, "mutations/sums.yaml", "suite: sums\nmutations: []\n")
    result = replay(suite(), sums)
    assert isinstance(result.details, dict)
    assert result.details["carries"] == {"sound": {"items": 3}}
    roles = [(one["role"], one["path"]) for one in result.details["artifacts"]]
    assert roles == [
        ("fixture", "fixtures/sums/valid/sound.yaml"),
        ("mutations", "mutations/sums.yaml"),
    ]
    (fixture,) = suite().fixtures(sums, VALID)
    assert suite().carried(fixture) == {"items": 3}


@given(number=st.floats(-1e9, 1e9), off=st.sampled_from([0.0, 1e-8, 1e-2]))
def test_numbers_may_be_off_by_the_tolerance_and_no_more(number: float, off: float) -> None:
    moved = number + off * max(1.0, abs(number))
    assert bool(list(unequal("", moved, number, "off"))) == (off == 1e-2)


def test_a_ratio_over_nothing_is_nothing() -> None:
    assert ratio(3, 4) == 0.75
    assert ratio(3, 0) == 0.0
