"""Writes one trace: a header line, then an event a line, each written out before the run goes on.

A run that is killed leaves whole lines up to where it came, which a judge reads as incomplete.
"""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self

from genconform.digest.canonical import canonical_bytes
from genconform.errors import GenconformError, UsageError
from genconform.finding import Location
from genconform.lifecycle.packet import EventKind
from genconform.trace.format import Evidence, Header, event_digest


class TraceCut(GenconformError):
    """A trace could be begun, but not written to its end: it is incomplete, and so is the run."""

    exit_code = 4


class TraceFile:
    """An open trace.

    Raises:
        UsageError: the file exists already or cannot be created.
        TraceCut: no more could be written, such as on a full disk.
    """

    def __init__(self, path: Path, header: Header) -> None:
        self.path = path
        self._header = header
        self._seq = 0
        try:
            self._file = path.open("xb", buffering=0)
        except OSError as error:
            raise UsageError(
                "the trace cannot be written",
                location=Location(file=str(path)),
                actual=error.strerror or str(error),
                remedy="Name a writable folder that holds no earlier traces.",
            ) from error
        self._write(header)

    def event(self, kind: EventKind, evidence: Evidence) -> None:
        """Append an event, digested with the run that it belongs to."""
        run_id, identity = self._header.run.id, self._header.identity
        line = {
            "seq": self._seq,
            "kind": kind,
            "identity": identity,
            "evidence": evidence,
            "eventDigest": event_digest(run_id, kind, identity, evidence),
        }
        self._write(line)
        self._seq += 1

    def _write(self, line: Header | dict[str, object]) -> None:
        rest = memoryview(canonical_bytes(line) + b"\n")
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            raise TraceCut(
                "the trace could not be written to its end",
                location=Location(file=str(self.path)),
                actual=error.strerror or str(error),
                remedy="What was written stays readable. Make room and run again.",
            ) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._file.close()
