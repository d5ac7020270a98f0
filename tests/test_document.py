"""Reading YAML and JSON: plain data only, with the line of whatever is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from genconform.document import (
    MAX_YAML_CHARACTERS,
    decode,
    parse_document,
    pointer_of,
    read_document,
)
from genconform.errors import MalformedInput, UsageError

JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(1 - 2**53, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


class _Inner(Struct, forbid_unknown_fields=True):
    number: int


class _Outer(Struct, forbid_unknown_fields=True):
    items: list[_Inner]


@given(JSON_VALUES)
def test_json_means_the_same_when_read_as_yaml(value: object) -> None:
    text = json.dumps(value)
    assert parse_document(text.encode(), "x.json").value == json.loads(text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a: 1\na: 2\n", "the key 'a' a second time"),
        ("a: &x [1]\nb: *x\n", "an alias"),
        ("a: !!python/object:os.system x\n", "the tag"),
        ("1: 2\n", "the key 1"),
        ("[a]: 2\n", "a key that is not text"),
        ("a: " + "9" * 5000, "a number of usual size"),
        ("[" * 80 + "]" * 80, "nested too deeply"),
        ("[" * 100_000, "not YAML"),
        ("a: [1\n", "not YAML"),
        ("", "the file is empty"),
    ],
)
def test_what_is_not_plain_data_is_refused(text: str, says: str) -> None:
    with pytest.raises(MalformedInput, match=says.replace("(", r"\(")):
        parse_document(text.encode(), "x")


def test_a_character_that_yaml_has_not_is_named_with_its_line() -> None:
    with pytest.raises(MalformedInput) as caught:
        parse_document("ééé: 1\nb: \x01\nc: 2\n".encode(), "x")
    assert str(caught.value) == "x:2: not YAML: control characters are not allowed; found U+0001."


@pytest.mark.parametrize("text", ["{'a': 1}", "a: 1", "[NaN]", "[1,]", "[" * 100_000])
def test_a_json_file_holds_json(text: str) -> None:
    with pytest.raises(MalformedInput, match="not JSON"):
        parse_document(text.encode(), "x.json")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"a": "\\ud800"}', "half of a surrogate pair"),
        ("[" * 80 + "]" * 80, "nested too deeply"),
        ("[" + "9" * 5000 + "]", "not JSON"),
        ('{"a": [{}, {"b": 1,\n"b": 2}]}', r"x.json:2 at /a/1: not plain data: the key 'b'"),
        ('{"a": 1, "a": 2}' + " " * MAX_YAML_CHARACTERS, "a key stands twice"),
    ],
)
def test_json_that_is_not_plain_data_is_refused(text: str, says: str) -> None:
    with pytest.raises(MalformedInput, match=says):
        parse_document(text.encode(), "x.json")


def test_a_pair_of_surrogates_is_one_character() -> None:
    document = parse_document(b'{"a": "\\ud83d\\ude00",\n"b": 3}', "x.json")
    assert document.value["a"] == "\U0001f600"
    assert document.location("/b").line == 2


def test_a_large_json_file_is_read_without_lines_and_a_large_yaml_file_is_not() -> None:
    text = b'{"items": 3}' + b" " * MAX_YAML_CHARACTERS
    with pytest.raises(MalformedInput, match="at /items"):
        decode(parse_document(text, "x.json"), _Outer)
    with pytest.raises(MalformedInput, match="too large for YAML"):
        parse_document(text, "x.yaml")


def test_binary_is_not_text() -> None:
    with pytest.raises(MalformedInput, match="byte 2 is 0xff"):
        parse_document(b"a:\xff", "x")


def test_a_duplicate_key_is_named_with_its_line() -> None:
    with pytest.raises(MalformedInput) as caught:
        parse_document(b"a: 1\nb: 2\na: 3\n", "table.yaml")
    assert caught.value.location is not None
    assert (caught.value.location.file, caught.value.location.line) == ("table.yaml", 3)


@pytest.mark.parametrize(
    ("text", "pointer", "line"),
    [
        ("items:\n  - number: 1\n  - number: one\n", "/items/1/number", 3),
        ("items:\n  - number: 1\n    more: 2\n", "/items/0", 2),
        ("items: 3\n", "/items", 1),
    ],
)
def test_a_wrong_value_is_named_with_its_pointer_and_line(
    text: str, pointer: str, line: int
) -> None:
    with pytest.raises(MalformedInput) as caught:
        decode(parse_document(text.encode(), "x"), _Outer)
    assert caught.value.location is not None
    assert (caught.value.location.pointer, caught.value.location.line) == (pointer, line)


def test_the_path_of_a_dictionary_value_is_known_as_far_as_it_goes() -> None:
    assert pointer_of(".lines[3].when[...]") == "/lines/3/when"


def test_what_cannot_be_read_is_a_usage_error(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing"):
        with pytest.raises(UsageError, match="cannot read the file"):
            read_document(path)


def test_a_file_beyond_the_limit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "large.yaml"
    path.write_bytes(b"a" * (16 * 1024 * 1024 + 1))
    with pytest.raises(MalformedInput, match="too large"):
        read_document(path)
