"""Reads traces line by line, and says exactly what keeps a file from being one.

A file that breaks the format is malformed. One that keeps to it and stops too early is incomplete.
Neither is ever judged as a whole; runs that ended before the fault are.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

import msgspec
from msgspec import UNSET, Struct

from genconform.digest.canonical import canonical_bytes, sha256_hex, surely_canonical
from genconform.document import pointer_of
from genconform.errors import GenconformError, MalformedInput, mid_sentence
from genconform.finding import Finding, Level, Location, Verdict
from genconform.lifecycle.packet import BOOLEAN_NAMES, EventKind
from genconform.trace.format import (
    EVENTS,
    FORMAT,
    MAX_LINE_BYTES,
    VERSION,
    Header,
    TraceEvent,
    event_digest,
)

_HEADER = msgspec.json.Decoder(Header)
_EVENT = msgspec.json.Decoder(TraceEvent)
_SORTED = msgspec.json.Encoder(order="sorted")
_BOOLEANS = frozenset(BOOLEAN_NAMES)
_SHOWN_AT_MOST = 100


class PlacedEvent(Struct, frozen=True, gc=False):
    """An event, the line, from 1, on which it stands, and the digest that its content has."""

    line: int
    event: TraceEvent
    digest: str


class RecordedRun(Struct, frozen=True, gc=False):
    """One run as it was read: its header, and up to seven events in order."""

    header: Header
    line: int
    events: tuple[PlacedEvent, ...]


class TraceFault(GenconformError):
    """A file is no trace, or only the beginning of one. `rule` says in which way."""

    verdict = Verdict.MALFORMED

    def __init__(
        self,
        rule: str,
        message: str,
        location: Location,
        *,
        expected: str | None = None,
        actual: str | None = None,
    ) -> None:
        super().__init__(message, location=location, expected=expected, actual=actual)
        self.rule = rule
        self.exit_code = self.verdict.exit_code

    def finding(self) -> Finding:
        """The fault as what a report lists."""
        place = self.location or Location()
        return Finding(self.rule, Level.ERROR, self.message, place, self.expected, self.actual)


class MalformedTrace(TraceFault):
    """A line breaks the format."""


class IncompleteTrace(TraceFault):
    """The file ends too early."""

    verdict = Verdict.INCOMPLETE


def read_runs(stream: BinaryIO, name: str) -> Iterator[RecordedRun]:
    """The runs of a file, each as soon as it is read; only one is held at a time.

    A run without all of its events is given too, for what is missing is the judge's to say.

    Raises:
        MalformedTrace: a line breaks the format. The run that it stands in is not given.
        IncompleteTrace: the file is empty, or ends within a line. The run it ends in is given.
    """
    assembly = _Assembly(name)
    try:
        for number, data in _lines(stream, name):
            if (run := assembly.add(number, data)) is not None:
                yield run
    except IncompleteTrace:
        if assembly.header is not None:
            yield assembly.take()
        raise
    if assembly.header is not None:
        yield assembly.take()


def _lines(stream: BinaryIO, name: str) -> Iterator[tuple[int, bytes]]:
    number = 0
    while data := stream.readline(MAX_LINE_BYTES + 1):
        number += 1
        if len(data) > MAX_LINE_BYTES:
            raise MalformedTrace(
                "trace.malformed.oversized-line",
                "the line is too long",
                Location(name, line=number),
                expected=f"at most {MAX_LINE_BYTES} bytes with the newline",
            )
        if not data.endswith(b"\n"):
            raise IncompleteTrace(
                "trace.incomplete.truncated",
                "the file ends within a line",
                Location(name, line=number),
                expected="a newline at the end of every line, which shows that it is whole",
            )
        yield number, data
    if number == 0:
        raise IncompleteTrace(
            "trace.incomplete.empty",
            "the file is empty",
            Location(name),
            expected="a header and seven events a run",
        )


class _Assembly:
    """The run that is being read, and the ids of those before it."""

    def __init__(self, name: str) -> None:
        self.header: Header | None = None
        self._name = name
        self._line = 0
        self._events: list[PlacedEvent] = []
        self._run_ids: set[str] = set()

    def take(self) -> RecordedRun:
        """The run so far. What comes after belongs to another."""
        assert self.header is not None
        run = RecordedRun(self.header, self._line, tuple(self._events))
        self.header, self._events = None, []
        return run

    def add(self, number: int, data: bytes) -> RecordedRun | None:
        """Read one more line; gives the run that it ends, if it ends one."""
        read = self._event(number, data) if self.header else _header(data, self._at(number))
        if isinstance(read, Header):
            before = self.take() if self.header else None
            self._begin(number, read)
            return before
        self._events.append(PlacedEvent(number, read, self._digest(number, data, read)))
        return self.take() if len(self._events) == len(EVENTS) else None

    def _at(self, number: int, pointer: str | None = None) -> Location:
        return Location(self._name, pointer, number)

    def _begin(self, number: int, header: Header) -> None:
        if header.run.id in self._run_ids:
            raise MalformedTrace(
                "trace.malformed.duplicate-run",
                f"the run {_short(header.run.id)} stands twice in the file",
                self._at(number, "/run/id"),
                expected="each run id once",
            )
        self._run_ids.add(header.run.id)
        self.header, self._line = header, number
        self._run_id = canonical_bytes(header.run.id)

    def _event(self, number: int, data: bytes) -> TraceEvent | Header:
        try:
            event = _EVENT.decode(data)
        except (msgspec.DecodeError, RecursionError) as error:
            value = _json(data, self._at(number))
            if isinstance(value, dict) and "format" in value:
                return _header(data, self._at(number))
            raise _wrong_field(error, self._at(number)) from error
        if event.seq != len(self._events):
            raise MalformedTrace(
                "trace.malformed.sequence",
                "the events are not in order, or one stands twice",
                self._at(number, "/seq"),
                expected=str(len(self._events)),
                actual=str(event.seq),
            )
        if event.claims is not UNSET and not event.claims.keys() <= _BOOLEANS:
            unknown = min(event.claims.keys() - _BOOLEANS)
            raise MalformedTrace(
                "trace.malformed.field",
                f"no boolean of the packet is named {_short(unknown)}",
                self._at(number, "/claims"),
            )
        return event

    def _digest(self, number: int, data: bytes, event: TraceEvent) -> str:
        """The digest of the event's content, once it is sure that no key stands twice in it."""
        if (digest := _digest_as_written(data, event, self._run_id)) is not None:
            return digest
        _refuse_repeated_keys(data, event, self._at(number))
        assert self.header is not None
        try:
            return event_digest(self.header.run.id, event.kind, event.identity, event.evidence)
        except MalformedInput as error:
            raise MalformedTrace(
                "trace.malformed.number",
                "the event holds a number that no digest can bind",
                self._at(number, "/evidence"),
                expected=error.expected,
                actual=_short(error.actual or ""),
            ) from error


def _digest_as_written(data: bytes, event: TraceEvent, run_id: bytes) -> str | None:
    """The digest of an event whose line has canonical form, as recorders write it; else None.

    A line that is the same when it is written back has its keys in order, each once, and all that
    is digested but the run id in one piece: evidence, identity and kind.
    """
    written = _SORTED.encode(event)
    if written != data[:-1]:
        return None
    # Nothing before the evidence, and nothing after it, has a key of these names.
    start = written.index(b'"evidence":')
    middle, end = written.rindex(b',"identity":'), written.rindex(b',"seq":')
    settings = event.kind is EventKind.SELECT_MODE  # which may hold any number
    if not surely_canonical(written[start:middle], bounded=not settings):
        return None
    return sha256_hex(b'{%b,"runId":%b}' % (written[start:end], run_id))


def _header(data: bytes, place: Location) -> Header:
    try:
        header = _HEADER.decode(data)
    except (msgspec.DecodeError, RecursionError) as error:
        raise _no_header(error, _json(data, place), place) from error
    _refuse_repeated_keys(data, header, place)
    return header


def _json(data: bytes, place: Location) -> Any:
    """The line as plain JSON, to say what is wrong with it.

    Raises:
        MalformedTrace: it is none.
    """
    try:
        return msgspec.json.decode(data)
    except RecursionError as error:
        raise MalformedTrace(
            "trace.malformed.json", "the line is nested too deeply", place
        ) from error
    except msgspec.DecodeError as error:
        message = str(error).removeprefix("JSON is malformed: ")
        raise MalformedTrace(
            "trace.malformed.json",
            _short(mid_sentence(message)),
            place,
            expected="one JSON object in UTF-8 a line",
        ) from error


def _no_header(error: Exception, value: Any, place: Location) -> MalformedTrace:
    """What a line that should begin a run is instead."""
    if not isinstance(value, dict) or "format" not in value:
        return MalformedTrace(
            "trace.malformed.header",
            "the line does not begin a run",
            place,
            expected=f'a header, {{"format": "{FORMAT}", "version": {VERSION}, ...}}',
        )
    seen = value["format"], value.get("version")
    if seen != (FORMAT, VERSION):
        return MalformedTrace(
            "trace.malformed.version",
            "not a format and version that are known here",
            place,
            expected=f'format "{FORMAT}", version {VERSION}',
            actual=_short(f"format {seen[0]!r}, version {seen[1]!r}"),
        )
    return _wrong_field(error, place)


def _wrong_field(error: Exception, place: Location) -> MalformedTrace:
    """The fault for what msgspec says of JSON of the wrong shape."""
    message, _, path = str(error).partition(" - at `$")
    pointer = pointer_of(path.rstrip("`"))
    at = msgspec.structs.replace(place, pointer=pointer) if pointer else place
    return MalformedTrace("trace.malformed.field", _short(mid_sentence(message)), at)


def _refuse_repeated_keys(data: bytes, read: Header | TraceEvent, place: Location) -> None:
    """Refuse a line in which an object has a key twice, for readers differ in which one counts.

    Written back, a line has the same strings unless a key was dropped as the second of its name.
    As long as no string has a quote in it, counting quotes tells; only where that is in doubt is
    the line read again by a parser that sees every key.
    """
    quoting = b"\\" in data and (b'\\"' in data or b"\\u0022" in data)
    if not quoting and data.count(b'"') == _SORTED.encode(read).count(b'"'):
        return
    try:
        json.loads(data, object_pairs_hook=_unique)
    except _RepeatedKeyError as error:
        raise MalformedTrace(
            "trace.malformed.duplicate-key",
            f"the key {_short(str(error))} stands twice in one object",
            place,
            expected="each key once",
        ) from error
    except (ValueError, RecursionError) as error:
        raise MalformedTrace("trace.malformed.json", _short(str(error)), place) from error


class _RepeatedKeyError(Exception):
    pass


def _unique(pairs: list[tuple[str, Any]]) -> None:
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            raise _RepeatedKeyError(key)
        seen.add(key)


def _short(text: str) -> str:
    """Input quoted in a message, cut to what a person reads, control characters escaped."""
    shown = text if text.isprintable() else ascii(text)[1:-1]
    return shown if len(shown) <= _SHOWN_AT_MOST else shown[:_SHOWN_AT_MOST] + "…"
