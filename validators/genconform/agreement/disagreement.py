"""Says where engines disagree: the smallest case, every answer, and the lines that decided."""

from __future__ import annotations

import msgspec
from msgspec.structs import astuple

from genconform.agreement.engines import (
    ROUTE_DIFFERS,
    STATE_DIFFERS,
    UNMET_DIFFERS,
    Answer,
    Engines,
)
from genconform.agreement.runs import Stray
from genconform.agreement.whole import Disagreement
from genconform.document import Document
from genconform.finding import Finding, Level
from genconform.lifecycle.check import line_pointer
from genconform.lifecycle.packet import Case, Counters, State
from genconform.lifecycle.space import space_of
from genconform.spec.table import Table

_DIFFERING = {
    ROUTE_DIFFERS: "the route",
    STATE_DIFFERS: "the state after",
    UNMET_DIFFERS: "the list of unmet lines",
}
_COUNTER_NAMES = tuple(field.encode_name for field in msgspec.structs.fields(Counters))


def finding_of_space(engines: Engines, document: Document, found: Disagreement) -> Finding:
    """A disagreement on the whole space as a finding."""
    space = space_of(found.stage)
    case = space.case(found.smallest)
    message = (
        f"{_DIFFERING[found.rule]} differs in {found.cases:,} of the {space.size:,} cases of "
        f"{found.stage}; the smallest is number {found.smallest}, in which {_unusual(case)} "
        f"(`genconform lifecycle case {found.stage} {found.smallest}` prints it)"
    )
    return _finding(engines, document, found.rule, case, message)


def finding_of_runs(engines: Engines, document: Document, found: Stray) -> Finding:
    """A disagreement on random runs as a finding."""
    case = found.smallest
    message = (
        f"{_DIFFERING[found.rule]} differs in {found.steps:,} steps of random runs; the smallest "
        f"is at {case.state.stage} where {_unusual(case)}: {msgspec.json.encode(case).decode()}"
    )
    return _finding(engines, document, found.rule, case, message)


def _finding(engines: Engines, document: Document, rule: str, case: Case, message: str) -> Finding:
    table = engines.table.table
    answers = {
        engine: _shown(table, document, rule, case.state, answer)
        for engine, answer in engines.answers(case).items()
        if rule != UNMET_DIFFERS or answer.unmet is not None
    }
    route = engines.table.route(case.state, case.event)
    return Finding(
        rule,
        Level.ERROR,
        message,
        document.location(line_pointer(table, route, case.state.stage)),
        expected=f"{_DIFFERING[rule]} to be the same from " + ", ".join(answers),
        actual=answers,
    )


def _unusual(case: Case) -> str:
    """What is not as in the plain combination of the stage."""
    space = space_of(case.state.stage)
    plain, values = space.values(space.plain), space.values(space.index_of(case))
    unusual = [
        f"{name} is {str(value).lower()}" for name, value in values.items() if value != plain[name]
    ]
    return " and ".join(unusual) or "nothing is amiss"


def _shown(table: Table, document: Document, rule: str, before: State, answer: Answer) -> str:
    line = document.location(line_pointer(table, answer.route, before.stage)).line
    route = f"{answer.route} (line {line} of {document.name})"
    if rule == STATE_DIFFERS:
        return f"{route}, {_changes(before, answer.after)}"
    if rule == UNMET_DIFFERS:
        return ", ".join(answer.unmet or ()) or "nothing unmet"
    return route


def _changes(before: State, after: State) -> str:
    """What an event changed, in words; the order is that of the state's fields."""
    changes = [] if after.stage == before.stage else [f"to {after.stage}"]
    if after.identity != before.identity:
        changes.append("identity changed")
    if after.consumed_event_digests != before.consumed_event_digests:
        kept = after.consumed_event_digests[: len(before.consumed_event_digests)]
        more = len(after.consumed_event_digests) - len(before.consumed_event_digests)
        whole = kept == before.consumed_event_digests
        changes.append(f"digests {more:+d}" if whole else "digests replaced")
    for name, old, new in zip(
        _COUNTER_NAMES, astuple(before.counters), astuple(after.counters), strict=True
    ):
        if new != old:
            changes.append(f"{name} {new - old:+d}")
    return ", ".join(changes) or "nothing changed"
