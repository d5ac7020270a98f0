"""What people would pick instead of the engines here, written from the same table.

Each is the table as that tool's users would write it by hand: an if-chain over dicts, a Rego
policy, a CASE over columns. The benchmark asserts that all give the same routes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from genconform.lifecycle.packet import BOOLEAN_NAMES, IDENTITY_NAMES
from genconform.spec.table import Line, Table


def if_chain(table: Table) -> Callable[[dict[str, Any]], str]:
    """A Python function from {"state", "event"} as plain dicts to the route."""
    source = "\n".join(_if_chain(table))
    names: dict[str, Any] = {"KINDS": {row.name: row.event for row in table.stages}}
    exec(compile(source, "<if-chain>", "exec"), names)
    route: Callable[[dict[str, Any]], str] = names["route"]
    return route


def _if_chain(table: Table) -> Iterator[str]:
    facts = _facts(table, "packet[{0!r}] == identity[{0!r}]", " and ") | {
        "kindMatches": "event['kind'] == KINDS[stage]",
        "digestFresh": "packet['eventDigest'] not in state['consumedEventDigests']",
        "fallbackActivated": "state['counters']['fallbacks'] > 0",
    }
    yield "def route(case):"
    yield "    state, event = case['state'], case['event']"
    yield "    stage, identity, packet = state['stage'], state['identity'], event['packet']"
    for line in table.common_lines:
        yield f"    if {_python(line, facts)}: return {line.route!r}"
    for stage, lines in table.stage_lines.items():
        yield f"    if stage == {stage!r}:"
        for line in lines:
            yield f"        if {_python(line, facts)}: return {line.route!r}"


def _python(line: Line, facts: dict[str, str]) -> str:
    def holds(values: dict[str, bool]) -> str:
        asked = [(wanted, facts.get(name, f"packet[{name!r}]")) for name, wanted in values.items()]
        parts = (f"({said})" if wanted else f"not ({said})" for wanted, said in asked)
        return " and ".join(parts) or "True"

    return f"{holds(line.when)} and not ({holds(line.unless)})" if line.unless else holds(line.when)


def rego(table: Table) -> str:
    """A Rego policy whose rule `data.lifecycle.route` is the route of the input."""
    return "\n".join(_rego(table))


def _rego(table: Table) -> Iterator[str]:
    facts = {fact.name for fact in table.facts}
    yield "package lifecycle\nimport rego.v1"
    yield "state := input.state\npacket := input.event.packet"
    for row in table.stages:
        yield f'kind_of["{row.name}"] := "{row.event}"'
    yield "default kindMatches := false\nkindMatches if input.event.kind == kind_of[state.stage]"
    yield "default digestFresh := true"
    yield "digestFresh := false if packet.eventDigest in state.consumedEventDigests"
    yield "default fallbackActivated := false\nfallbackActivated if state.counters.fallbacks > 0"
    for name, same in _facts(table, "packet.{0} == state.identity.{0}", "; ").items():
        yield f"default {name} := false\n{name} if {{ {same} }}"

    def holds(values: dict[str, bool]) -> str:
        asked = (
            f"{name if name in facts else f'packet.{name}'} == {str(wanted).lower()}"
            for name, wanted in values.items()
        )
        return "; ".join(asked) or "true"

    for line in (line for own in table.stage_lines.values() for line in own if line.unless):
        helper = f"held_{line.route}"
        yield f"default {helper} := false\n{helper} if {{ {holds(line.unless)} }}"
    head = "route :="
    for stage, lines in [("", table.common_lines), *table.stage_lines.items()]:
        for line in lines:
            at = f'state.stage == "{stage}"; ' if stage else ""
            unless = f"; not held_{line.route}" if line.unless else ""
            yield f'{head} "{line.route}" if {{ {at}{holds(line.when)}{unless} }}'
            head = "else :="


def sql_case(table: Table) -> str:
    """A CASE expression over the columns of `columns`."""
    kinds = " ".join(f"WHEN '{row.name}' THEN '{row.event}'" for row in table.stages)
    facts = _facts(table, '"packet.{0}" = "identity.{0}"', " AND ") | {
        "kindMatches": f"kind = CASE stage {kinds} END",
        "digestFresh": 'NOT list_contains(consumed, "packet.eventDigest")',
        "fallbackActivated": "fallbacks > 0",
    }

    def holds(values: dict[str, bool]) -> str:
        asked = [(wanted, facts.get(name, f'"{name}"')) for name, wanted in values.items()]
        parts = (f"({said})" if wanted else f"NOT ({said})" for wanted, said in asked)
        return " AND ".join(parts) or "TRUE"

    def when(stage: str, line: Line) -> str:
        at = f"stage = '{stage}' AND " if stage else ""
        unless = f" AND NOT ({holds(line.unless)})" if line.unless else ""
        return f"WHEN {at}{holds(line.when)}{unless} THEN '{line.route}'"

    lines = [
        when(stage, line)
        for stage, own in [("", table.common_lines), *table.stage_lines.items()]
        for line in own
    ]
    return "CASE " + "\n".join(lines) + " END"


def columns(cases: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """Cases as columns, for `sql_case`."""
    packets = [case["event"]["packet"] for case in cases]
    states = [case["state"] for case in cases]
    return {
        "stage": [state["stage"] for state in states],
        "kind": [case["event"]["kind"] for case in cases],
        "consumed": [state["consumedEventDigests"] for state in states],
        "fallbacks": [state["counters"]["fallbacks"] for state in states],
        **{
            f"packet.{name}": [packet[name] for packet in packets]
            for name in (*IDENTITY_NAMES, "eventDigest")
        },
        **{
            f"identity.{name}": [state["identity"][name] for state in states]
            for name in IDENTITY_NAMES
        },
        **{name: [packet[name] for packet in packets] for name in BOOLEAN_NAMES},
    }


def _facts(table: Table, same: str, joined: str) -> dict[str, str]:
    """The facts that compare identity values, with `same` said of each value."""
    return {
        fact.name: joined.join(same.format(name) for name in fact.compares)
        for fact in table.facts
        if fact.compares
    }
