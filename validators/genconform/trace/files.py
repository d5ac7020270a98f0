"""Trace files on disk: which ones a user means, and the verdict on each as a check's result."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import Any

from msgspec import Struct

from genconform.document import unreadable
from genconform.finding import CheckResult, Finding, Level, Location, Verdict, combine
from genconform.trace.baselines import Baselines
from genconform.trace.judge import JudgedFile, judge_file, judge_runs
from genconform.trace.observed.sources import check_imported, holds_imported
from genconform.trace.reading import TraceFault
from genconform.trace.timeline import listed, timeline

SUFFIX = ".jsonl"
_TIMELINES_AT_MOST = 32


class Found(Struct, frozen=True):
    """What stands at a path that a user named: the traces below it, sorted.

    A folder may hold none.
    """

    name: str
    traces: tuple[Path, ...]


def find(path: Path) -> Found:
    """A file is a trace whatever its name; a folder holds those that end in .jsonl.

    Raises:
        UsageError: the path does not exist, or it or a folder below it cannot be read.
    """
    try:
        is_folder = stat.S_ISDIR(path.stat().st_mode)
    except OSError as error:
        raise unreadable(path.as_posix(), error) from error
    return Found(path.as_posix(), tuple(sorted(_below(path))) if is_folder else (path,))


def _below(folder: Path) -> Iterator[Path]:
    def refuse(error: OSError) -> None:
        raise unreadable(Path(error.filename or folder).as_posix(), error)

    for parent, _, names in os.walk(folder, onerror=refuse):
        yield from (Path(parent, name) for name in names if name.endswith(SUFFIX))


def judge_path(path: Path) -> JudgedFile:
    """Judge a file, and keep all of its runs; its name in findings is the path as it was given.

    Raises:
        UsageError: it cannot be read.
    """
    with _opened(path) as stream:
        return judge_file(stream, path.as_posix())


def check_path(path: Path, baselines: Baselines | None = None) -> CheckResult:
    """The verdict on a file, with its runs and their routes as details. Holds one run at a time.

    The first runs have a timeline as well. A file of imported traces is judged as such. The runs
    are added to `baselines`, to be compared with those of other files.

    Raises:
        UsageError: it cannot be read.
    """
    runs: list[dict[str, Any]] = []
    findings: list[Finding] = []
    verdicts: list[Verdict] = []
    with _opened(path) as stream:
        if holds_imported(stream):
            return check_imported(stream, path.as_posix())
        try:
            for run in judge_runs(stream, path.as_posix()):
                told = {"timeline": timeline(run)} if len(runs) < _TIMELINES_AT_MOST else {}
                runs.append(listed(run) | told)
                findings += run.findings
                verdicts.append(run.verdict)
                if baselines is not None:
                    baselines.add(run, path.as_posix())
        except TraceFault as fault:
            findings.append(fault.finding())
            verdicts.append(fault.verdict)
    counts = {
        "runs": len(runs),
        "passed": verdicts.count(Verdict.PASS),
        "events": sum(len(run["routes"]) for run in runs),
    }
    details = {"runs": runs}
    name = path.as_posix()
    return CheckResult(name, combine(verdicts), counts, tuple(findings), details=details)


@contextmanager
def _opened(path: Path) -> Iterator[BufferedReader]:
    try:
        with path.open("rb") as stream:
            yield stream
    except OSError as error:
        raise unreadable(path.as_posix(), error) from error


def nothing_found(found: Found) -> CheckResult:
    """The result for a folder without a trace, which is never a pass."""
    finding = Finding(
        "trace.incomplete.empty",
        Level.ERROR,
        "the folder holds no traces",
        Location(found.name),
        expected=f"files that end in {SUFFIX}",
    )
    return CheckResult(found.name, Verdict.INCOMPLETE, {"runs": 0}, (finding,))
