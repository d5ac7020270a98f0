"""Reads cases from JSON Lines, one {"state": ..., "event": ...} a line, and says what is wrong.

Every line is a case, so that answers can be paired with lines: a blank line is malformed, and only
the newline of the last line may be missing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

import msgspec

from genconform.document import escape, pointer_of, unreadable
from genconform.errors import Incomplete, MalformedInput, mid_sentence
from genconform.finding import Location
from genconform.lifecycle.packet import Case, Counters, Event, Identity, Packet, State

MAX_LINE_BYTES = 16 * 1024 * 1024
_CHUNK_BYTES = 1 << 18
_CASE = msgspec.json.Decoder(Case)
_KEYS = sum(len(of.__struct_fields__) for of in (Case, State, Identity, Counters, Event, Packet))
# The values that are strings: those of an identity, which a packet has too, less taskVersion; the
# stage, the kind and the event's digest. Consumed digests come on top.
_STRINGS = 2 * (len(Identity.__struct_fields__) - 1) + 3


def read_lines(stream: BinaryIO, name: str) -> Iterator[list[tuple[int, bytes]]]:
    """The numbered lines of a stream, as many at a time as have arrived.

    Raises:
        MalformedInput: a line is longer than MAX_LINE_BYTES.
        Incomplete: there is no line at all.
        UsageError: the stream cannot be read.
    """
    number, rest = 0, b""
    for chunk in _chunks(stream, name):
        *lines, rest = (rest + chunk).split(b"\n")
        for at, line in enumerate((*lines, rest), number + 1):
            if len(line) > MAX_LINE_BYTES:
                raise _too_long(Location(name, line=at))
        yield list(enumerate(lines, number + 1))
        number += len(lines)
    if rest:
        yield [(number + 1, rest)]
    elif number == 0:
        raise Incomplete(
            "there is no input",
            location=Location(name),
            expected="a case a line, as JSON",
            remedy="`genconform lifecycle case requested 0` prints one.",
        )


def _chunks(stream: BinaryIO, name: str) -> Iterator[bytes]:
    read1 = getattr(stream, "read1", stream.read)
    try:
        while chunk := read1(_CHUNK_BYTES):
            yield chunk
    except OSError as error:
        raise unreadable(name, error) from error


def read_case(line: bytes, place: Location) -> Case:
    """The case that a line is.

    Raises:
        MalformedInput: not JSON, a field missing, unknown, twice or of the wrong type.
    """
    try:
        case = _CASE.decode(line)
    except (msgspec.DecodeError, RecursionError) as error:
        raise _malformed(line, error, place) from error
    _refuse_repeated_keys(line, case, place)
    return case


def _refuse_repeated_keys(line: bytes, case: Case, place: Location) -> None:
    """Refuse a key that stands twice: readers differ in which one counts.

    All keys are required and none is unknown. As long as nothing is escaped, a line with each key
    once has a known number of quotes, and one with a key twice has more; only where that is in
    doubt is the line read again by a parser that sees every key.
    """
    strings = _KEYS + _STRINGS + len(case.state.consumed_event_digests)
    if b"\\" not in line and line.count(b'"') == 2 * strings:
        return
    pointer = _repeated(json.loads(line, object_pairs_hook=_Pairs))
    if pointer is not None:
        raise MalformedInput(
            "a key stands twice",
            location=msgspec.structs.replace(place, pointer=pointer),
            expected="each key once",
        )


class _Pairs(list[tuple[str, Any]]):
    """The keys and values of an object, with none dropped."""


def _repeated(value: object, at: str = "") -> str | None:
    """The pointer of the first key that stands twice. A case has no objects within arrays."""
    if not isinstance(value, _Pairs):
        return None
    seen: set[str] = set()
    for key, member in value:
        pointer = f"{at}/{escape(key)}"
        if key in seen:
            return pointer
        seen.add(key)
        if deeper := _repeated(member, pointer):
            return deeper
    return None


def _malformed(line: bytes, error: Exception, place: Location) -> MalformedInput:
    if isinstance(error, RecursionError):
        return MalformedInput("the line is nested too deeply", location=place)
    if not line.strip():
        return MalformedInput("the line is blank", location=place, expected="a case as JSON")
    message, _, path = str(error).removeprefix("JSON is malformed: ").partition(" - at `$")
    message = mid_sentence(message)
    if not isinstance(error, msgspec.ValidationError):
        expected = "one JSON object in UTF-8 a line"
        return MalformedInput(f"not JSON: {message}", location=place, expected=expected)
    pointer = pointer_of(path.rstrip("`")) or None
    return MalformedInput(message, location=msgspec.structs.replace(place, pointer=pointer))


def _too_long(place: Location) -> MalformedInput:
    return MalformedInput(
        "the line is too long", location=place, expected=f"at most {MAX_LINE_BYTES:,} bytes"
    )
