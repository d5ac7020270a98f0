"""Topics of the lifecycle: stages, routes, fields, facts, identity values, counters, events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from genconform.errors import mid_sentence
from genconform.explain.sources import PlacedLine, Sources, mutation_example
from genconform.explain.topic import Example, Kind, Reference, Topic
from genconform.lifecycle.packet import EventKind
from genconform.mutation.author import Placed
from genconform.spec.rules import ROUTE_PREFIX
from genconform.spec.table import Field, Line, StageRow
from genconform.trace.derive import DERIVATIONS

_WITNESS = "$ genconform lifecycle witness {} | genconform lifecycle route --explain"
_OF_EVERY_ROUTE = ("FirstLineDecides", "EveryRouteReached")
_OF_ACCEPTING = ("AcceptedMovesOnce", "AcceptedIffAdmitted")
_OF_REJECTING = ("RejectedChangesNothing", "AcceptedIffAdmitted")


def topics(sources: Sources) -> Iterator[Topic]:
    """Every topic of the lifecycle, in the table's order."""
    table = sources.table
    for row in table.stages:
        yield _stage(sources, row)
    for placed in sources.lines.values():
        yield _route(sources, placed)
    for field in table.fields:
        yield _field(sources, field)
    yield from _facts(sources)
    yield from _identity(sources)
    yield from _counters(sources)
    for row in table.stages[:-1]:
        yield _event(sources, row)


# --- stages and events


def _stage(sources: Sources, row: StageRow) -> Topic:
    table = sources.table
    index = table.stages.index(row)
    before = [one for one in table.stages if one.next == row.name and one is not row]
    entered = [line.route for one in before for line in table.stage_lines[one.name] if line.accepts]
    if row.next == row.name:
        leaves = "Nothing leaves it."
    else:
        leaves = f"Only the event `{row.event}` leaves it, to `{row.next}`."
    rejecting = [line.route for line in table.stage_lines[row.name] if not line.accepts]
    own = f", then {_listed(rejecting)}" if rejecting else ""
    return Topic(
        Kind.STAGE,
        row.name,
        f"Stage {index + 1} of {len(table.stages)} of a request. {leaves}",
        f"A request comes here by {_listed(entered)}." if entered else "A request begins here.",
        (f"An event here is rejected, asked in this order, by the lines of every stage{own}.",),
        (
            Example(
                "A case at this stage, line by line:",
                f"$ genconform lifecycle case {row.name} 0 | genconform lifecycle route --explain",
            ),
        ),
        (
            *_references(Kind.EVENT, [] if row.next == row.name else [row.event]),
            *_references(Kind.ROUTE, [line.route for line in table.stage_lines[row.name]]),
            *sources.claims_about([row.name]),
        ),
        sources.at(f"/stages/{index}"),
    )


def _event(sources: Sources, row: StageRow) -> Topic:
    accepting = [line.route for line in sources.table.stage_lines[row.name] if line.accepts]
    return Topic(
        Kind.EVENT,
        row.event,
        f"The one kind of event that can leave `{row.name}`, to `{row.next}`. A run has one.",
        f"It is accepted by {_listed(accepting)}, where its evidence bears what its stage asks.",
        (f"At any other stage than `{row.name}` it takes `rejectWrongStage`.",),
        (
            Example(
                "What its evidence may hold:",
                f"spec/schemas/evidence-{row.event}.schema.json",
                "",
            ),
        ),
        (
            Reference(Kind.STAGE, row.name),
            *_references(Kind.ROUTE, accepting),
            Reference(Kind.FORMAT, f"evidence-{row.event}"),
        ),
        sources.at(f"/stages/{sources.table.stages.index(row)}"),
    )


# --- routes


def _route(sources: Sources, placed: PlacedLine) -> Topic:
    line = placed.line
    taken = "no line above is" if line.otherwise else f"{line.in_words('`')}, and no line above is"
    return Topic(
        Kind.ROUTE,
        line.route,
        _meaning(sources, placed),
        f"It is taken when {taken}.",
        tuple(_not_taken(sources, placed)),
        tuple(_route_examples(sources, line)),
        tuple(_route_references(sources, placed)),
        sources.at(placed.pointer),
    )


def _meaning(sources: Sources, placed: PlacedLine) -> str:
    line, table = placed.line, sources.table
    where = f"line {placed.number} of `{placed.stage}`" if placed.stage else "asked at every stage"
    if line.accepts:
        counted = table.counters_added(placed.stage, line.route)
        after = table.row(placed.stage).next
        return (
            f"It accepts, {where}: the request moves on to `{after}`, the event's digest is "
            f"consumed, and {_listed(counted)} {'goes' if len(counted) == 1 else 'go'} up by one."
        )
    asked = " ".join(_sentence_of(sources, name) for name in line.names)
    return f"It rejects, {where}, and the state stays as it was. {asked}".rstrip()


def _sentence_of(sources: Sources, name: str) -> str:
    meanings = {field.name: field.meaning for field in sources.table.fields}
    meanings |= {fact.name: fact.meaning for fact in sources.table.facts}
    return f"`{name}`: {meanings[name]}"


def _not_taken(sources: Sources, placed: PlacedLine) -> Iterator[str]:
    """What must be so for the line not to be taken."""
    line = placed.line
    for name, wanted in line.when.items():
        yield f"It is not taken once `{name}` is {_word(not wanted)}. {_evidence(sources, name)}"
    if line.unless:
        values = " and ".join(f"`{name}` is {_word(value)}" for name, value in line.unless.items())
        evidence = " ".join(_evidence(sources, name) for name in line.unless)
        yield f"It is not taken once {values}. {evidence}"
    if line.otherwise:
        above = [one.route for one in sources.table.stage_lines.get(placed.stage, ())]
        others = _listed(above[: above.index(line.route)])
        yield f"It is not taken once a line above it is: those of every stage, {others}."


def _evidence(sources: Sources, name: str) -> str:
    for field in sources.table.fields:
        if field.name == name:
            return f"`{name}` is true when {mid_sentence(field.evidence)}"
    return _sentence_of(sources, name)


def _route_examples(sources: Sources, line: Line) -> Iterator[Example]:
    if not line.accepts:
        caught = mutation_of(sources, line.route)
        if caught is not None:
            yield mutation_example(caught, "One change of an accepted run that takes it")
    yield Example(
        "A shortest run that ends in it, line by line:",
        _WITNESS.format(line.route),
    )


def mutation_of(sources: Sources, route: str) -> Placed | None:
    """An author's change that a rejecting route must catch."""
    wanted = {route, ROUTE_PREFIX + route}
    return next((one for one in sources.mutations if one.mutation.expect in wanted), None)


def _route_references(sources: Sources, placed: PlacedLine) -> Iterator[Reference]:
    line = placed.line
    if placed.stage:
        yield Reference(Kind.STAGE, placed.stage)
    for name in line.names:
        is_field = any(field.name == name for field in sources.table.fields)
        yield Reference(Kind.FIELD if is_field else Kind.FACT, name)
    yield from (Reference(Kind.CLAIM, name) for name in claims_of(sources, line))
    yield from sources.enforcing(ROUTE_PREFIX + line.route)


def claims_of(sources: Sources, line: Line) -> list[str]:
    """The claims of Lean that bear on a route: about it by name, then about every one of its kind.

    A claim about one of the fields that the line asks is about the route.
    """
    general = (*(_OF_ACCEPTING if line.accepts else _OF_REJECTING), *_OF_EVERY_ROUTE)
    about = [one.name for one in sources.claims_about([line.route, *line.names])]
    return list(dict.fromkeys([*about, *(name for name in general if name in sources.claims)]))


# --- fields and facts


def _field(sources: Sources, field: Field) -> Topic:
    routes = [one.line.route for one in sources.lines.values() if field.name in one.line.names]
    readers = "every stage" if len(field.stages) == len(sources.table.stages) else None
    return Topic(
        Kind.FIELD,
        field.name,
        f"{field.meaning} A boolean of the packet, read at "
        f"{readers or _listed(field.stages)}. {_derived(field.name)}",
        f"It is true when {mid_sentence(field.evidence)}",
        tuple(_asked_by(sources, field.name)),
        tuple(_field_examples(sources, field)),
        (
            *_references(Kind.ROUTE, routes),
            *_references(Kind.STAGE, field.stages if readers is None else ()),
            *sources.claims_about([field.name]),
        ),
        sources.at(f"/fields/{sources.table.fields.index(field)}"),
    )


def _derived(name: str) -> str:
    """Which evidence of a trace it is read from, and whether silence makes it true."""
    read: dict[EventKind, tuple[str, ...]] = {}
    presumed = False
    for kind, derivations in DERIVATIONS.items():
        for one in derivations:
            if one.name == name:
                read[kind], presumed = one.reads, one.presumed
    shown = dict.fromkeys(field for reads in read.values() for field in reads)
    text = f"In a trace it follows from {_listed(shown)}."
    return f"{text} It is presumed: without evidence it is true." if presumed else text


def _asked_by(sources: Sources, name: str) -> Iterator[str]:
    """What each line does with a field or a fact, the lines in order."""
    for placed in sources.lines.values():
        line = placed.line
        if name not in line.names:
            continue
        where = f"at `{placed.stage}`" if placed.stage else "at every stage"
        if line.unless.get(name) is not None:
            asks = f"holds back while `{name}` is {_word(line.unless[name])}"
        else:
            asks = f"is taken while `{name}` is {_word(line.when[name])}"
        does = "accepts" if line.accepts else "rejects"
        yield f"`{line.route}`, which {does} {where}, {asks}."


def _field_examples(sources: Sources, field: Field) -> Iterator[Example]:
    changes = (one for one in sources.mutations if field.name in one.mutation.set)
    change = next(changes, None)
    if change is not None:
        yield mutation_example(change, "A change of it, and what catches that")
    stage = field.stages[0]
    yield Example(
        "A case that asks about it:",
        f"$ genconform lifecycle case {stage} 0 | genconform lifecycle route --explain",
    )


def _facts(sources: Sources) -> Iterator[Topic]:
    for index, fact in enumerate(sources.table.facts):
        compares = f" It compares {_listed(fact.compares)}." if fact.compares else ""
        routes = [one.line.route for one in sources.lines.values() if fact.name in one.line.names]
        yield Topic(
            Kind.FACT,
            fact.name,
            f"{fact.meaning} No packet holds it: it is computed from state and event.{compares}",
            f"It is true when this is so: {mid_sentence(fact.meaning)}",
            tuple(_asked_by(sources, fact.name)),
            tuple(
                Example(
                    "A shortest run in which it decides:",
                    _WITNESS.format(route),
                )
                for route in routes[:1]
            ),
            (
                *_references(Kind.ROUTE, routes),
                *_references(Kind.IDENTITY, fact.compares),
                *sources.claims_about([fact.name]),
            ),
            sources.at(f"/facts/{index}"),
        )


# --- identity values and counters


def _identity(sources: Sources) -> Iterator[Topic]:
    table = sources.table
    for index, value in enumerate(table.identity):
        facts = [fact.name for fact in table.facts if value.name in fact.compares]
        routes = [line.route for line in table.common_lines if set(facts) & set(line.names)]
        changes = (one for one in sources.mutations if value.name in one.mutation.set)
        change = next(changes, None) or mutation_of(sources, routes[0])
        assert change is not None
        yield Topic(
            Kind.IDENTITY,
            value.name,
            f"{value.meaning} One of the ten values that say which request a state is about; its "
            f"type is {value.type}.",
            "It is bound before the first event, and every packet carries the same.",
            (f"Another value in a packet takes {_listed(routes)}.",),
            (mutation_example(change, "A substitution, and what catches it"),),
            (
                *_references(Kind.FACT, facts),
                *_references(Kind.ROUTE, routes),
                Reference(Kind.CLAIM, "IdentityPreserved"),
            ),
            sources.at(f"/identity/{index}"),
        )


def _counters(sources: Sources) -> Iterator[Topic]:
    effects = sources.table.effects
    for index, counter in enumerate(sources.table.counters):
        name = counter.name
        stages = [stage for stage, names in effects.leaving.items() if name in names]
        routes = [route for route, names in effects.route.items() if name in names]
        if name in effects.every_acceptance:
            holds = "Every accepted event adds one."
        elif stages or routes:
            by = [*(f"leaving `{stage}`" for stage in stages), *(f"`{route}`" for route in routes)]
            holds = f"One is added by {' and by '.join(by)}."
        else:
            holds = "Nothing adds to it: it stays as it was, whatever happens."
        yield Topic(
            Kind.COUNTER,
            name,
            f"{counter.meaning} A number that a state keeps.",
            holds,
            ("A rejected event changes no counter, and nothing ever takes one away.",),
            (
                Example(
                    "The counters after a whole run:",
                    "$ genconform lifecycle witness acceptClosure | genconform lifecycle route",
                ),
            ),
            (
                *_references(Kind.STAGE, stages),
                *_references(Kind.ROUTE, routes),
                Reference(Kind.CLAIM, "ClosedRunCounters"),
                *sources.claims_about([name]),
            ),
            sources.at(f"/counters/{index}"),
        )


# --- words


def _references(kind: Kind, names: Iterable[str]) -> Iterator[Reference]:
    yield from (Reference(kind, name) for name in names)


def _listed(names: Iterable[str]) -> str:
    """Names in backticks, with commas and an `and`."""
    quoted = [f"`{name}`" for name in names]
    if len(quoted) < 2:
        return "".join(quoted)
    return f"{', '.join(quoted[:-1])} and {quoted[-1]}"


def _word(value: bool) -> str:
    return "true" if value else "false"
