"""Imported traces: JSON Lines, a header that holds an observation, then the evidence that it shows.

    {"format": "genconform-observation", "version": 1, "observation": {...}}
    {"kind": "bindContext", "evidence": {...}}

The evidence follows from the observation and is held to it, so that neither is changed alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any, BinaryIO, Literal, NamedTuple

import msgspec
from msgspec import Meta

from genconform.document import parse_json, pointer_of
from genconform.errors import MalformedInput
from genconform.finding import CheckResult, Finding, Level, Location, Verdict
from genconform.lifecycle.packet import BOOLEAN_NAMES, EventKind
from genconform.trace.format import (
    MAX_LINE_BYTES,
    AccountOutcomeEvidence,
    BindContextEvidence,
    Evidence,
    GenerateDraftEvidence,
    Shape,
    VerifyDraftEvidence,
)
from genconform.trace.observed.evidence import evidence_of
from genconform.trace.observed.judge import JudgedObservation, judge_observation
from genconform.trace.observed.model import Observation
from genconform.trace.observed.session import History

_BEGINNING = re.compile(rb'\s*\{\s*"format"\s*:\s*"genconform-observation"')


class ObservationHeader(Shape, frozen=True, omit_defaults=False):
    """The line that begins an imported trace."""

    format: Annotated[Literal["genconform-observation"], Meta(description="Names this format.")]
    version: Annotated[Literal[1], Meta(description="The version of this format.")]
    observation: Observation


class _Line(Shape, frozen=True, tag_field="kind", omit_defaults=False):
    """The evidence of one event kind."""


class _BindContext(_Line, frozen=True, tag="bindContext"):
    evidence: BindContextEvidence


class _GenerateDraft(_Line, frozen=True, tag="generateDraft"):
    evidence: GenerateDraftEvidence


class _VerifyDraft(_Line, frozen=True, tag="verifyDraft"):
    evidence: VerifyDraftEvidence


class _AccountOutcome(_Line, frozen=True, tag="accountOutcome"):
    evidence: AccountOutcomeEvidence


EvidenceLine = _BindContext | _GenerateDraft | _VerifyDraft | _AccountOutcome
"""A line of evidence."""

_LINES: dict[EventKind, Any] = {
    EventKind.BIND_CONTEXT: _BindContext,
    EventKind.GENERATE_DRAFT: _GenerateDraft,
    EventKind.VERIFY_DRAFT: _VerifyDraft,
    EventKind.ACCOUNT_OUTCOME: _AccountOutcome,
}
_KINDS = {line: kind for kind, line in _LINES.items()}
_HEADER = msgspec.json.Decoder(ObservationHeader)
_EVIDENCE = msgspec.json.Decoder(EvidenceLine)
_ENCODER = msgspec.json.Encoder()


class StoredObservation(NamedTuple):
    """An observation as it was read, and the evidence that stood with it."""

    observation: Observation
    line: int
    evidence: dict[EventKind, Evidence]


def written(seen: Observation) -> bytes:
    """The lines of one imported trace."""
    lines = [_ENCODER.encode(ObservationHeader("genconform-observation", 1, seen))]
    lines += [_ENCODER.encode(_LINES[kind](found)) for kind, found in evidence_of(seen).items()]
    return b"".join(line + b"\n" for line in lines)


def is_imported(first_line: bytes) -> bool:
    """Whether a file that begins with this line holds imported traces."""
    return _BEGINNING.match(first_line) is not None


def read_stored(stream: BinaryIO, name: str) -> Iterator[StoredObservation]:
    """The imported traces of a file, each as soon as it is read.

    Raises:
        MalformedInput: a line breaks the format. Those before it are given.
    """
    header: ObservationHeader | None = None
    line, evidence = 0, dict[EventKind, Evidence]()
    number = 0
    while data := stream.readline(MAX_LINE_BYTES + 1):
        number += 1
        place = Location(name, line=number)
        if not data.endswith(b"\n"):
            raise MalformedInput(
                "the line is too long, or the file ends within it",
                location=place,
                expected=f"a newline within {MAX_LINE_BYTES} bytes",
            )
        read = _read(data, place, begins=header is None)
        if isinstance(read, ObservationHeader):
            if header is not None:
                yield StoredObservation(header.observation, line, evidence)
            header, line, evidence = read, number, {}
        else:
            kind = _KINDS[type(read)]
            if kind in evidence:
                raise MalformedInput(f"the evidence of {kind.value} stands twice", location=place)
            evidence[kind] = read.evidence
    if header is not None:
        yield StoredObservation(header.observation, line, evidence)


def _read(data: bytes, place: Location, *, begins: bool) -> ObservationHeader | EvidenceLine:
    decoder: Any = _HEADER if begins or is_imported(data) else _EVIDENCE
    try:
        read: ObservationHeader | EvidenceLine = decoder.decode(data)
    except (msgspec.DecodeError, RecursionError) as error:
        message, _, path = str(error).partition(" - at `$")
        pointer = pointer_of(path.rstrip("`")) or None
        at = Location(place.file, pointer, place.line)
        raise MalformedInput(message[:1].lower() + message[1:], location=at) from error
    if _ENCODER.encode(read) != data[:-1]:
        try:
            parse_json(data, place.file or "")  # which refuses a key that stands twice
        except MalformedInput as error:
            raise MalformedInput(error.message, location=place) from error
    return read


def judge_stored(stream: BinaryIO, name: str) -> Iterator[JudgedObservation | Finding]:
    """Judge every imported trace of a file; a finding at the end says what kept it from being read.

    A trace whose evidence is not what its observation shows fails.
    """
    history = History()
    try:
        for stored in read_stored(stream, name):
            judged = judge_observation(stored.observation, history, name)
            if stored.evidence != judged.evidence:
                finding = _changed(stored, judged, name)
                judged = msgspec.structs.replace(judged, findings=(*judged.findings, finding))
            yield judged
    except MalformedInput as error:
        place = error.location or Location(name)
        yield Finding(
            "observed.malformed", Level.ERROR, error.message, place, error.expected, error.actual
        )


def _changed(stored: StoredObservation, judged: JudgedObservation, name: str) -> Finding:
    kinds = [kind for kind in EventKind if stored.evidence.get(kind) != judged.evidence.get(kind)]
    return Finding(
        "observed.evidence.differs",
        Level.ERROR,
        f"{stored.observation.id}: the evidence is not what the observation shows",
        Location(name, line=stored.line),
        expected="the evidence that import writes",
        actual=", ".join(kind.value for kind in kinds),
    )


class Tally:
    """What comes together over the observations of a file."""

    def __init__(self) -> None:
        self.observations = 0
        self.contradicted = 0
        self.findings: list[Finding] = []
        self.malformed = False
        self.decided: dict[str, dict[str, int]] = {}

    def add(self, judged: JudgedObservation | Finding) -> None:
        """Count one more."""
        if isinstance(judged, Finding):
            self.malformed = True
            self.findings.append(judged)
            return
        self.observations += 1
        self.contradicted += judged.verdict is Verdict.FAIL
        self.findings += judged.findings
        for name, value in judged.decided.items():
            seen = self.decided.setdefault(name, {"true": 0, "false": 0})
            seen["true" if value else "false"] += 1

    @property
    def verdict(self) -> Verdict:
        """The worst; without any observation, incomplete."""
        if self.contradicted:
            return Verdict.FAIL
        if self.malformed:
            return Verdict.MALFORMED
        return Verdict.NOT_OBSERVED if self.observations else Verdict.INCOMPLETE

    def result(self, name: str) -> CheckResult:
        """The verdict on the file as a check's result."""
        never = [one for one in BOOLEAN_NAMES if one not in self.decided]
        counts = {
            "observations": self.observations,
            "contradicted": self.contradicted,
            "booleans": len(BOOLEAN_NAMES),
            "never_observed": len(never),
        }
        details = {"decided": self.decided, "neverObserved": never}
        return CheckResult(name, self.verdict, counts, tuple(self.findings), details=details)
