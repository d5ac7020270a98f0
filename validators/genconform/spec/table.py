"""The lifecycle table of spec/lifecycle.yaml, read and checked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec
from msgspec import Struct

from genconform.document import Document, decode, escape, read_document
from genconform.errors import MalformedInput
from genconform.tree import Tree

TABLE_PATH = "spec/lifecycle.yaml"


class Counts(Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """How many of each thing the table declares to have."""

    stages: int
    event_kinds: int
    routes: int
    rejecting: int
    accepting: int
    booleans: int


class StageRow(Struct, frozen=True, forbid_unknown_fields=True):
    """A stage, the one kind of event that can leave it, and the stage after it."""

    name: str
    event: str
    next: str


class IdentityValue(Struct, frozen=True, forbid_unknown_fields=True):
    """One of the values that say which request a state is about."""

    name: str
    type: str
    meaning: str


class Fact(Struct, frozen=True, forbid_unknown_fields=True):
    """Something that a line can ask about, computed from state and event."""

    name: str
    meaning: str
    compares: tuple[str, ...] = ()


class Field(Struct, frozen=True, forbid_unknown_fields=True):
    """One of the packet's booleans: the stages that read it, its meaning, its evidence."""

    name: str
    stages: tuple[str, ...]
    meaning: str
    evidence: str


class Counter(Struct, frozen=True, forbid_unknown_fields=True):
    """One of the numbers that a state keeps."""

    name: str
    meaning: str


class Effects(Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """Which counters an accepted event adds one to."""

    every_acceptance: tuple[str, ...]
    leaving: dict[str, tuple[str, ...]]
    route: dict[str, tuple[str, ...]]


class Line(Struct, frozen=True, forbid_unknown_fields=True):
    """One line: taken when all of `when` holds and not all of `unless` does.

    An empty `unless` never holds anything back. `otherwise` is a line without conditions.
    """

    route: str
    when: dict[str, bool] = {}
    unless: dict[str, bool] = {}
    otherwise: bool = False
    accepts: bool = False

    def taken(self, values: dict[str, bool]) -> bool:
        """Whether these values of fields and facts take the line."""
        return all(values[name] is wanted for name, wanted in self.when.items()) and not (
            self.unless and all(values[name] is wanted for name, wanted in self.unless.items())
        )

    def in_words(self, quote: str = "") -> str:
        """When the line is taken, in words, each name within quotes."""
        if self.otherwise:
            return "no line above is"
        taken = _in_words(self.when, quote)
        return f"{taken}, unless {_in_words(self.unless, quote)}" if self.unless else taken

    @property
    def names(self) -> tuple[str, ...]:
        """The fields and facts that the line asks about."""
        return (*self.when, *self.unless)


def _in_words(values: dict[str, bool], quote: str) -> str:
    return " and ".join(
        f"{quote}{name}{quote} is {str(wanted).lower()}" for name, wanted in values.items()
    )


class Table(Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """The whole lifecycle: vocabulary, ordered lines, effects."""

    version: Literal[1]
    counts: Counts
    stages: tuple[StageRow, ...]
    identity: tuple[IdentityValue, ...]
    facts: tuple[Fact, ...]
    fields: tuple[Field, ...]
    counters: tuple[Counter, ...]
    effects: Effects
    common_lines: tuple[Line, ...]
    stage_lines: dict[str, tuple[Line, ...]]

    def lines(self, stage: str) -> tuple[Line, ...]:
        """The lines that are asked at a stage, common ones first."""
        return self.common_lines + self.stage_lines[stage]

    def routes(self) -> tuple[str, ...]:
        """Every route once, in the order in which its line is first asked."""
        lines = [*self.common_lines, *(line for own in self.stage_lines.values() for line in own)]
        return tuple(dict.fromkeys(line.route for line in lines))

    def accepting(self) -> frozenset[str]:
        """The routes of the lines that accept."""
        return frozenset(
            line.route for own in self.stage_lines.values() for line in own if line.accepts
        )

    def row(self, stage: str) -> StageRow:
        """The row of a stage."""
        return next(row for row in self.stages if row.name == stage)

    def counters_added(self, stage: str, route: str) -> tuple[str, ...]:
        """The counters that accepting by this route at this stage adds one to."""
        return (
            *self.effects.every_acceptance,
            *self.effects.leaving.get(stage, ()),
            *self.effects.route.get(route, ()),
        )


def load_table(tree: Tree) -> Table:
    """Read and check the table of a tree.

    Raises:
        MalformedInput: the table is broken; the error names the line and the reason.
    """
    return parse_table(read_document(tree.path(TABLE_PATH), TABLE_PATH))


def parse_table(document: Document) -> Table:
    """Check a parsed document and give it as a table.

    Raises:
        MalformedInput: unknown field, route twice, missing terminal line, unreachable line, a name
            that is not declared, or a count that is not as declared.
    """
    _decode_stage_lines(document)
    table = decode(document, Table)
    for pointer, reason, expected, actual in _faults(table):
        raise MalformedInput(
            reason, location=document.location(pointer), expected=expected, actual=actual
        )
    return table


def _decode_stage_lines(document: Document) -> None:
    """Read the lines of each stage apart, for an error among them to name its line."""
    root = document.value
    stage_lines = root.get("stageLines") if isinstance(root, dict) else None
    if isinstance(stage_lines, dict):
        for stage, lines in stage_lines.items():
            decode(document, tuple[Line, ...], lines, f"/stageLines/{escape(stage)}")


_Fault = tuple[str, str, str | None, str | None]


def _faults(table: Table) -> Iterator[_Fault]:
    yield from _undeclared(table)
    yield from _duplicates(table)
    yield from _terminals(table)
    yield from _unreachable(table)
    yield from _readers(table)
    yield from _counts(table)


def _located_lines(table: Table) -> Iterator[tuple[str, str, Line]]:
    """Each line with its pointer and its stage; common lines have the stage ""."""
    for index, line in enumerate(table.common_lines):
        yield f"/commonLines/{index}", "", line
    for stage, lines in table.stage_lines.items():
        for index, line in enumerate(lines):
            yield f"/stageLines/{stage}/{index}", stage, line


def _undeclared(table: Table) -> Iterator[_Fault]:
    stages = [row.name for row in table.stages]
    for index, row in enumerate(table.stages):
        if row.next not in stages:
            yield f"/stages/{index}/next", f"no stage is named {row.next!r}", None, None
    if list(table.stage_lines) != stages:
        yield (
            "/stageLines",
            "not the declared stages",
            ", ".join(stages),
            ", ".join(table.stage_lines),
        )
    identity = {value.name for value in table.identity}
    for index, fact in enumerate(table.facts):
        for name in set(fact.compares) - identity:
            yield f"/facts/{index}/compares", f"no identity value is named {name!r}", None, None
    askable = {field.name for field in table.fields} | {fact.name for fact in table.facts}
    for pointer, _, line in _located_lines(table):
        for name in line.names:
            if name not in askable:
                yield pointer, f"unknown field {name!r}", "a name under fields or facts", None
    yield from _undeclared_effects(table)


def _undeclared_effects(table: Table) -> Iterator[_Fault]:
    counters = {counter.name for counter in table.counters}
    effects = table.effects
    named = {
        "/effects/everyAcceptance": effects.every_acceptance,
        **{f"/effects/leaving/{stage}": names for stage, names in effects.leaving.items()},
        **{f"/effects/route/{route}": names for route, names in effects.route.items()},
    }
    for pointer, names in named.items():
        for name in set(names) - counters:
            yield pointer, f"no counter is named {name!r}", None, None
    for stage in set(effects.leaving) - set(table.stage_lines):
        yield f"/effects/leaving/{stage}", f"no stage is named {stage!r}", None, None
    for route in set(effects.route) - table.accepting():
        yield f"/effects/route/{route}", f"no accepting route is named {route!r}", None, None


def _duplicates(table: Table) -> Iterator[_Fault]:
    for pointer, names in {
        "/stages": [row.name for row in table.stages],
        "/identity": [value.name for value in table.identity],
        "/fields": [field.name for field in table.fields],
        "/facts": [fact.name for fact in table.facts],
        "/counters": [counter.name for counter in table.counters],
    }.items():
        for index, name in enumerate(names):
            if name in names[:index]:
                yield f"{pointer}/{index}", f"{name!r} is declared twice", None, None
    seen: set[str] = set()
    common = {line.route for line in table.common_lines}
    for pointer, stage, line in _located_lines(table):
        repeats_at_the_end = line.otherwise and line.route in common and _final(table, stage)
        if line.route in seen and not repeats_at_the_end:
            yield pointer, f"the route {line.route!r} stands twice", "each route once", None
        seen.add(line.route)


def _final(table: Table, stage: str) -> bool:
    return bool(stage) and table.row(stage).next == stage


def _terminals(table: Table) -> Iterator[_Fault]:
    for stage, lines in table.stage_lines.items():
        if not lines or not lines[-1].otherwise:
            yield (
                f"/stageLines/{stage}",
                "the terminal line is missing",
                ("a last line that says `otherwise: true`"),
                None,
            )
    for pointer, _, line in _located_lines(table):
        if line.otherwise == bool(line.names):
            yield pointer, "a line has either conditions or `otherwise: true`", None, None
        if line.accepts and pointer.startswith("/commonLines"):
            yield pointer, "a common line cannot accept", None, None


def _unreachable(table: Table) -> Iterator[_Fault]:
    for stage, lines in table.stage_lines.items():
        for index, line in enumerate(lines):
            above = (*table.common_lines, *lines[:index])
            if not reachable(line, above):
                yield (
                    f"/stageLines/{stage}/{index}",
                    f"the line of {line.route!r} is unreachable",
                    "some packet that takes it and no line above it",
                    None,
                )


def reachable(line: Line, above: tuple[Line, ...]) -> bool:
    """Whether some values take the line and none of those above: a search with backtracking."""
    if not line.unless:
        return _escapes(line.when, above)
    ways = (line.when | {name: not wanted} for name, wanted in line.unless.items())
    return any(_consistent(line.when, way) and _escapes(way, above) for way in ways)


def _escapes(values: dict[str, bool], above: tuple[Line, ...]) -> bool:
    """Whether the values can be completed so that no line above is taken."""
    if not above:
        return True
    first, rest = above[0], above[1:]
    ways = [{name: not wanted} for name, wanted in first.when.items()]
    if first.unless:
        ways.append(first.unless)
    return any(_consistent(values, way) and _escapes(values | way, rest) for way in ways)


def _consistent(values: dict[str, bool], more: dict[str, bool]) -> bool:
    return all(values.get(name, wanted) is wanted for name, wanted in more.items())


def _readers(table: Table) -> Iterator[_Fault]:
    common = {name for line in table.common_lines for name in line.names}
    for index, field in enumerate(table.fields):
        readers = tuple(
            stage
            for stage, lines in table.stage_lines.items()
            if field.name in common or any(field.name in line.names for line in lines)
        )
        if field.stages != readers:
            yield (
                f"/fields/{index}/stages",
                f"not the stages that read {field.name}",
                (", ".join(readers) or "none"),
                ", ".join(field.stages),
            )


def _counts(table: Table) -> Iterator[_Fault]:
    routes, accepting = table.routes(), table.accepting()
    kinds = {row.event for row in table.stages}
    found = Counts(
        stages=len(table.stages),
        event_kinds=len(kinds),
        routes=len(routes),
        rejecting=len(routes) - len(accepting),
        accepting=len(accepting),
        booleans=len(table.fields),
    )
    for name, declared in msgspec.to_builtins(table.counts).items():
        counted = msgspec.to_builtins(found)[name]
        if declared != counted:
            message = f"the number of {name} is not as declared"
            yield f"/counts/{name}", message, str(declared), str(counted)
