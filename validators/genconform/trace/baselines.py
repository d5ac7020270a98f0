"""What runs that are judged together tell of one another: a baseline came out as its own run says.

Each run tells what came of the baseline that it is compared with. Where that baseline's own trace
is at hand too, this need not be believed. It may be of another time than the one that was measured
beside the run, so the seconds may differ; output, tokens and verdict of greedy decoding may not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import UNSET, Struct

from genconform.finding import CheckResult, Finding, Level, Location, Verdict, verdict_of
from genconform.lifecycle.packet import EventKind
from genconform.trace.format import BaselineResult
from genconform.trace.judge import JudgedRun

CHECK = "baselines"
RULE = "trace.baseline.contradicted"


class _Baseline(Struct, frozen=True, gc=False):
    """A baseline as one run tells of it: its document by digest, and what came of it each time."""

    digest: str
    result: BaselineResult


class _Told(Struct, frozen=True, gc=False):
    """What a run of another mode says of its baseline, and where it does."""

    run_id: str
    file: str
    line: int
    of: _Baseline


class Baselines:
    """The baselines of the runs that were added so far."""

    def __init__(self) -> None:
        self._own: dict[str, set[_Baseline]] = {}
        self._told: list[_Told] = []

    def add(self, run: JudgedRun, file: str) -> None:
        """Take note of a run of a file. One that does not conform decides nothing."""
        if run.verdict is not Verdict.PASS:
            return
        result = msgspec.structs.replace(run.shown.account.baseline_result, seconds=UNSET)
        baseline = _Baseline(run.header.identity.baseline_digest, result)
        if run.shown.autoregressive:
            self._own.setdefault(run.header.run.id, set()).add(baseline)
        else:
            account = list(EventKind).index(EventKind.ACCOUNT_OUTCOME)
            line = run.events[account].line
            self._told.append(_Told(run.header.run.id, file, line, baseline))

    def check(self) -> CheckResult | None:
        """Compare what is told with the baselines' own runs; None where none of them is at hand."""
        told = [one for one in self._told if one.of.result.run_id in self._own]
        if not told:
            return None
        findings = tuple(finding for one in told for finding in self._contradictions(one))
        contradicted = sum(any(self._contradictions(one)) for one in told)
        counts = {"compared": len(told), "contradicted": contradicted}
        return CheckResult(CHECK, verdict_of(findings, len(told)), counts, findings)

    def _contradictions(self, told: _Told) -> Iterator[Finding]:
        """How it differs from the baseline's own run; where that has several, from each of them."""
        own = self._own[str(told.of.result.run_id)]
        if told.of in own:
            return
        nearest = min(own, key=lambda one: (len(_differing(told.of, one)), repr(one)))
        for pointer, (said, is_so) in _differing(told.of, nearest).items():
            yield Finding(
                RULE,
                Level.ERROR,
                f"{told.run_id} tells of its baseline what the baseline's own run does not",
                Location(told.file, pointer, told.line),
                expected=is_so,
                actual=said,
            )


def _differing(told: _Baseline, own: _Baseline) -> dict[str, tuple[Any, Any]]:
    """By pointer what is told and what is so, for each value in which the two differ."""
    pairs = {"/identity/baselineDigest": (told.digest, own.digest)}
    is_so = msgspec.to_builtins(own.result)
    for name, said in msgspec.to_builtins(told.result).items():
        pairs[f"/evidence/baselineResult/{name}"] = (said, is_so[name])
    return {pointer: pair for pointer, pair in pairs.items() if pair[0] != pair[1]}
