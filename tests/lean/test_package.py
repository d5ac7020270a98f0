"""Reading the package: imports, order, and what a source may not say."""

from __future__ import annotations

import pytest

from genconform.errors import UsageError
from genconform.lean.package import (
    REFUSED,
    Module,
    in_order,
    reachable,
    refusals,
    without_comments,
)

WORDS = sorted(word for words in REFUSED.values() for word in words if word.isidentifier())
HIDDEN = "lean.source.hidden"


def module(text: str, name: str = "M") -> Module:
    return Module(name, f"lean/{name}.lean", text)


def said(text: str) -> list[tuple[str, str, int | None]]:
    return [(one.rule, one.word, one.location.line) for one in refusals(module(text))]


@pytest.mark.parametrize("word", WORDS)
def test_each_refused_word_is_found_alone_in_a_name_and_beside_signs(word: str) -> None:
    for text in (word, f"A.{word}.b", f"({word})", f"λ{word}", f"x⁻¹{word} y", f"decide +{word}"):
        assert [found for _, found, _ in said(f"\n{text}\n") if found == word] == [word]
    for text in (f"{word}s", f"not{word}", f"{word}_x", f"{word}'"):
        assert said(text) == []


def test_comments_may_say_anything() -> None:
    text = """\
-- sorry
/- axiom /- unsafe -/ partial -/
/-- A docstring: sorry. -/
def y := z /- "unclosed -/ -- axiom
theorem t := sorry
"""
    assert said(text) == [("lean.source.sorry", "sorry", 5)]


def test_a_comment_does_not_hide_what_follows_it() -> None:
    assert said('/- " -/ sorry /- " -/') == [("lean.source.sorry", "sorry", 1)]


@pytest.mark.parametrize("text", ["theorem «/-» : True", "x //- 1", "rw [<-- h]", "y↑--z"])
def test_a_mark_that_need_not_begin_a_comment_is_refused(text: str) -> None:
    assert said(f"{text}\naxiom x : False\n-/")[0][0] == HIDDEN


def test_a_mark_after_a_name_or_a_bracket_begins_a_comment() -> None:
    assert said("def x := (y)--sorry\nf x/- sorry -/\n/---/\n----") == []


@pytest.mark.parametrize("sign", ["\u0455", "\uff21", "\u200b", "é", "⁻", "«", "»"])
def test_signs_that_no_source_needs_are_refused(sign: str) -> None:
    assert said(f"def x{sign} := 1") == [(HIDDEN, sign, 1)]


@pytest.mark.parametrize("text", ['def x := "/-" ++ y -- "-/"', """def q := '"'"""])
def test_a_string_could_hide_something_and_is_refused(text: str) -> None:
    assert said(text)[0][::2] == (HIDDEN, 1)


def test_blanking_keeps_every_line() -> None:
    text = "a /- b\nc -/ d -- e\nf"
    assert without_comments(text).count("\n") == text.count("\n")
    assert without_comments(text).split() == ["a", "d", "f"]


def test_commands_that_print_or_run_are_refused() -> None:
    assert said("#eval 1\n#print axioms x") == [
        ("lean.source.meta", "#eval", 1),
        ("lean.source.meta", "#print", 2),
    ]


def test_modules_come_after_what_they_import() -> None:
    modules = {
        "C": module("import A\nimport B\n", "C"),
        "A": module("import B\n", "A"),
        "B": module("", "B"),
    }
    assert [one.name for one in in_order(modules)] == ["B", "A", "C"]
    assert reachable(modules, "A") == {"A", "B"}


def test_an_import_counts_only_where_lean_sees_one() -> None:
    text = "/-\nimport A\n-/\nimport B -- import C\n import D\nimport «E»\npublic import F\n"
    assert module(text).imports == ("B",)
    assert [number for number, _ in module(text).strange_imports()] == [5, 6, 7]


def test_an_import_in_a_circle_is_an_error() -> None:
    modules = {"A": module("import B\n", "A"), "B": module("import A\n", "B")}
    with pytest.raises(UsageError, match="imports itself"):
        in_order(modules)
