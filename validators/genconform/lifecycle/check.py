"""The check `lifecycle`: the table speaks of what the machine speaks of, and all of it happens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import msgspec
import numpy as np

from genconform.context import Context
from genconform.document import Document, read_document
from genconform.finding import CheckResult, Finding, Level, verdict_of
from genconform.lifecycle import machine
from genconform.lifecycle.bulk import BulkEngine, compile_table
from genconform.lifecycle.graph import Search, Witness
from genconform.lifecycle.machine import ACCEPTING, Route
from genconform.lifecycle.packet import BOOLEAN_NAMES, Counters, Identity, Stage
from genconform.lifecycle.space import COMMON_NAMES, KIND_OF, OWN_NAMES, TOTAL_SIZE, spaces
from genconform.spec.table import TABLE_PATH, Counts, Table, parse_table

# Said here once more by hand, so that neither the table nor the machine can change them alone.
COUNTS = Counts(stages=8, event_kinds=7, routes=60, rejecting=51, accepting=9, booleans=49)
OWN_BOOLEANS = (6, 14, 5, 6, 8, 8, 5, 0)


def run(context: Context) -> CheckResult:
    """Vocabulary and counts, every route hit and reached by a run, no stage that ends nowhere."""
    document = read_document(context.tree.path(TABLE_PATH), TABLE_PATH)
    table = parse_table(document)
    findings = [*vocabulary(table, document), *counted(table, document)]
    if findings:
        return CheckResult("lifecycle", verdict_of(findings, 0), {"routes": 0}, tuple(findings))
    search = Search(table)
    witnesses = list(search.witnesses())
    hit = hits(compile_table(table))
    findings = [
        *unreached(table, document, hit, witnesses),
        *dead_ends(search, document),
        *not_replayed(witnesses, document),
    ]
    counts = {
        "stages": len(table.stages),
        "routes": len(table.routes()),
        "cases": TOTAL_SIZE,
        "witnesses": len(witnesses),
    }
    details = {
        "hits": {route: hit.of(route) for route in table.routes()},
        "shortestRuns": {witness.route: len(witness.cases) for witness in witnesses},
    }
    return CheckResult(
        "lifecycle", verdict_of(findings, TOTAL_SIZE), counts, tuple(findings), details=details
    )


@dataclass(frozen=True)
class Hits:
    """How many cases of each stage's space take each route."""

    by_stage: dict[str, dict[str, int]]

    def of(self, route: str) -> int:
        """How many cases of all stages take a route."""
        return sum(routes.get(route, 0) for routes in self.by_stage.values())


def hits(engine: BulkEngine) -> Hits:
    """Visit the whole space and count."""
    counted = {}
    for space in spaces():
        per_code = np.bincount(engine.codes(space.stage), minlength=len(engine.routes)).tolist()
        counted[space.stage.value] = {
            route: count for route, count in zip(engine.routes, per_code, strict=True) if count
        }
    return Hits(counted)


def vocabulary(table: Table, document: Document) -> Iterator[Finding]:
    """Where the table does not have the machine's names, in the machine's order."""
    yield from _compared(document, "/stages", "stages", [row.name for row in table.stages], Stage)
    yield from _compared(
        document, "/stages", "event kinds", [row.event for row in table.stages], KIND_OF.values()
    )
    yield from _compared(document, "/stageLines", "routes", table.routes(), Route)
    yield from _compared(
        document,
        "/stageLines",
        "accepting routes",
        [route for route in table.routes() if route in table.accepting()],
        [route for route in Route if route in ACCEPTING],
    )
    yield from _compared(
        document, "/fields", "booleans", [field.name for field in table.fields], BOOLEAN_NAMES
    )
    yield from _compared(
        document,
        "/identity",
        "identity values",
        [f"{value.name}: {value.type}" for value in table.identity],
        [
            f"{field.encode_name}: {'integer' if field.name == 'task_version' else 'string'}"
            for field in msgspec.structs.fields(Identity)
        ],
    )
    yield from _compared(
        document,
        "/facts",
        "facts",
        [fact.name for fact in table.facts],
        [*(name for name in COMMON_NAMES if name not in BOOLEAN_NAMES), "fallbackActivated"],
    )
    yield from _compared(
        document,
        "/counters",
        "counters",
        [counter.name for counter in table.counters],
        [field.encode_name for field in msgspec.structs.fields(Counters)],
    )
    for stage, own in OWN_NAMES.items():
        asked = {name for line in table.stage_lines.get(stage, ()) for name in line.names}
        yield from _compared(
            document,
            f"/stageLines/{stage}",
            f"names asked at {stage}",
            sorted(asked - set(COMMON_NAMES)),
            sorted(own),
        )
    asked = {name for line in table.common_lines for name in line.names}
    yield from _compared(
        document, "/commonLines", "names asked at every stage", sorted(asked), sorted(COMMON_NAMES)
    )


def _compared(
    document: Document, pointer: str, what: str, ours: Iterable[str], theirs: Iterable[str]
) -> Iterator[Finding]:
    """A finding if the table's names are not the machine's; only what differs is shown."""
    in_table, in_machine = [str(name) for name in ours], [str(name) for name in theirs]
    if in_table == in_machine:
        return
    missing = [name for name in in_machine if name not in in_table]
    extra = [name for name in in_table if name not in in_machine]
    in_other_order = not missing and not extra
    yield Finding(
        "lifecycle.vocabulary.differs",
        Level.ERROR,
        f"the table's {what} are not those of the machine",
        document.location(pointer),
        expected=", ".join(in_machine if in_other_order else missing) or "nothing more",
        actual=", ".join(in_table if in_other_order else extra) or "nothing more",
    )


def counted(table: Table, document: Document) -> Iterator[Finding]:
    """Where a number that must come out does not."""
    for field in msgspec.structs.fields(Counts):
        expected, count = getattr(COUNTS, field.name), getattr(table.counts, field.name)
        if count != expected:
            what = field.name.replace("_", " ")
            yield _miscounted(document, f"/counts/{field.encode_name}", what, expected, count)
    own = tuple(map(len, OWN_NAMES.values()))
    if own != OWN_BOOLEANS:
        yield _miscounted(document, "/stageLines", "booleans of each stage", OWN_BOOLEANS, own)


def _miscounted(
    document: Document, pointer: str, what: str, expected: object, actual: object
) -> Finding:
    return Finding(
        "lifecycle.count.differs",
        Level.ERROR,
        f"the number of {what} is not what the lifecycle has",
        document.location(pointer),
        expected=expected,
        actual=actual,
    )


def unreached(
    table: Table, document: Document, hit: Hits, witnesses: Iterable[Witness]
) -> Iterator[Finding]:
    """The machine's routes that no case takes, or that no run from the first stage comes to."""
    witnessed = {witness.route for witness in witnesses}
    for route in Route:
        if not hit.of(route):
            missing = "a case that takes it"
        elif route not in witnessed:
            missing = f"a run from {table.stages[0].name} that ends in it"
        else:
            continue
        yield Finding(
            "lifecycle.route.unreached",
            Level.ERROR,
            f"the route {route} is never taken",
            document.location(line_pointer(table, route)),
            expected=missing,
            actual="none",
        )


def dead_ends(search: Search, document: Document) -> Iterator[Finding]:
    """The stages from which a run cannot come to the last one."""
    names = [row.name for row in search.table.stages]
    for stage in search.dead_ends():
        yield Finding(
            "lifecycle.stage.dead-end",
            Level.ERROR,
            f"a run that has come to {stage} never ends",
            document.location(f"/stages/{names.index(stage)}"),
            expected=f"a way on to {names[-1]}",
            actual="none",
        )


def not_replayed(witnesses: Iterable[Witness], document: Document) -> Iterator[Finding]:
    """The witnesses that the hand-written machine takes another way."""
    for witness in witnesses:
        state, route = witness.cases[0].state, ""
        for case in witness.cases:
            state, route = machine.step(state, case.event)
        if route != witness.route:
            yield Finding(
                "lifecycle.witness.differs",
                Level.ERROR,
                f"the machine takes the witness of {witness.route} another way",
                document.location("/stageLines"),
                expected=witness.route,
                actual=str(route),
            )


def line_pointer(table: Table, route: str, stage: str | None = None) -> str:
    """The JSON pointer of the line that has a route, at one stage or at any."""
    for number, line in enumerate(table.common_lines):
        if line.route == route:
            return f"/commonLines/{number}"
    for name, lines in table.stage_lines.items():
        for number, line in enumerate(lines):
            if line.route == route and stage in {None, name}:
                return f"/stageLines/{name}/{number}"
    return "/stageLines" if stage is None else f"/stageLines/{stage}"
