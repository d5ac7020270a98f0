"""The verdict on a recorded run: its evidence, replayed through the lifecycle.

A pure function of what was read. A run passes only if every event was accepted, the request is
closed and nothing was found beside. A rejected event fails it, and the events after are not asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

import msgspec
from msgspec import UNSET, Struct

from genconform.finding import Finding, Level, Location, Verdict, combine
from genconform.lifecycle import machine
from genconform.lifecycle.machine import ACCEPTING, Route
from genconform.lifecycle.packet import (
    IDENTITY_NAMES,
    Counters,
    Event,
    EventKind,
    Stage,
    State,
)
from genconform.trace.derive import DERIVATIONS, Derived, derive
from genconform.trace.format import EVENTS, Header, TraceEvent
from genconform.trace.obligations import OBLIGATIONS
from genconform.trace.reading import PlacedEvent, RecordedRun, TraceFault, read_runs
from genconform.trace.shown import Shown, Unmet, qualified

_MOST_ITEMS_SHOWN = 16
_OBLIGATIONS = {kind: [owed for owed in OBLIGATIONS if kind in owed.kinds] for kind in EventKind}
_SUBSTITUTIONS = {
    Route.REJECT_TASK_SUBSTITUTION: IDENTITY_NAMES[0:5],
    Route.REJECT_MODE_SUBSTITUTION: IDENTITY_NAMES[5:7],
    Route.REJECT_EVALUATOR_SUBSTITUTION: IDENTITY_NAMES[7:8],
    Route.REJECT_RESULT_SUBSTITUTION: IDENTITY_NAMES[8:10],
}


class JudgedEvent(Struct, frozen=True, gc=False):
    """An event, the route that it took and what was found about it."""

    line: int
    event: TraceEvent
    route: Route
    derived: Derived
    findings: tuple[Finding, ...]

    @property
    def accepted(self) -> bool:
        """Whether the event moved the request on."""
        return self.route in ACCEPTING


class JudgedRun(Struct, frozen=True, gc=False):
    """A run's verdict, and all that it follows from.

    `events` ends with the first that was rejected; `shown` and `state` are as after that.
    """

    header: Header
    line: int
    verdict: Verdict
    events: tuple[JudgedEvent, ...]
    findings: tuple[Finding, ...]
    shown: Shown
    state: State


class JudgedFile(Struct, frozen=True):
    """The verdicts on the runs of a file, and on the file itself: the worst counts.

    `fault` is what kept the file from being read to its end.
    """

    name: str
    verdict: Verdict
    runs: tuple[JudgedRun, ...]
    fault: Finding | None = None

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything that was found, in the order of the lines."""
        found = tuple(finding for run in self.runs for finding in run.findings)
        return found if self.fault is None else (*found, self.fault)


def judge_file(stream: BinaryIO, name: str) -> JudgedFile:
    """Judge every run of a file and keep all of them. `name` is how findings call it."""
    runs: list[JudgedRun] = []
    fault = None
    verdicts = set()
    try:
        runs.extend(judge_runs(stream, name))
    except TraceFault as error:
        fault = error.finding()
        verdicts.add(error.verdict)
    verdicts |= {run.verdict for run in runs}
    return JudgedFile(name, combine(verdicts), tuple(runs), fault)


def judge_runs(stream: BinaryIO, name: str) -> Iterator[JudgedRun]:
    """Judge the runs of a file one by one, as they are read.

    Raises:
        TraceFault: the file is no trace, or ends too early; after the runs before.
    """
    for run in read_runs(stream, name):
        yield judge_run(run, name)


def judge_run(run: RecordedRun, name: str) -> JudgedRun:
    """Replay one run through the lifecycle."""
    shown = Shown(run.header)
    state = State(Stage.REQUESTED, run.header.identity, (), _NOTHING_DONE)
    judged: list[JudgedEvent] = []
    for placed in run.events:
        shown = shown.with_event(placed.event, fell_back=state.counters.fallbacks > 0)
        event, state = _Judge(run, name, shown, state).judge(placed)
        judged.append(event)
        if not event.accepted:
            break
    findings = tuple(finding for event in judged for finding in event.findings)
    rejected = bool(judged) and not judged[-1].accepted
    closed = state.stage is Stage.CLOSED
    if rejected or findings:
        verdict = Verdict.FAIL
    else:
        verdict = Verdict.PASS if closed else Verdict.INCOMPLETE
    if not (rejected or closed):
        findings = (*findings, _missing_events(run, name))
    return JudgedRun(run.header, run.line, verdict, tuple(judged), findings, shown, state)


_NOTHING_DONE = Counters(*[0] * len(Counters.__struct_fields__))


def _missing_events(run: RecordedRun, name: str) -> Finding:
    missing = ", ".join(kind.value for kind in list(EventKind)[len(run.events) :])
    return Finding(
        "trace.incomplete.events",
        Level.ERROR,
        f"the run {run.header.run.id} ends before it is closed",
        Location(name, line=run.events[-1].line if run.events else run.line),
        expected=missing,
        actual=f"{len(run.events)} of {len(EVENTS)} events",
    )


class _Judge(Struct, frozen=True, gc=False):
    """Judges one event of a run in a state."""

    run: RecordedRun
    name: str
    shown: Shown
    state: State

    def judge(self, placed: PlacedEvent) -> tuple[JudgedEvent, State]:
        line, event = placed.line, placed.event
        derived = derive(self.shown)
        asked = Event(event.kind, derived.packet(event))
        after, route = machine.step(self.state, asked)
        findings: list[Finding] = []
        if route in ACCEPTING:
            if event.event_digest != placed.digest:
                findings.append(self._digest_mismatch(placed))
            for obligation in _OBLIGATIONS[event.kind]:
                findings += [
                    self._unmet(obligation.id, "", u) for u in obligation.unmet(self.shown)
                ]
        else:
            findings += self._rejections(line, asked, derived)
        if event.claims is not UNSET:
            findings += self._unsupported_claims(line, event.claims, derived)
        return JudgedEvent(line, event, route, derived, tuple(findings)), after

    def _digest_mismatch(self, placed: PlacedEvent) -> Finding:
        return Finding(
            "trace.event.digest-mismatch",
            Level.ERROR,
            "the event's digest is not that of its content",
            Location(self.name, "/eventDigest", placed.line),
            expected=placed.digest,
            actual=placed.event.event_digest,
        )

    def _unsupported_claims(
        self, line: int, claims: dict[str, bool], derived: Derived
    ) -> Iterator[Finding]:
        for name in sorted(claims):
            if claims[name] is not derived.value(name):
                yield Finding(
                    "trace.claim.unsupported",
                    Level.ERROR,
                    f"the evidence does not bear the claim about {name}",
                    Location(self.name, f"/claims/{name}", line),
                    expected=derived.value(name),
                    actual=claims[name],
                )

    def _rejections(self, line: int, event: Event, derived: Derived) -> Iterator[Finding]:
        """A finding for each thing that every rejecting line is short of, in their order."""
        for route in machine.unmet(self.state, event):
            if route is Route.REJECT_WRONG_STAGE:
                yield self._wrong_stage(line, event)
                return
            if route in _SUBSTITUTIONS:
                yield from self._substitutions(line, event, route)
            elif route is Route.REJECT_EVENT_REPLAY:
                yield self._replay(line, event)
            else:
                yield from self._not_shown(event.kind, route, derived)

    def _wrong_stage(self, line: int, event: Event) -> Finding:
        due = list(EventKind)[list(Stage).index(self.state.stage)]
        return Finding(
            f"route.{Route.REJECT_WRONG_STAGE.value}",
            Level.ERROR,
            f"no such event can leave the stage {self.state.stage.value}",
            Location(self.name, "/kind", line),
            expected=due.value,
            actual=event.kind.value,
        )

    def _substitutions(self, line: int, event: Event, route: Route) -> Iterator[Finding]:
        bound = msgspec.to_builtins(self.state.identity)
        carried = msgspec.to_builtins(event.packet)
        for name in _SUBSTITUTIONS[route]:
            if bound[name] != carried[name]:
                yield Finding(
                    f"route.{route.value}",
                    Level.ERROR,
                    f"the event is about another {name} than the run's header binds",
                    Location(self.name, f"/identity/{name}", line),
                    expected=bound[name],
                    actual=carried[name],
                )

    def _replay(self, line: int, event: Event) -> Finding:
        first = self.state.consumed_event_digests.index(event.packet.event_digest)
        return Finding(
            f"route.{Route.REJECT_EVENT_REPLAY.value}",
            Level.ERROR,
            f"the event's digest was consumed before, by line {self.run.events[first].line}",
            Location(self.name, "/eventDigest", line),
            expected="a digest that no earlier event of the run has",
            actual=event.packet.event_digest,
        )

    def _not_shown(self, kind: EventKind, route: Route, derived: Derived) -> Iterator[Finding]:
        for derivation in DERIVATIONS[kind]:
            if route in derivation.routes:
                how = "is presumed" if derivation.presumed else "is not shown"
                for unmet in derived.unmet.get(derivation.name, ()):
                    yield self._unmet(f"route.{route.value}", f"{derivation.name} {how}", unmet)

    def _unmet(self, rule: str, message: str, unmet: Unmet) -> Finding:
        kind, _, pointer = qualified(unmet.field, self.shown.now).partition("/")
        line = next((p.line for p in self.run.events if p.event.kind.value == kind), None)
        return Finding(
            rule,
            Level.ERROR,
            message or f"{kind}'s {pointer} is not as it must be",
            Location(self.name, f"/evidence/{pointer}", line),
            expected=unmet.expected,
            actual=_plain(unmet.actual),
        )


def _plain(value: object) -> Any:
    """A value as a report shows it: plain data, and long lists by their length."""
    if value is UNSET:
        return "nothing"
    plain = msgspec.to_builtins(value)
    if isinstance(plain, list | tuple) and len(plain) > _MOST_ITEMS_SHOWN:
        return f"{len(plain)} items"
    return plain
