"""Verdicts, findings and reports: what every check says, and how verdicts combine."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import force_setattr

from genconform import __version__


class Verdict(StrEnum):
    """What a check found. Only PASS is a pass."""

    PASS = "pass"
    FAIL = "fail"
    MALFORMED = "malformed"
    INCOMPLETE = "incomplete"
    UNSUPPORTED = "unsupported"
    NOT_OBSERVED = "not_observed"
    NOT_APPLICABLE = "not_applicable"
    SKIPPED = "skipped"

    @property
    def exit_code(self) -> int:
        """0 pass, 1 does not conform, 3 malformed input, 4 incomplete or unsupported."""
        return {Verdict.PASS: 0, Verdict.FAIL: 1, Verdict.MALFORMED: 3}.get(self, 4)


class Level(StrEnum):
    """How much a finding weighs: one ERROR fails its check, the others never do."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Location(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where a finding stands: a file relative to the tree, a JSON pointer, a line from 1."""

    file: str | None = None
    pointer: str | None = None
    line: int | None = None

    def __str__(self) -> str:
        place = self.file or "<input>"
        if self.line is not None:
            place += f":{self.line}"
        return place if self.pointer is None else f"{place} at {self.pointer or '/'}"


_NOWHERE = Location()


class Finding(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing that a rule of spec/rules.yaml found."""

    rule: str
    level: Level
    message: str
    location: Location = _NOWHERE
    expected: Any = None
    actual: Any = None

    def __post_init__(self) -> None:
        # A default is left out when it is written, but only if it is the very same object; one
        # that came from another process, or was made by a check, would be written.
        if self.location == _NOWHERE:
            force_setattr(self, "location", _NOWHERE)


class CheckResult(msgspec.Struct, frozen=True):
    """What one check found, and how much it looked at.

    `counts` holds numbers of things, never times: a report is the same bytes for the same input.
    `details` holds, in JSON only, what a program may want to read beyond the counts.
    """

    id: str
    verdict: Verdict
    counts: dict[str, int]
    findings: tuple[Finding, ...] = ()
    note: str = ""
    details: dict[str, Any] | UnsetType = UNSET


class Tool(msgspec.Struct, frozen=True):
    """The program that wrote a report."""

    name: str = "genconform"
    version: str = __version__


class Report(msgspec.Struct, frozen=True):
    """The whole answer of a command: one verdict over its checks."""

    verdict: Verdict
    checks: tuple[CheckResult, ...]
    tool: Tool = Tool()


def verdict_of(findings: Iterable[Finding], looked_at: int) -> Verdict:
    """FAIL on any error, INCOMPLETE when nothing was looked at, else PASS."""
    if any(finding.level is Level.ERROR for finding in findings):
        return Verdict.FAIL
    return Verdict.PASS if looked_at > 0 else Verdict.INCOMPLETE


def combine(verdicts: Iterable[Verdict], *, strict: bool = False) -> Verdict:
    """The verdict over many: the worst counts, and no pass at all is incomplete.

    Skipped parts were left out on purpose and weigh nothing, unless `strict`.
    """
    seen = set(verdicts)
    for worst in (Verdict.FAIL, Verdict.MALFORMED):
        if worst in seen:
            return worst
    neutral = {Verdict.PASS, Verdict.NOT_APPLICABLE} | (set() if strict else {Verdict.SKIPPED})
    if seen - neutral or Verdict.PASS not in seen:
        return Verdict.INCOMPLETE
    return Verdict.PASS


def held_to(result: CheckResult, lowest: Level) -> CheckResult:
    """The result when findings of this level and above fail a check, so that it can only get worse.

    ERROR is what checks hold themselves to.
    """
    order = list(Level)
    failing = order[: order.index(lowest) + 1]
    if result.verdict is Verdict.PASS and any(each.level in failing for each in result.findings):
        return msgspec.structs.replace(result, verdict=Verdict.FAIL)
    return result


def report_of(checks: Iterable[CheckResult], *, strict: bool = False) -> Report:
    """Gather check results, in the order given, under their combined verdict."""
    gathered = tuple(checks)
    return Report(combine((check.verdict for check in gathered), strict=strict), gathered)
