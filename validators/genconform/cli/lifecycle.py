"""`genconform lifecycle`: the sixty routes, and what becomes of an event."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import click
import msgspec
from msgspec import Struct
from rich.markup import escape
from rich.table import Table as Grid

from genconform.cli.options import as_text_or_json, rooted, write
from genconform.document import Document, indented_json, read_document, unreadable
from genconform.errors import Incomplete, MalformedInput, UsageError
from genconform.finding import Location
from genconform.lifecycle import machine
from genconform.lifecycle.bulk import compile_table
from genconform.lifecycle.check import Hits, hits, line_pointer
from genconform.lifecycle.drawing import DRAWINGS
from genconform.lifecycle.graph import Search, picture
from genconform.lifecycle.machine import Route
from genconform.lifecycle.packet import Case, Stage, State
from genconform.lifecycle.reading import read_case, read_lines
from genconform.lifecycle.space import space_of, spaces
from genconform.lifecycle.table_engine import TableEngine
from genconform.report import text
from genconform.spec.table import TABLE_PATH, Line, Table, load_table, parse_table
from genconform.tree import Tree

_to_output = click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write to this file instead of standard output.",
)


@click.group()
def lifecycle() -> None:
    """The lifecycle of eight stages and sixty routes."""


# --- routes


class ListedRoute(Struct, frozen=True, rename="camel"):
    """A route as `lifecycle routes` lists it.

    `stage` is None for a line that is asked at every stage; `line` is its place there, from 1, and
    `at` the line of the table's file.
    """

    route: str
    stage: str | None
    line: int
    kind: str
    condition: str
    meaning: str
    at: int | None


class RouteCounts(Struct, frozen=True):
    """How many routes there are, and how many of them accept and reject."""

    routes: int
    accepting: int
    rejecting: int


class ListedRoutes(Struct, frozen=True):
    """What `lifecycle routes` gives as JSON."""

    counts: RouteCounts
    routes: tuple[ListedRoute, ...]


@lifecycle.command()
@rooted
@as_text_or_json
@_to_output
def routes(tree: Tree, format_: str, output: Path | None) -> None:
    """List the 60 routes: stage, line, kind, condition and meaning.

    Lines are asked from the top, those of every stage first; the first one taken decides.
    """
    document = read_document(tree.path(TABLE_PATH), TABLE_PATH)
    table = parse_table(document)
    listed = list(_listed(table, document))
    if format_ == "json":
        accepting = sum(one.kind == "accepting" for one in listed)
        counts = RouteCounts(len(listed), accepting, len(listed) - accepting)
        write(indented_json(ListedRoutes(counts, tuple(listed))), output)
        return
    to = text.console()
    grid = text.grid("stage", "line", "route", "kind", "taken when", wraps=("taken when",))
    for one in listed:
        grid.add_row(one.stage or "every stage", str(one.line), one.route, one.kind, one.condition)
    to.print(grid)
    write(text.printed(to), output)


def _listed(table: Table, document: Document) -> Iterator[ListedRoute]:
    known = set()
    own = [(row.name, table.stage_lines[row.name]) for row in table.stages]
    for stage, lines in [(None, table.common_lines), *own]:
        for number, line in enumerate(lines, 1):
            if line.route in known:
                continue
            known.add(line.route)
            yield ListedRoute(
                line.route,
                stage,
                number,
                "accepting" if line.accepts else "rejecting",
                line.in_words(),
                _meaning(table, stage, line),
                document.location(line_pointer(table, line.route, stage)).line,
            )


def _meaning(table: Table, stage: str | None, line: Line) -> str:
    """What is asked means, and what follows if the line accepts."""
    meaning = {field.name: field.meaning for field in table.fields}
    meaning |= {fact.name: fact.meaning for fact in table.facts}
    sentences = [f"{name}: {meaning[name]}" for name in line.names]
    if stage is not None and line.accepts:
        sentences.append(f"The request moves on to {table.row(stage).next}.")
    return " ".join(sentences)


# --- route


class Answer(Struct, frozen=True):
    """What becomes of a case."""

    route: Route
    state: State


@lifecycle.command()
@click.argument("file", default="-")
@click.option("--explain", is_flag=True, help="Show the lines one by one, for people.")
@rooted
def route(file: str, explain: bool, tree: Tree) -> None:
    """Give the route and the state after for each case of FILE, or of standard input.

    Reads JSON Lines of {"state": ..., "event": ...} and writes a line of {"route": ..., "state":
    ...} for each as it comes. The first line that is not a case ends it: it is named by its
    number, and the exit code is 3. A blank line is not a case. No input at all is incomplete, 4.
    """
    explainer = _Explainer(load_table(tree)) if explain else None
    name = "<stdin>" if file == "-" else file
    to = sys.stdout.buffer
    with _opened(file) as stream:
        for lines in read_lines(stream, name):
            try:
                for number, line in lines:
                    place = Location(name, line=number)
                    case = read_case(line, place)
                    to.write(explainer.text(number, case) if explainer else _answer(case, place))
            finally:
                to.flush()


def _answer(case: Case, place: Location) -> bytes:
    after, taken = machine.step(case.state, case.event)
    try:
        return _ENCODER.encode(Answer(taken, after)) + b"\n"
    except ValueError as error:  # Python writes no integer of more than 4,300 digits
        raise MalformedInput("a counter is too large to add to", location=place) from error


_ENCODER = msgspec.json.Encoder()


def _opened(file: str) -> BinaryIO:
    if file == "-":
        return sys.stdin.buffer
    try:
        return Path(file).open("rb")
    except OSError as error:
        raise unreadable(file, error) from error


class _Explainer:
    """Tells, line by line, how a case comes to its route."""

    def __init__(self, table: Table) -> None:
        self._table, self._engine = table, TableEngine(table)

    def text(self, number: int, case: Case) -> bytes:
        """The story of one case; styled on a terminal."""
        to = text.console()
        state, event = case.state, case.event
        after, taken = machine.step(state, event)
        unmet = machine.unmet(state, event)
        to.print(f"[bold]case {number}[/]: {event.kind.value} at {state.stage.value}")
        to.print(self._lines(case))
        style = "bold green" if taken in machine.ACCEPTING else "bold red"
        moved = f", on to {after.stage.value}" if after.stage != state.stage else ""
        to.print(f"  route [{style}]{taken.value}[/]{moved}")
        if unmet:
            to.print(f"  unmet [red]{', '.join(unmet)}[/]", soft_wrap=True)
        to.print()
        return text.printed(to).encode()

    def _lines(self, case: Case) -> Grid:
        """The lines one by one. Those after the deciding one are not asked; what they would say
        matters up to the first that accepts.
        """
        grid = Grid(box=None, show_header=False, padding=(0, 1))
        taken = list(self._engine.taken(case.state, case.event))
        asked = reachable = True
        for line in self._table.lines(case.state.stage):
            word, style = _said(line, line in taken)
            if not asked:
                word = f"not asked, {word}" if reachable and not line.accepts else "not asked"
                style = "dim"
            grid.add_row(
                f"[{style}]{word}[/]",
                f"[{'bold' if asked else 'dim'}]{line.route}[/]",
                f"[dim]taken if {escape(line.in_words())}[/]",
            )
            asked = asked and line != taken[0]
            reachable = reachable and not (line.accepts and line in taken)
        return grid


def _said(line: Line, taken: bool) -> tuple[str, str]:
    """What a line has to say of a case, and its style."""
    if line.accepts:
        return ("accepts", "green") if taken else ("does not apply", "dim")
    return ("unmet", "red") if taken else ("met", "green")


# --- enumerate


class EnumeratedStage(Struct, frozen=True, rename="camel"):
    """The space of a stage: the booleans of its own, all cases, and the routes that they take."""

    stage: Stage
    own_booleans: int
    cases: int
    routes: int


class EnumeratedRoute(Struct, frozen=True, rename="camel"):
    """A route: the cases that take it, and the events of the shortest run that ends in it."""

    route: str
    hits: int
    shortest_run: int | None


class Enumeration(Struct, frozen=True):
    """What `lifecycle enumerate` gives as JSON."""

    cases: int
    stages: tuple[EnumeratedStage, ...]
    routes: tuple[EnumeratedRoute, ...]


@lifecycle.command("enumerate")
@rooted
@as_text_or_json
@_to_output
def enumerate_(tree: Tree, format_: str, output: Path | None) -> None:
    """Visit the whole input space: cases a stage, hits and shortest run a route.

    Exits 1 if there is a route that no case takes, or that no run from the first stage ends in.
    """
    table = load_table(tree)
    hit = hits(compile_table(table))
    shortest = {witness.route: len(witness.cases) for witness in Search(table).witnesses()}
    render = _enumerated_json if format_ == "json" else _enumerated_text
    write(render(table, hit, shortest), output)
    missed = [route for route in table.routes() if not hit.of(route) or route not in shortest]
    click.get_current_context().exit(1 if missed else 0)


def _enumerated_json(table: Table, hit: Hits, shortest: dict[str, int]) -> str:
    stages = tuple(
        EnumeratedStage(space.stage, space.own_bits, space.size, len(hit.by_stage[space.stage]))
        for space in spaces()
    )
    routes = tuple(
        EnumeratedRoute(route, hit.of(route), shortest.get(route)) for route in table.routes()
    )
    return indented_json(Enumeration(sum(map(len, spaces())), stages, routes))


def _enumerated_text(table: Table, hit: Hits, shortest: dict[str, int]) -> str:
    to = text.console()
    stages = text.grid("stage", "own booleans", "cases", "routes", numbers=(1, 2, 3))
    for space in spaces():
        routes = len(hit.by_stage[space.stage])
        stages.add_row(space.stage.value, str(space.own_bits), f"{space.size:,}", str(routes))
    to.print(stages)
    to.print()
    grid = text.grid("route", "hits", "shortest run", numbers=(1, 2))
    for route in table.routes():
        count = hit.of(route)
        grid.add_row(
            route if count else f"[bold red]{route}[/]",
            f"{count:,}",
            str(shortest.get(route, "[bold red]none[/]")),
        )
    to.print(grid)
    to.print()
    reached = sum(bool(hit.of(route)) and route in shortest for route in table.routes())
    cases = sum(map(len, spaces()))
    to.print(f"{cases:,} cases visited; {reached} of {len(table.routes())} routes hit and reached")
    return text.printed(to)


# --- graph, witness, case


@lifecycle.command()
@click.option(
    "--to", "form", type=click.Choice(list(DRAWINGS)), required=True, help="The form to draw in."
)
@rooted
@_to_output
def graph(form: str, tree: Tree, output: Path | None) -> None:
    """Draw the lifecycle: stages, accepting routes between them, rejections."""
    write(DRAWINGS[form](picture(load_table(tree))), output)


@lifecycle.command()
@click.argument("name", metavar="ROUTE")
@rooted
def witness(name: str, tree: Tree) -> None:
    """Print a shortest run that ends in ROUTE, as cases for `lifecycle route`."""
    table = load_table(tree)
    if name not in table.routes():
        raise UsageError(
            f"there is no route named {name!r}", remedy="`genconform lifecycle routes` lists them."
        )
    found = Search(table).witness(name)
    if found is None:
        raise Incomplete(f"no run from the first stage ends in {name}")
    _print_cases(found.cases)


@lifecycle.command()
@click.argument("stage", type=click.Choice([stage.value for stage in Stage]))
@click.argument("number", type=click.IntRange(min=0))
def case(stage: str, number: int) -> None:
    """Print the case of STAGE that has a NUMBER in its space, for `lifecycle route`."""
    space = space_of(stage)
    if number >= space.size:
        raise UsageError(
            f"{stage} has no case {number:,}", expected=f"a number below {space.size:,}"
        )
    _print_cases((space.case(number),))


def _print_cases(cases: tuple[Case, ...]) -> None:
    write("".join(msgspec.json.encode(case).decode() + "\n" for case in cases), None)
