"""Operators: each makes one small change to the lifecycle, everywhere that it can be made.

An operator is a pure function from a table to its mutants. It makes no mutant that the loader of
tables would refuse for its form (a stage without a terminal line), as no such table can be used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from genconform.mutation.variant import FAITHFUL, Recall, Semantics, Variant
from genconform.spec.table import Effects, Line, Table

_T = TypeVar("_T")


class Mutant(Struct, frozen=True):
    """A lifecycle with one fault.

    `stage` is "" where the fault shows at every stage, and `line` the place of the changed line
    among that stage's own, or among the common ones; None where no line is changed. `pointer` is
    the place of the fault in spec/lifecycle.yaml.
    """

    id: str
    operator: str
    stage: str
    line: int | None
    pointer: str
    description: str
    table: Table
    semantics: Semantics = FAITHFUL

    @property
    def variant(self) -> Variant:
        """The lifecycle, ready to run."""
        return Variant(self.table, self.semantics)


def mutants(table: Table) -> Iterator[Mutant]:
    """Every mutant of every operator, in a fixed order."""
    for operator in OPERATORS.values():
        yield from operator(table)


def drop(table: Table) -> Iterator[Mutant]:
    """A line is not asked."""
    for place in _conditional(table):
        rest = (*place.lines[: place.index], *place.lines[place.index + 1 :])
        yield place.mutant("drop", "", "the line is not asked", rest)


def negate(table: Table) -> Iterator[Mutant]:
    """One condition of a line asks for the opposite."""
    for place in _conditional(table):
        for name, wanted in place.line.when.items():
            changed = replace(place.line, when=place.line.when | {name: not wanted})
            yield place.replaced("negate", name, f"asks for {name}: {_word(not wanted)}", changed)
        for name, wanted in place.line.unless.items():
            changed = replace(place.line, unless=place.line.unless | {name: not wanted})
            text = f"is held back by {name}: {_word(not wanted)}"
            yield place.replaced("negate", name, text, changed)


def swap(table: Table) -> Iterator[Mutant]:
    """Two lines of one list change places, so that another is the first unmet one."""
    for first, second in combinations(_conditional(table), 2):
        if first.stage == second.stage:
            lines = list(first.lines)
            lines[first.index], lines[second.index] = second.line, first.line
            text = f"changes places with {second.line.route}"
            yield first.mutant("swap", second.line.route, text, tuple(lines))


def redirect(table: Table) -> Iterator[Mutant]:
    """A line gives the route of the next line of its kind, rejecting or accepting."""
    accepting = table.accepting()
    routes = table.routes()
    for place in _places(table):
        alike = [route for route in routes if (route in accepting) == place.line.accepts]
        other = alike[(alike.index(place.line.route) + 1) % len(alike)]
        changed = replace(place.line, route=other)
        yield place.replaced("redirect", other, f"gives the route {other}", changed)


def accept(table: Table) -> Iterator[Mutant]:
    """A rejecting line lets the request move on."""
    for place in _places(table):
        if not place.line.accepts:
            changed = replace(place.line, accepts=True)
            yield place.replaced("accept", "", "moves the request on", changed)


def reject(table: Table) -> Iterator[Mutant]:
    """An accepting line leaves the request where it is."""
    for place in _places(table):
        if place.line.accepts:
            changed = replace(place.line, accepts=False)
            yield place.replaced("reject", "", "leaves the request where it is", changed)


def weaken(table: Table) -> Iterator[Mutant]:
    """One condition of a line is forgotten."""
    for place in _conditional(table):
        for name in place.line.when:
            changed = replace(place.line, when=_without(place.line.when, name))
            changed = replace(changed, otherwise=not changed.names)
            yield place.replaced("weaken", name, f"does not ask for {name}", changed)
        for name in place.line.unless:
            changed = replace(place.line, unless=_without(place.line.unless, name))
            yield place.replaced("weaken", name, f"is held back without {name}", changed)


def skip(table: Table) -> Iterator[Mutant]:
    """A stage is left for another than the next: stages are skipped, repeated or done again."""
    for index, row in enumerate(table.stages):
        for other in table.stages:
            if other.name != row.next:
                rows = _replaced(table.stages, index, replace(row, next=other.name))
                yield Mutant(
                    f"skip:{row.name}:{other.name}",
                    "skip",
                    row.name,
                    None,
                    f"/stages/{index}",
                    f"{row.name} is left for {other.name}, not for {row.next}",
                    replace(table, stages=rows),
                )


def mistake(table: Table) -> Iterator[Mutant]:
    """A stage takes the kind of event that belongs to the stage after it."""
    kinds = list(dict.fromkeys(row.event for row in table.stages))
    for index, row in enumerate(table.stages):
        other = kinds[(kinds.index(row.event) + 1) % len(kinds)]
        rows = _replaced(table.stages, index, replace(row, event=other))
        yield Mutant(
            f"mistake:{row.name}:{other}",
            "mistake",
            row.name,
            None,
            f"/stages/{index}",
            f"{row.name} is left by {other}, not by {row.event}",
            replace(table, stages=rows),
        )


def forget(table: Table) -> Iterator[Mutant]:
    """A counter is not added to where it should be."""
    for effect in _effects(table):
        entry = "/".join(filter(None, (effect.section, effect.key)))
        for name in effect.names:
            yield Mutant(
                f"forget:{effect.key or effect.section}:{name}",
                "forget",
                _stage_of(table, effect),
                None,
                f"/effects/{entry}",
                f"{entry}: {name} is not added to",
                replace(table, effects=effect.without(name)),
            )


def miscount(table: Table) -> Iterator[Mutant]:
    """Leaving a stage adds one more to a counter: twice, or where it should not be added to."""
    for index, row in enumerate(table.stages):
        if row.next == row.name:
            continue
        before = table.effects.leaving.get(row.name, ())
        pointer = f"/effects/leaving/{row.name}" if before else f"/stages/{index}"
        for counter in table.counters:
            leaving = table.effects.leaving | {row.name: (*before, counter.name)}
            yield Mutant(
                f"miscount:{row.name}:{counter.name}",
                "miscount",
                row.name,
                None,
                pointer,
                f"leaving {row.name} adds one more to {counter.name}",
                replace(table, effects=replace(table.effects, leaving=leaving)),
            )


def substitute(table: Table) -> Iterator[Mutant]:
    """One identity value is not compared, so that another may be put in its place."""
    for index, fact in enumerate(table.facts):
        for name in fact.compares:
            rest = tuple(other for other in fact.compares if other != name)
            facts = _replaced(table.facts, index, replace(fact, compares=rest))
            yield Mutant(
                f"substitute:{name}",
                "substitute",
                "",
                None,
                f"/facts/{index}",
                f"{fact.name} does not compare {name}",
                replace(table, facts=facts),
            )


def remember(table: Table) -> Iterator[Mutant]:
    """The memory of what was consumed and counted is wrong, which no table says."""
    index = [fact.name for fact in table.facts].index("digestFresh")
    faults = [
        ("last", Semantics(recall=Recall.LAST), "only the last consumed digest is recalled"),
        ("none", Semantics(recall=Recall.NONE), "no consumed digest is recalled"),
        (
            "rejected",
            Semantics(consumes_rejected=True),
            "a rejected event's digest is consumed as well",
        ),
        ("counted", Semantics(counts_rejected=True), "a rejected event is counted as well"),
        *(
            (row.name, Semantics(unconsumed=row.name), f"leaving {row.name} consumes no digest")
            for row in table.stages
            if row.next != row.name
        ),
    ]
    for name, semantics, text in faults:
        pointer = f"/facts/{index}" if name != "counted" else "/effects/everyAcceptance"
        yield Mutant(f"remember:{name}", "remember", "", None, pointer, text, table, semantics)


OPERATORS: dict[str, Callable[[Table], Iterator[Mutant]]] = {
    operator.__name__: operator
    for operator in (
        drop,
        negate,
        swap,
        redirect,
        accept,
        reject,
        weaken,
        skip,
        mistake,
        forget,
        miscount,
        substitute,
        remember,
    )
}


class _Place(Struct, frozen=True):
    """A line where it stands. The common lines have the stage ""."""

    table: Table
    stage: str
    index: int

    @property
    def lines(self) -> tuple[Line, ...]:
        return self.table.stage_lines[self.stage] if self.stage else self.table.common_lines

    @property
    def line(self) -> Line:
        return self.lines[self.index]

    def replaced(self, operator: str, detail: str, text: str, line: Line) -> Mutant:
        """The mutant in which another line stands here."""
        return self.mutant(operator, detail, text, _replaced(self.lines, self.index, line))

    def mutant(self, operator: str, detail: str, text: str, lines: tuple[Line, ...]) -> Mutant:
        """The mutant in which the list that this line stands in is `lines`."""
        stage, table = self.stage, self.table
        where = stage or "common"
        return Mutant(
            ":".join(filter(None, (operator, where, self.line.route, detail))),
            operator,
            stage,
            self.index,
            f"/stageLines/{stage}/{self.index}" if stage else f"/commonLines/{self.index}",
            f"{where}, {self.line.route}: {text}",
            replace(table, stage_lines=table.stage_lines | {stage: lines})
            if stage
            else replace(table, common_lines=lines),
        )


def _places(table: Table) -> Iterator[_Place]:
    for index in range(len(table.common_lines)):
        yield _Place(table, "", index)
    for stage, lines in table.stage_lines.items():
        for index in range(len(lines)):
            yield _Place(table, stage, index)


def _conditional(table: Table) -> Iterator[_Place]:
    return (place for place in _places(table) if not place.line.otherwise)


class _Effect(Struct, frozen=True):
    """The counters that one entry of the effects adds to, in a section or under no key."""

    effects: Effects
    section: str
    key: str
    names: tuple[str, ...]

    def without(self, name: str) -> Effects:
        """The effects in which this entry does not name a counter."""
        rest = tuple(other for other in self.names if other != name)
        if not self.key:
            return replace(self.effects, every_acceptance=rest)
        entries = getattr(self.effects, self.section)
        return replace(self.effects, **{self.section: entries | {self.key: rest}})


def _effects(table: Table) -> Iterator[_Effect]:
    effects = table.effects
    yield _Effect(effects, "everyAcceptance", "", effects.every_acceptance)
    for stage, names in effects.leaving.items():
        yield _Effect(effects, "leaving", stage, names)
    for route, names in effects.route.items():
        yield _Effect(effects, "route", route, names)


def _stage_of(table: Table, effect: _Effect) -> str:
    """The one stage that an effect shows at, or ""."""
    if effect.section != "route":
        return effect.key
    return next(
        stage
        for stage, lines in table.stage_lines.items()
        if any(line.route == effect.key for line in lines)
    )


def _replaced(items: tuple[_T, ...], index: int, item: _T) -> tuple[_T, ...]:
    return (*items[:index], item, *items[index + 1 :])


def _without(values: dict[str, bool], name: str) -> dict[str, bool]:
    return {other: wanted for other, wanted in values.items() if other != name}


def _word(value: bool) -> str:
    return "true" if value else "false"
