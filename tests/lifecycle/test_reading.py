"""Reading cases: any case is read as it was written, and what is not one is named and refused."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given

from genconform.errors import Incomplete, MalformedInput
from genconform.finding import Location
from genconform.lifecycle import reading
from genconform.lifecycle.packet import Case
from genconform.lifecycle.reading import MAX_LINE_BYTES, read_case, read_lines
from genconform.lifecycle.space import space_of
from tests.lifecycle.strategies import CASES

CASE = space_of("accounted").case(12345)
LINE = msgspec.json.encode(CASE).decode()
PLACE = Location("cases.jsonl", line=17)


def pointers(value: Any, at: str = "") -> Iterator[str]:
    """The pointer of every member of every object."""
    if isinstance(value, dict):
        for key, member in value.items():
            yield f"{at}/{key}"
            yield from pointers(member, f"{at}/{key}")


KEYS = list(pointers(json.loads(LINE)))


def refusal(line: str | bytes) -> MalformedInput:
    with pytest.raises(MalformedInput) as caught:
        read_case(line if isinstance(line, bytes) else line.encode(), PLACE)
    assert caught.value.location is not None
    assert (caught.value.location.file, caught.value.location.line) == ("cases.jsonl", 17)
    return caught.value


def pointer(error: MalformedInput) -> str | None:
    assert error.location is not None
    return error.location.pointer


@given(CASES)
def test_any_case_is_read_as_it_was_written(case: Case) -> None:
    compact = msgspec.json.encode(case)
    spaced = json.dumps(json.loads(compact), indent=1).replace("\n", "\r").encode()
    assert read_case(compact, PLACE) == read_case(spaced, PLACE) == case


def test_there_are_86_keys_and_all_are_needed() -> None:
    assert len(KEYS) == 86
    for key in KEYS:
        document = json.loads(LINE)
        *parents, last = key[1:].split("/")
        parent = document
        for name in parents:
            parent = parent[name]
        del parent[last]
        error = refusal(json.dumps(document))
        assert error.message == f"object missing required field `{last}`"
        assert pointer(error) == ("".join(f"/{name}" for name in parents) or None)


@pytest.mark.parametrize("escaped", [False, True])
@pytest.mark.parametrize("gap", ["", " "])
def test_every_key_that_stands_twice_is_found(escaped: bool, gap: str) -> None:
    for key in KEYS:
        name = json.dumps(key.rpartition("/")[2])
        value = json.dumps(_at(json.loads(LINE), key), separators=(",", ":"))
        again = f'"\\u{ord(name[1]):04x}{name[2:]}' if escaped else name
        before = _place(key, name, value)
        twice = LINE[:before] + f"{again}{gap}:{value}," + LINE[before:]
        error = refusal(twice)
        assert error.message == "a key stands twice"
        assert pointer(error) == key


def _at(document: Any, key: str) -> Any:
    for name in key[1:].split("/"):
        document = document[name]
    return document


def _place(key: str, name: str, value: str) -> int:
    """Where a member begins in LINE: that of the packet comes after that of the identity."""
    member = f"{name}:{value}"
    return LINE.rindex(member) if key.startswith("/event/") else LINE.index(member)


@pytest.mark.parametrize(
    ("before", "after", "at", "says"),
    [
        ('"taskVersion":1', '"taskVersion":-1', "/state/identity/taskVersion", ">= 0"),
        ('"taskVersion":1', '"taskVersion":1.0', "/state/identity/taskVersion", "got `float`"),
        ('"taskVersion":1', '"taskVersion":true', "/state/identity/taskVersion", "got `bool`"),
        ('"taskVersion":1', '"taskVersion":"1"', "/state/identity/taskVersion", "got `str`"),
        ('"taskVersion":1', '"taskVersion":NaN', None, "not JSON: invalid character"),
        ('"taskVersion":1', '"taskVersion":' + "9" * 5000, "/state/identity/taskVersion", "range"),
        ('"taskId":"task"', '"taskId":""', "/state/identity/taskId", "length >= 1"),
        ('"taskId":"task"', '"taskId":null', "/state/identity/taskId", "got `null`"),
        ('"taskId":"task"', '"taskId":"\\ud800"', None, "not JSON"),
        ('"receipts":5', '"receipts":-5', "/state/counters/receipts", ">= 0"),
        ('"stage":"accounted"', '"stage":"accountd"', "/state/stage", "invalid enum value"),
        ('"kind":"', '"kind":"x', "/event/kind", "invalid enum value"),
        ('"event 0"', "0", "/state/consumedEventDigests/0", "got `int`"),
        ('"state":{', '"more":1,"state":{', None, "unknown field `more`"),
        ('"packet":{', '"packet":{"more":1,', "/event/packet", "unknown field `more`"),
        ('"cleanup":', '"cleanup":1,"x":', "/event/packet/cleanup", "got `int`"),
    ],
)
def test_a_wrong_value_is_named_by_its_pointer(
    before: str, after: str, at: str | None, says: str
) -> None:
    assert before in LINE
    error = refusal(LINE.replace(before, after, 1))
    assert says in error.message
    assert pointer(error) == at


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("", "the line is blank"),
        (" \t\r", "the line is blank"),
        (LINE[:-1], "not JSON: input data was truncated"),
        (LINE + LINE, "not JSON: trailing characters"),
        (LINE + ",", "not JSON: trailing characters"),
        ("[]", "expected `object`, got `array`"),
        ("[" * 100_000, "expected `object`, got `array`"),
        ("null", "expected `object`, got `null`"),
        ("'" + LINE, "not JSON: invalid character"),
        (b"\xef\xbb\xbf" + LINE.encode(), "not JSON: invalid character"),
        (LINE.encode().replace(b'"task"', b'"\xff"', 1), "not JSON: invalid UTF-8"),
        (bytes(range(256)), "not JSON: invalid character"),
    ],
)
def test_what_is_no_case_is_refused(line: str | bytes, says: str) -> None:
    assert says in refusal(line).message


class Trickle(io.RawIOBase):
    """A stream on which bytes arrive a few at a time."""

    def __init__(self, parts: list[bytes]) -> None:
        self.parts = parts

    def read1(self, size: int = -1, /) -> bytes:
        return self.parts.pop(0) if self.parts else b""


def lines_of(*parts: bytes) -> list[list[tuple[int, bytes]]]:
    return list(read_lines(Trickle(list(parts)), "-"))  # type: ignore[arg-type]


def test_lines_are_given_as_soon_as_they_are_whole() -> None:
    assert lines_of(b"a\nb", b"c\n", b"", b"never read") == [[(1, b"a")], [(2, b"bc")]]
    assert lines_of(b"a\n\n", b"b") == [[(1, b"a"), (2, b"")], [], [(3, b"b")]]


def test_the_last_newline_may_be_missing_and_is_no_line() -> None:
    assert list(read_lines(io.BytesIO(b"a\nb"), "-")) == [[(1, b"a")], [(2, b"b")]]
    assert list(read_lines(io.BytesIO(b"a\nb\n"), "-")) == [[(1, b"a"), (2, b"b")]]


def test_no_input_is_incomplete() -> None:
    with pytest.raises(Incomplete, match="there is no input") as caught:
        list(read_lines(io.BytesIO(b""), "cases.jsonl"))
    assert caught.value.exit_code == 4


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_a_line_that_is_too_long_is_refused_before_all_of_it_is_read(
    end: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert MAX_LINE_BYTES == 16 * 1024 * 1024
    monkeypatch.setattr(reading, "MAX_LINE_BYTES", 100)
    parts = [b"first\n", b"x" * 60, b"x" * 60 + end, b"unread"]
    stream = Trickle(parts)
    with pytest.raises(MalformedInput, match="the line is too long") as caught:
        list(read_lines(stream, "-"))  # type: ignore[arg-type]
    assert caught.value.location == Location("-", line=2)
    assert parts == [b"unread"]
