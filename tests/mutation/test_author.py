"""Author suites: what is wrong with a file is said with its line, and all at once."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from genconform.document import parse_document
from genconform.errors import GenconformError, MalformedInput
from genconform.mutation.author import Authored, load_authored, parse_suite
from genconform.suites.authored import Bench
from genconform.tree import Tree, find_tree
from tests.suites.conftest import CAUGHT as GOOD


def parsed(text: str, name: str = "mutations/mine.yaml") -> Authored:
    return parse_suite(parse_document(text.encode(), name))


def with_fields(*fields: str) -> str:
    """A suite of one mutation with these lines in place of its change and expectation."""
    return "\n    ".join(["suite: mine\nmutations:\n  - id: first", *fields]) + "\n"


def test_a_good_suite_has_its_mutations_and_their_lines() -> None:
    authored = parsed(GOOD)
    assert authored.faults == ()
    (placed,) = authored.mutations
    assert placed.id == "mine/first"
    assert placed.mutation.set == {"riskTier": False}
    assert str(placed.location) == "mutations/mine.yaml:3 at /mutations/0"


MALFORMED = {
    "unknown field": (GOOD + "    expcet: x\n", 8, "unknown field 'expcet'", "perhaps expect"),
    "unknown top field": ("suit: x\n" + GOOD, 1, "unknown field 'suit'", "perhaps suite"),
    "missing field": (
        with_fields("base: witness/verified", "at: requested", "set: {taskSet: false}"),
        3,
        "object missing required field `expect`",
        None,
    ),
    "wrong type": (GOOD.replace("{riskTier: false}", "riskTier"), 6, "expected `object`", None),
    "bad id": (GOOD.replace("first", "'a b'"), 3, "expected `str` matching regex", None),
    "id twice": (
        GOOD + GOOD.partition("mutations:\n")[2],
        8,
        "first: the id stands twice",
        "each id once",
    ),
    "another name": (GOOD.replace("suite: mine", "suite: yours"), 1, "named as its file", "mine"),
    "no mutations": ("suite: mine\nmutations: []\n", 2, "expected `array` of length >= 1", None),
    "a list": ("- suite: mine\n", 1, "expected `object`", None),
    "no change": (
        with_fields("base: b", "expect: e"),
        3,
        "first: a mutation makes one kind of change",
        "`set`, or `pointer`",
    ),
    "both changes": (
        GOOD + "    pointer: /a\n",
        3,
        "first: a mutation makes one kind of change",
        "`set`, or `pointer`",
    ),
    "no value": (
        with_fields("base: b", "expect: e", "pointer: /a"),
        6,
        "first: what becomes of the pointer's value?",
        "`value: ...`, or `remove: true`",
    ),
    "value and remove": (
        with_fields("base: b", "expect: e", "pointer: /a", "value: 1", "remove: true"),
        6,
        "first: what becomes of the pointer's value?",
        "`value: ...`, or `remove: true`",
    ),
    "value alone": (GOOD + "    value: 1\n", 8, "first: there is no pointer for it", "a `pointer`"),
    "remove alone": (GOOD + "    remove: true\n", 8, "first: there is no pointer for it", None),
}


@pytest.mark.parametrize(("text", "line", "message", "expected"), MALFORMED.values(), ids=MALFORMED)
def test_a_broken_suite_names_the_line(
    text: str, line: int, message: str, expected: str | None
) -> None:
    (fault,) = parsed(text).faults
    assert fault.suite == "mine"
    assert message in fault.error.message
    assert fault.error.location is not None
    assert (fault.error.location.file, fault.error.location.line) == ("mutations/mine.yaml", line)
    if expected is not None:
        assert fault.error.expected == expected


def test_one_fault_does_not_hide_another() -> None:
    text = GOOD + "  - {id: second}\n  - {id: third, base: b, expect: e}\n" + "  - 7\n"
    authored = parsed(text)
    assert [placed.mutation.id for placed in authored.mutations] == ["first"]
    assert [fault.error.location and fault.error.location.line for fault in authored.faults] == [
        8,
        9,
        10,
    ]


UNFIT = {
    "unknown base": ("witness/verified", "witness/verifed", "/base", "perhaps witness/verified"),
    "unknown stage": ("contextBound", "contextbound", "/at", "perhaps contextBound"),
    "stage of no event": ("contextBound", "closed", "/at", "one of requested"),
    "unknown value": ("{riskTier", "{riskTeir", "/set/riskTeir", "perhaps riskTier"),
    "wrong boolean": ("false", "0", "/set/riskTier", "true or false"),
    "wrong number": ("riskTier: false", "taskVersion: -1", "/set/taskVersion", "a whole number"),
    "number for text": ("riskTier: false", "taskId: 7", "/set/taskId", "a text"),
    "empty text": ("riskTier: false", "taskId: ''", "/set/taskId", "a text"),
    "wrong kind": ("riskTier: false", "kind: closed", "/set/kind", "perhaps close"),
    "nothing changed": ("false", "true", "/set/riskTier", "other than true, as in the base"),
    "kind not changed": ("riskTier: false", "kind: selectMode", "/set/kind", "other than"),
    "not read there": ("riskTier: false", "cleanup: true", "/set/cleanup", "it at decided"),
    "unknown route": ("requireRiskTier", "requireRiskTear", "/expect", "perhaps requireRiskTier"),
    "accepting": ("requireRiskTier", "acceptFastSelection", "/expect", "a rejecting route"),
    "pointer for a run": (
        "set: {riskTier: false}",
        "pointer: /a\n    remove: true",
        "/pointer",
        "`at` and `set`",
    ),
    "no stage": ("    at: contextBound\n", "", "/set", "`at`, one of requested"),
}


@pytest.mark.parametrize(("old", "new", "field", "expected"), UNFIT.values(), ids=UNFIT)
def test_a_change_that_cannot_be_made_is_refused(
    tree: Tree, old: str, new: str, field: str, expected: str
) -> None:
    text = GOOD.replace(old, new, 1)
    assert text != GOOD
    (placed,) = parsed(text).mutations
    with pytest.raises(MalformedInput) as refused:
        Bench(tree).attempt(placed)
    location = refused.value.location
    assert location is not None
    assert location.pointer == f"/mutations/0{field}"
    assert location.line is not None
    assert location.line >= 3
    assert refused.value.expected is not None
    assert expected in refused.value.expected


def test_a_base_must_be_accepted(copied_tree: Tree) -> None:
    path = copied_tree.path("fixtures/lifecycle/valid/verified.json")
    path.write_text(path.read_text().replace('"riskTier": true', '"riskTier": false'))
    (placed,) = parsed(GOOD.replace("riskTier", "qualityTarget")).mutations
    with pytest.raises(MalformedInput, match="the base is not accepted") as refused:
        Bench(copied_tree).attempt(placed)
    assert "route.requireRiskTier" in (refused.value.actual or "")


def test_only_yaml_files_are_suites(tmp_path: Path) -> None:
    folder = tmp_path / "mutations"
    folder.mkdir()
    (folder / "mine.yaml").write_text(GOOD)
    (folder / "README.md").write_text("What stands here.")
    (folder / ".hidden").write_text("")
    (folder / "forgotten.yml").write_text(GOOD)
    authored = load_authored(Tree(tmp_path))
    assert authored.suites == ("forgotten", "mine")
    assert len(authored.mutations) == 1
    (fault,) = authored.faults
    assert fault.error.message == "not an author suite"


@pytest.mark.parametrize("text", ["a: b: c\n", "{", "\t"])
def test_a_file_that_is_no_yaml_says_what_to_quote(tmp_path: Path, text: str) -> None:
    folder = tmp_path / "mutations"
    folder.mkdir()
    (folder / "mine.yaml").write_text(text)
    (fault,) = load_authored(Tree(tmp_path)).faults
    assert "quotes" in (fault.error.expected or "")


@pytest.mark.parametrize("name", ["table", "coverage"])
def test_names_that_reports_use_are_taken(name: str) -> None:
    authored = parsed(GOOD.replace("mine", name), f"mutations/{name}.yaml")
    assert (authored.suites, authored.mutations) == ((f"{name}.yaml",), ())
    assert authored.faults[0].error.message == "a suite cannot have this name"


def test_no_folder_is_no_suite(tmp_path: Path) -> None:
    assert load_authored(Tree(tmp_path)) == Authored()


# --- nothing crashes ---------------------------------------------------------------------------

BENCH = Bench(find_tree())
WORDS = st.sampled_from(
    [
        *("id", "base", "at", "set", "expect", "pointer", "value", "remove", "suite", "mutations"),
        *("witness/verified", "witness/fallback", "contextBound", "closed", "requireRiskTier"),
        *("riskTier", "kind", "close", "eventDigest", "taskVersion", "mine", "/a", "/"),
    ]
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4) | WORDS
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS | st.text(), inner),
    max_leaves=10,
)
FIELDS = {
    "id": st.sampled_from(["a", "b", "c d"]),
    "base": WORDS,
    "at": WORDS,
    "expect": WORDS,
    "set": st.dictionaries(WORDS, SCALARS, max_size=3),
    "pointer": WORDS,
    "value": ANYTHING,
    "remove": st.booleans(),
}
MUTATIONS = st.fixed_dictionaries({}, optional=FIELDS) | ANYTHING
SUITES = st.fixed_dictionaries({"suite": WORDS, "mutations": st.lists(MUTATIONS, max_size=3)})


def survives(data: bytes) -> None:
    """Reading and trying never raises anything but an error that explains itself."""
    errors: list[GenconformError] = []
    try:
        authored = parse_suite(parse_document(data, "mutations/mine.yaml"))
        errors += [fault.error for fault in authored.faults]
        for placed in authored.mutations:
            with contextlib.suppress(MalformedInput):
                BENCH.attempt(placed)
        assert authored.mutations or errors
    except MalformedInput as error:
        errors.append(error)
    for each in errors:
        assert each.location is not None
        assert each.location.file == "mutations/mine.yaml"


@given(SUITES | ANYTHING)
@settings(max_examples=300)
def test_no_data_crashes_the_reader(value: object) -> None:
    survives(yaml.safe_dump(value, allow_unicode=True).encode("utf-8", "surrogatepass"))


@given(st.data())
@settings(max_examples=150)
def test_no_edit_of_a_good_suite_crashes_the_reader(data: st.DataObject) -> None:
    text = bytearray(GOOD.encode())
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 6)))
        text[start:end] = data.draw(st.binary(max_size=3) | WORDS.map(str.encode))
    survives(bytes(text))
