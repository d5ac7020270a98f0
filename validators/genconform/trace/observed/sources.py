"""Recordings on disk: an imported trace, or a log as an engine wrote it."""

from __future__ import annotations

from io import BufferedReader
from pathlib import Path

import msgspec

from genconform.document import unreadable
from genconform.finding import CheckResult, Finding, Verdict
from genconform.trace.adapters.registry import AUTO, adapters_named
from genconform.trace.observed.importing import Import
from genconform.trace.observed.judge import JudgedObservation
from genconform.trace.observed.model import Observation, Recording
from genconform.trace.observed.stored import Tally, is_imported, judge_stored, read_stored

_PEEKED = 200


def holds_imported(stream: BufferedReader) -> bool:
    """Whether a stream begins as an imported trace; nothing of it is consumed."""
    return is_imported(stream.peek(_PEEKED)[:_PEEKED])


def check_imported(stream: BufferedReader, name: str) -> CheckResult:
    """Judge a file of imported traces, holding one at a time."""
    tally = Tally()
    for judged in judge_stored(stream, name):
        tally.add(judged)
    return tally.result(name)


def judged_of(path: Path) -> tuple[list[JudgedObservation], list[Finding]]:
    """All observations of a file of imported traces, and what kept it from being read.

    Raises:
        UsageError: the file cannot be read.
    """
    with open_source(path) as stream:
        found = list(judge_stored(stream, path.as_posix()))
    observations = [one for one in found if isinstance(one, JudgedObservation)]
    return observations, [one for one in found if isinstance(one, Finding)]


def open_source(path: Path) -> BufferedReader:
    """Open a file to read.

    Raises:
        UsageError: it cannot be read.
    """
    try:
        return path.open("rb")
    except OSError as error:
        raise unreadable(path.as_posix(), error) from error


def recording(path: Path, source: str, declared: dict[str, str]) -> tuple[Recording, CheckResult]:
    """The observations of a file of either kind, and whether all of it could be read.

    Raises:
        UsageError: the file cannot be read, or there is no such adapter.
        MalformedInput: a line of an imported trace breaks its format.
    """
    name = path.as_posix()
    with open_source(path) as stream:
        if holds_imported(stream):
            stored = tuple(
                _declared(one.observation, declared) for one in read_stored(stream, name)
            )
            return Recording(name, stored), CheckResult(name, Verdict.PASS, {})
        imported = Import(adapters_named(source or AUTO), public=True, declared=declared)
        observations = tuple(imported.read(stream, name))
        return Recording(name, observations), imported.result(name)


def _declared(seen: Observation, declared: dict[str, str]) -> Observation:
    return msgspec.structs.replace(seen, declared=seen.declared | declared)
