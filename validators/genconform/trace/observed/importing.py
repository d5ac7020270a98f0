"""Logs of engines, record by record: JSON, JSON Lines, or a Prometheus page.

A record that cannot be read is named and costs no other. Nothing is lost silently: each record ends
as observations or as a finding.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from typing import Any, BinaryIO, NamedTuple

from genconform.digest.canonical import sha256_hex
from genconform.document import MAX_DOCUMENT_BYTES, parse_json
from genconform.errors import GenconformError, MalformedInput, Unsupported
from genconform.finding import CheckResult, Finding, Level, Location, Verdict
from genconform.trace.adapters.base import Adapter, Json
from genconform.trace.adapters.observe import observe, private
from genconform.trace.adapters.registry import recognise
from genconform.trace.format import MAX_LINE_BYTES
from genconform.trace.observed.model import Observation

_OTHER_ENCODINGS = {
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
    b"\xef\xbb\xbf": "UTF-8 with a byte-order mark",
    b"\0": "bytes of 0, as in UTF-16",
}
_EMPTY = "import.source.empty"
_VERDICTS = {
    "import.record.malformed": Verdict.MALFORMED,
    "import.record.unsupported": Verdict.UNSUPPORTED,
    "import.record.truncated": Verdict.INCOMPLETE,
    _EMPTY: Verdict.INCOMPLETE,
}
"""What each finding makes of an import, the worst first."""

_PAGE = re.compile(rb"# (HELP|TYPE) ")
_SAMPLE = re.compile(r"([a-zA-Z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)(?:\s+\d+)?")
_POSITION = re.compile(r'position="(\d+)"')


class Record(NamedTuple):
    """A parsed record: its value, the digest of its bytes, and where it stands."""

    value: Json
    digest: str
    place: Location


class Import:
    """One import: gives what it reads, and counts it.

    Args:
        adapters: those that may know a record.
        public: whether texts and token ids are kept; else their digests alone.
        declared: what the user says of every record.
    """

    def __init__(
        self, adapters: tuple[Adapter, ...], *, public: bool, declared: dict[str, str]
    ) -> None:
        self.records = 0
        self.observations = 0
        self.findings: list[Finding] = []
        self.recognised: dict[str, int] = {}
        self._adapters = adapters
        self._public = public
        self._declared = declared

    def read(self, stream: BinaryIO, name: str) -> Iterator[Observation]:
        """The observations of a log, as it is read. Findings are kept in `findings`."""
        for record in records(stream, name):
            self.records += 1
            if isinstance(record, Finding):
                self.findings.append(record)
                continue
            try:
                yield from self._observed(record)
            except GenconformError as error:
                self.findings.append(_refused(error, record.place))

    def _observed(self, record: Record) -> list[Observation]:
        value = _unwrapped(record.value)
        known = recognise(value, self._adapters, record.place)
        found = list(
            observe(known.adapter, known.shape, value, record.digest, record.place, self._declared)
        )
        if not found:
            raise Unsupported(
                f"the record has the shape {known.adapter.name} {known.shape.name}, and is of no "
                "request",
                location=record.place,
            )
        self.recognised[known.why] = self.recognised.get(known.why, 0) + 1
        self.observations += len(found)
        return found if self._public else [private(one) for one in found]

    def result(self, name: str) -> CheckResult:
        """Whether every record was read, as a check's result."""
        if not self.records:
            message = "the source holds no record"
            empty = Finding(_EMPTY, Level.ERROR, message, Location(name), "at least one record")
            self.findings = [empty]
        rules = {finding.rule for finding in self.findings}
        verdict = next((worst for rule, worst in _VERDICTS.items() if rule in rules), Verdict.PASS)
        counts = {
            "records": self.records,
            "observations": self.observations,
            "refused": sum(one.rule != _EMPTY for one in self.findings),
        }
        note = "; ".join(f"{count} as {why}" for why, count in sorted(self.recognised.items()))
        return CheckResult(name, verdict, counts, tuple(self.findings), note)


def _refused(error: GenconformError, place: Location) -> Finding:
    rule = "unsupported" if isinstance(error, Unsupported) else "malformed"
    return Finding(
        f"import.record.{rule}",
        Level.ERROR,
        error.message,
        error.location or place,
        error.expected,
        error.actual,
    )


def _unwrapped(value: Json) -> Json:
    """A record whose payload stands under `_chat`, beside what the client wrote."""
    inner = value.get("_chat")
    if not isinstance(inner, dict):
        return value
    return inner | {key: one for key, one in value.items() if key != "_chat"}


def records(stream: BinaryIO, name: str) -> Iterator[Record | Finding]:
    """The records of a log, each as soon as it is read, and a finding for each that is none."""
    first = stream.readline(MAX_LINE_BYTES + 1)
    number = 1
    while first and not first.strip():
        first = stream.readline(MAX_LINE_BYTES + 1)
        number += 1
    if not first:
        return
    for mark, encoding in _OTHER_ENCODINGS.items():
        if first.startswith(mark) or (mark == b"\0" and mark in first):
            place = Location(name, line=number)
            yield _malformed("the file is not plain UTF-8", place, "UTF-8", encoding)
            return
    if _PAGE.match(first):
        yield from _page(first + stream.read(MAX_DOCUMENT_BYTES), name)
        return
    if _is_record(first):
        yield from _lines(first, stream, name, number)
        return
    whole = first + stream.read(MAX_DOCUMENT_BYTES)
    if len(whole) > MAX_DOCUMENT_BYTES and b"\n" not in whole.rstrip(b"\n"):
        message = "the document is too large to be read at once"
        expected = f"at most {MAX_DOCUMENT_BYTES} bytes, or a record a line"
        yield _malformed(message, Location(name), expected)
        return
    try:
        value = parse_json(whole, name).value
    except MalformedInput as error:
        if whole.count(b"\n") > 1 and any(map(_is_record, whole.splitlines()[1:])):
            yield from _lines(b"", _Rest(whole, stream), name, number)
        else:
            cut = not whole.rstrip().endswith((b"}", b"]"))
            yield _truncated(error) if cut and whole[:1] in b"{[" else _as_finding(error)
        return
    yield from _items(value, sha256_hex(whole), name)


class _Rest:
    """A stream whose beginning was read already."""

    def __init__(self, head: bytes, stream: BinaryIO) -> None:
        self._head = BytesIO(head)
        self._stream = stream

    def readline(self, limit: int) -> bytes:
        line = self._head.readline(limit)
        return line if line.endswith(b"\n") else line + self._stream.readline(limit - len(line))


def _is_record(line: bytes) -> bool:
    try:
        return isinstance(parse_json(line, "").value, dict)
    except MalformedInput:
        return False


def _lines(first: bytes, stream: Any, name: str, number: int) -> Iterator[Record | Finding]:
    line = first or stream.readline(MAX_LINE_BYTES + 1)
    while line:
        place = Location(name, line=number)
        if len(line) > MAX_LINE_BYTES:
            yield _malformed("the line is too long", place, f"at most {MAX_LINE_BYTES} bytes")
            while line and not line.endswith(b"\n"):
                line = stream.readline(MAX_LINE_BYTES)
        elif line.strip():
            yield _record(line, place)
        line = stream.readline(MAX_LINE_BYTES + 1)
        number += 1


def _record(line: bytes, place: Location) -> Record | Finding:
    try:
        value = parse_json(line, place.file or "").value
    except MalformedInput as error:
        at = Location(place.file, line=place.line)
        if not line.endswith(b"\n") and line[:1] == b"{":
            return _truncated(MalformedInput(error.message, location=at))
        return _malformed(error.message, at, error.expected, error.actual)
    if not isinstance(value, dict):
        return _malformed("the record is no JSON object", place, "an object", repr(value)[:60])
    return Record(value, sha256_hex(line.rstrip(b"\r\n")), place)


def _items(value: Any, digest: str, name: str) -> Iterator[Record | Finding]:
    """A document's records: the items of a list, or the one that it is. The line is the item's."""
    items = value if isinstance(value, list) else [value]
    for place, item in enumerate(items):
        at = Location(name, line=place + 1)
        if isinstance(item, dict):
            yield Record(item, digest, at)
        else:
            yield _malformed("the record is no JSON object", at, "an object", repr(item)[:60])


def _page(data: bytes, name: str) -> Iterator[Record | Finding]:
    """A Prometheus page as one record: counters by name, their label sets summed.

    What is told by position in a draft becomes a list.
    """
    counters: dict[str, float] = {}
    positions: dict[str, dict[int, float]] = {}
    place = Location(name, line=1)
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        sample = _SAMPLE.fullmatch(line.strip())
        if sample is None:
            at = Location(name, line=number)
            yield _malformed("not a sample of a Prometheus page", at, "NAME{LABELS} VALUE")
            continue
        metric, labels, text = sample[1].removesuffix("_total"), sample[2] or "", sample[3]
        try:
            found = float(text)
        except ValueError:
            at = Location(name, line=number)
            yield _malformed("the sample is no number", at, "a number", text[:60])
            continue
        if position := _POSITION.search(labels):
            positions.setdefault(metric, {})[int(position[1])] = found
        else:
            counters[metric] = counters.get(metric, 0) + found
    value: Json = {key: _whole(found) for key, found in counters.items()}
    for metric, by_place in positions.items():
        value[metric] = [_whole(by_place.get(one, 0)) for one in range(max(by_place) + 1)]
    yield Record({"prometheus": value}, sha256_hex(data), place)


def _whole(value: float) -> float:
    return int(value) if value == value and abs(value) < 2**53 and value == int(value) else value


def _malformed(
    message: str, place: Location, expected: str | None = None, actual: str | None = None
) -> Finding:
    return Finding("import.record.malformed", Level.ERROR, message, place, expected, actual)


def _as_finding(error: MalformedInput) -> Finding:
    place = error.location or Location()
    return _malformed(error.message, place, error.expected, error.actual)


def _truncated(error: MalformedInput) -> Finding:
    return Finding(
        "import.record.truncated",
        Level.ERROR,
        f"the source ends within a record: {error.message}",
        error.location or Location(),
        "a whole record",
    )
