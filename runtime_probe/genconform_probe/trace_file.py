"""Writes one trace: a header line, then an event a line, each on disk before the run goes on.

A run that is killed leaves whole lines up to where it came, which a judge reads as incomplete.
"""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self

from genconform.digest.canonical import canonical_bytes
from genconform.errors import UsageError
from genconform.finding import Location
from genconform.lifecycle.packet import EventKind
from genconform.trace.format import Evidence, Header, event_digest


class TraceFile:
    """An open trace.

    Raises:
        UsageError: the file exists already or cannot be created.
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
        self._file.write(canonical_bytes(line) + b"\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._file.close()
