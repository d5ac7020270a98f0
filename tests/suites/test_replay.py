"""Replaying fixtures: every way in which a fixture can fail to be what its name says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from genconform.context import Context
from genconform.errors import MalformedInput, UsageError
from genconform.finding import Finding, Level, Verdict
from genconform.suites import (
    Fixture,
    Suite,
    all_suites,
    lifecycle,
    suites_named,
)
from genconform.suites import replay as replaying
from genconform.suites.replay import judged, named_rule, replay
from genconform.tree import Tree


def judge(fixture: Fixture, _: Tree) -> Iterator[Finding]:
    """Finds the rules whose ids stand in the file, one a line; `~` before one makes it a note."""
    for line in fixture.data.decode().split():
        if line == "malformed":
            raise MalformedInput("cannot be read")
        level = Level.NOTE if line.startswith("~") else Level.ERROR
        yield Finding(line.removeprefix("~"), level, "found")


SUITE = Suite("mine", "files that say what catches them", judge)
RULE, OTHER = "check.error", "route.requireTaskSet"


@pytest.fixture
def mine(lifecycle_tree: Tree) -> Tree:
    """A tree with a suite of one valid and one expected-invalid fixture."""
    put(lifecycle_tree, "valid/good.txt", "")
    put(lifecycle_tree, f"invalid/{RULE}.bad.txt", RULE)
    return lifecycle_tree


def put(tree: Tree, name: str, text: str) -> None:
    path = tree.path(f"fixtures/mine/{name}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_a_sound_suite_passes(mine: Tree) -> None:
    result = replay(SUITE, mine)
    assert (result.id, result.verdict, result.findings) == ("mine", Verdict.PASS, ())
    assert result.counts == {
        "valid": 1,
        "passed": 1,
        "expected_invalid": 1,
        "caught": 1,
        "bound": 2,
    }


@pytest.mark.parametrize(
    ("name", "text", "rule", "actual"),
    [
        ("valid/good.txt", RULE, "fixture.valid.refused", f"{RULE} (found)"),
        (
            "valid/other.txt",
            "malformed",
            "fixture.valid.refused",
            "fixture.file.unreadable (cannot be read)",
        ),
        (f"invalid/{RULE}.bad.txt", "", "fixture.invalid.passed", "no rule"),
        (f"invalid/{RULE}.bad.txt", f"~{RULE}", "fixture.invalid.passed", "no rule"),
        (
            f"invalid/{RULE}.bad.txt",
            OTHER,
            "fixture.invalid.misattributed",
            f"{OTHER} (found)",
        ),
        (
            f"invalid/{RULE}.bad.txt",
            f"{RULE} {OTHER}",
            "fixture.invalid.misattributed",
            f"{RULE} (found); {OTHER} (found)",
        ),
        (
            f"invalid/{RULE}.bad.txt",
            "malformed",
            "fixture.invalid.misattributed",
            "fixture.file.unreadable (cannot be read)",
        ),
        ("invalid/strange.txt", RULE, "fixture.name.unknown", f"{RULE} (found)"),
    ],
)
def test_a_fixture_that_is_not_as_named_is_found(
    mine: Tree, name: str, text: str, rule: str, actual: str
) -> None:
    put(mine, name, text)
    result = replay(SUITE, mine)
    (finding,) = result.findings
    assert result.verdict is Verdict.FAIL
    assert finding.rule == rule
    assert finding.location.file == f"fixtures/mine/{name}"
    assert finding.actual == actual


def test_what_cannot_be_read_can_be_expected(mine: Tree) -> None:
    put(mine, "invalid/fixture.file.unreadable.why.txt", "malformed")
    assert replay(SUITE, mine).verdict is Verdict.PASS


@pytest.mark.parametrize("kind", ["valid", "invalid"])
def test_a_suite_without_one_kind_is_incomplete(mine: Tree, kind: str) -> None:
    for path in mine.path(f"fixtures/mine/{kind}").iterdir():
        path.unlink()
    assert replay(SUITE, mine).verdict is Verdict.INCOMPLETE


def test_a_suite_without_a_folder_is_incomplete(lifecycle_tree: Tree) -> None:
    assert replay(SUITE, lifecycle_tree).verdict is Verdict.INCOMPLETE


def test_a_suite_that_cannot_gather_its_fixtures_fails_alone(mine: Tree) -> None:
    class Ungathered(Suite):
        def fixtures(self, tree: Tree, kind: str) -> list[Fixture]:
            raise MalformedInput("the base is missing")

    result = replay(Ungathered("mine", "", judge), mine)
    assert result.verdict is Verdict.FAIL
    assert [finding.rule for finding in result.findings] == ["fixture.file.unreadable"]
    assert result.counts["valid"] == 0


def test_counts_by_rule_say_how_many_are_caught(mine: Tree) -> None:
    put(mine, f"invalid/{RULE}.missed.txt", "")
    put(mine, "invalid/requireTaskSet.txt", OTHER)
    details = replay(SUITE, mine).details
    assert isinstance(details, dict)
    assert details["byRule"] == {
        RULE: {"expected": 2, "caught": 1},
        OTHER: {"expected": 1, "caught": 1},
    }


def test_hidden_files_are_no_fixtures(mine: Tree) -> None:
    put(mine, "valid/.directory", RULE)
    assert replay(SUITE, mine).counts["valid"] == 1


@pytest.mark.parametrize(
    ("file", "rule"),
    [
        ("check.error.json", "check.error"),
        ("check.error.too.much.json", "check.error"),
        ("route.requireTaskSet.json", "route.requireTaskSet"),
        ("requireTaskSet.json", "route.requireTaskSet"),
        ("requireTaskSet.more.jsonl", "route.requireTaskSet"),
        ("check.errors.json", None),
        ("check.json", None),
        ("json", None),
    ],
)
def test_names_start_with_a_rule_or_a_route(file: str, rule: str | None) -> None:
    known = {"check.error", "route.requireTaskSet"}
    assert named_rule(Fixture(f"fixtures/mine/invalid/{file}", b""), known) == rule


def test_the_longest_rule_that_fits_is_meant() -> None:
    fixture = Fixture("fixtures/mine/invalid/a.b.c.txt", b"")
    assert named_rule(fixture, {"a", "a.b"}) == "a.b"


def test_the_result_digest_tells_every_change(mine: Tree) -> None:
    before = replay(SUITE, mine)
    assert replay(SUITE, mine) == before
    put(mine, "valid/good.txt", " ")
    changed_bytes = replay(SUITE, mine)
    assert changed_bytes.verdict is Verdict.PASS
    assert changed_bytes.note != before.note
    put(mine, "valid/good.txt", "~check.error")
    assert replay(SUITE, mine).note not in (before.note, changed_bytes.note)


def test_the_result_is_the_same_in_any_folder(tree: Tree, copied_tree: Tree) -> None:
    assert replay(lifecycle.SUITE, tree) == replay(lifecycle.SUITE, copied_tree)


def test_the_check_gathers_every_suite(mine: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replaying, "all_suites", lambda: (lifecycle.SUITE, SUITE))
    result = replaying.run(Context(mine))
    assert (result.id, result.verdict) == ("fixtures", Verdict.PASS)
    assert result.counts["suites"] == 2
    assert result.counts["valid"] == result.counts["passed"] == 5
    put(mine, "valid/good.txt", RULE)
    failed = replaying.run(Context(mine))
    assert (failed.verdict, len(failed.findings)) == (Verdict.FAIL, 1)


def test_findings_of_lower_level_catch_nothing(tree: Tree) -> None:
    judgement = judged(SUITE, Fixture("x", b"~check.error check.error"), tree)
    assert judgement.rules == ("check.error",)
    assert len(judgement.findings) == 1


def test_all_suites_are_found_by_name() -> None:
    suites = all_suites()
    assert lifecycle.SUITE in suites
    assert [suite.name for suite in suites] == sorted({suite.name for suite in suites})
    assert suites_named(["lifecycle", "lifecycle"]) == (lifecycle.SUITE,)
    assert suites_named([]) == suites


def test_an_unknown_suite_is_wrong_usage() -> None:
    with pytest.raises(UsageError, match="no fixture suite named 'lifecyle'"):
        suites_named(["lifecyle"])


def test_a_fixture_that_is_a_folder_is_an_error_with_its_name(mine: Tree) -> None:
    Path(mine.path("fixtures/mine/valid/folder")).mkdir()
    (finding,) = replay(replace(SUITE), mine).findings
    assert finding.rule == "fixture.file.unreadable"
    assert finding.location.file == "fixtures/mine/valid/folder"
