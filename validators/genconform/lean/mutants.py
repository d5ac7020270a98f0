"""Mutants of the lifecycle's table, written in Lean and put before the kernel.

The certificate says what the Python machine answers. A lifecycle with a fault in it must answer
some case otherwise, so that the kernel refuses one of the certificate's theorems about it; a mutant
that is no other lifecycle at all must be let through. The table without a fault is the control.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from genconform.errors import UsageError
from genconform.finding import Location
from genconform.lean.build import Build, Message
from genconform.lean.cases import case_at, signature
from genconform.lean.certificate import Certificate, Space, States, Theorem
from genconform.lean.package import EMBEDDED, FOLDER, INIT, ROOT, load_modules
from genconform.lifecycle.machine import Route
from genconform.lifecycle.packet import Event, Stage, State
from genconform.mutation.operators import Mutant
from genconform.mutation.variant import Recall, Variant
from genconform.spec.table import Line, Table
from genconform.tree import Tree

_NEEDED = tuple(f"AsiStackProofs.FastGenerationRefinement.{name}" for name in ("Model", "Encoding"))
_HARNESS = Path(__file__).with_name("mutants.lean")
_REFUSED = "Tactic `decide` proved that the proposition"
_BATCH = 40  # mutants a run of Lean: long enough that its start weighs nothing
_ROUTE_CODE = {route.value: code for code, route in enumerate(Route)}


@dataclass(frozen=True)
class Refusal:
    """What the kernel made of a mutant.

    `refused` names the theorem that it refused, or is "" when it let all of them through; `asked`
    counts the theorems that it was asked about. `broken` holds what else Lean said.
    """

    mutant: str
    operator: str
    refused: str
    asked: int
    broken: str = ""


def compile_encoding(tree: Tree, build: Build) -> None:
    """Compile what the mutants need of the package: the model's vocabulary and the cases.

    Raises:
        UsageError: it does not compile.
    """
    modules = load_modules(tree.path(FOLDER), ROOT, FOLDER)
    needed = {name: modules[name] for name in _NEEDED}
    if build.toolchain.embedded:
        build.compile(load_modules(tree.path(EMBEDDED), INIT, EMBEDDED), 1, lambda _: None)
    for compiled in build.compile(needed, 1, lambda _: None):
        if compiled.outcome is None or not compiled.outcome.clean:
            raise UsageError(
                "the module does not compile",
                location=Location(compiled.module.path),
                remedy="Run `genconform lean check` first.",
            )


def put_before_kernel(
    build: Build, table: Table, mutants: Iterable[Mutant], certificate: Certificate
) -> Iterator[Refusal]:
    """Ask the kernel about each mutant; `build` holds the compiled Encoding.

    Where the mutant's own answers, run in Python, differ from the certificate, the first theorem
    that they contradict is asked. Where they do not, every theorem is that the mutant could touch.
    """
    waiting = list(mutants)
    for start in range(0, len(waiting), _BATCH):
        yield from _ask(build, table, waiting[start : start + _BATCH], certificate)


def control(build: Build, table: Table, certificate: Certificate) -> tuple[str, ...]:
    """What Lean says when asked every theorem about the table itself; nothing, if all is well."""
    lines = [*_lifecycle_lines("faithful", _parts(Variant(table)))]
    lines += [_example("faithful", theorem) for theorem in certificate.theorems]
    outcome = build.run_text("Mutants", _HARNESS.read_text("utf-8") + "\n".join(lines) + "\n")
    return (*(message.text for message in outcome.messages), *filter(None, [outcome.stray]))


def sample(mutants: Iterable[Mutant], per_operator: int) -> list[Mutant]:
    """About as many mutants of each operator, spread evenly over all that it makes."""
    made: dict[str, list[Mutant]] = {}
    for mutant in mutants:
        made.setdefault(mutant.operator, []).append(mutant)
    return [
        mutant
        for some in made.values()
        for mutant in some[:: max(1, len(some) // per_operator)][:per_operator]
    ]


def touched(table: Table, mutant: Mutant, certificate: Certificate) -> list[Theorem]:
    """The theorems whose answers could change, those that are soonest asked first.

    A theorem about a stage's own space asks that stage's own lines alone.
    """
    stages = set(Stage) if mutant.stage == "" else {mutant.stage}
    own = {stage for stage in stages if mutant.table.stage_lines[stage] != table.stage_lines[stage]}
    routes = [theorem for theorem in certificate.routes if theorem.stage in stages]
    return [
        *(theorem for theorem in certificate.states if theorem.stage in stages),
        *(theorem for theorem in routes if theorem.space is Space.COMMON),
        *(theorem for theorem in routes if theorem.space is Space.OWN and theorem.stage in own),
    ]


def contradicted(variant: Variant, theorems: Iterable[Theorem]) -> Theorem | None:
    """The first of some theorems that a mutant's answers, run in Python, contradict."""
    return next((one for one in theorems if not _agrees(variant, one)), None)


def _ask(
    build: Build, table: Table, mutants: list[Mutant], certificate: Certificate
) -> Iterator[Refusal]:
    faithful = _parts(Variant(table))
    lines = _HARNESS.read_text("utf-8").splitlines() + _lifecycle_lines("faithful", faithful)
    asked: list[tuple[Mutant, list[Theorem], int]] = []
    for number, mutant in enumerate(mutants):
        name = f"mutant{number}"
        theorems = touched(table, mutant, certificate)
        theorem = contradicted(mutant.variant, theorems)
        theorems = [theorem] if theorem else theorems
        asked.append((mutant, theorems, len(lines) + 1))
        lines.append(_changed(name, _parts(mutant.variant), faithful))
        lines += [_example(name, theorem) for theorem in theorems]
    outcome = build.run_text("Mutants", "\n".join(lines) + "\n")
    for (mutant, theorems, start), end in zip(
        asked, [*(start for _, _, start in asked[1:]), len(lines) + 1], strict=True
    ):
        said = [message for message in outcome.messages if start <= message.line < end]
        yield _refusal(mutant, theorems, start, said, outcome.stray)


def _refusal(
    mutant: Mutant, theorems: list[Theorem], start: int, said: list[Message], stray: str
) -> Refusal:
    """Read what Lean said about one mutant: its definition, at line `start`, then its theorems."""
    refused, broken = "", stray
    for message in said:
        index = message.line - start - 1
        if message.text.startswith(_REFUSED) and index >= 0:
            refused = refused or theorems[index].name
        else:
            broken += message.text
    return Refusal(mutant.id, mutant.operator, refused, len(theorems), broken)


def _example(lifecycle: str, theorem: Theorem) -> str:
    return f"example : {lifecycle}.{theorem.statement} := by decide +kernel"


# --- what a mutant answers, in Python --------------------------------------------------------


def _agrees(variant: Variant, theorem: Theorem) -> bool:
    if isinstance(theorem, States):
        return all(
            signature(variant.step(*_case(theorem.stage, *numbers))[0]) == expected
            for numbers, expected in zip(theorem.cases, theorem.answers, strict=True)
        )
    return all(
        _ROUTE_CODE.get(variant.step(*_case(theorem.stage, *theorem.numbers(index)))[1]) == expected
        for index, expected in enumerate(theorem.answers)
    )


@lru_cache(maxsize=1 << 15)
def _case(stage: Stage, own: int, common: int) -> tuple[State, Event]:
    case = case_at(stage, own, common)
    return case.state, case.event


# --- a lifecycle as Lean ---------------------------------------------------------------------


@dataclass(frozen=True)
class _Parts:
    """A lifecycle, each part of it a Lean term; those of one stage each are by stage."""

    common: str
    own: dict[str, str]
    next: dict[str, str]
    counted: dict[str, str]
    consumes: dict[str, str]
    rejected: str


def _parts(variant: Variant) -> _Parts:
    table, semantics = variant.table, variant.semantics
    rows = {row.name: row for row in table.stages}
    return _Parts(
        common=_lines(variant, table.common_lines),
        own={stage: _lines(variant, table.stage_lines[stage]) for stage in rows},
        next={stage: f".{row.next}" for stage, row in rows.items()},
        counted={stage: _counted(table, stage) for stage in rows},
        consumes={stage: _bool(stage != semantics.unconsumed) for stage in rows},
        rejected=_rejected(variant),
    )


def _lifecycle_lines(name: str, parts: _Parts) -> list[str]:
    """The whole lifecycle, a line a stage for what differs by stage."""
    lines = [f"def {name} : Lifecycle where", f"  common := {parts.common}"]
    for field in _BY_STAGE:
        lines.append(f"  {field}")
        lines += [f"    | .{stage} => {term}" for stage, term in getattr(parts, field).items()]
    return [*lines, f"  rejected := {parts.rejected}"]


def _changed(name: str, parts: _Parts, faithful: _Parts) -> str:
    """The lifecycle as the faithful one with other parts, on one line."""
    changes = [
        f"{field} := {getattr(parts, field)}"
        for field in ("common", "rejected")
        if getattr(parts, field) != getattr(faithful, field)
    ]
    for field in _BY_STAGE:
        terms, usual = getattr(parts, field), getattr(faithful, field)
        other = [
            f"| .{stage} => ({terms[stage]})" for stage in terms if terms[stage] != usual[stage]
        ]
        if len(other) < len(terms):
            other.append(f"| stage => faithful.{field} stage")
        if len(other) > 1:
            changes.append(f"{field} := fun {' '.join(other)}")
    return f"def {name} : Lifecycle := {{ faithful with {', '.join(changes)} }}"


_BY_STAGE = ("own", "next", "counted", "consumes")


def _lines(variant: Variant, lines: tuple[Line, ...]) -> str:
    rules = (f"⟨⟨.{line.route}, {_taken(variant, line)}⟩, {_bool(line.accepts)}⟩" for line in lines)
    return f"[{', '.join(rules)}]"


def _taken(variant: Variant, line: Line) -> str:
    held = _all(variant, line.when)
    if line.unless:
        held += f" && !({_all(variant, line.unless)})"
    return f"fun s e => ignore s e ({held})"


def _all(variant: Variant, values: dict[str, bool]) -> str:
    terms = (
        _value(variant, name) if wanted else f"!({_value(variant, name)})"
        for name, wanted in values.items()
    )
    return " && ".join(terms) or "true"


def _value(variant: Variant, name: str) -> str:
    """A field of the packet or a fact, as a Bool of the state `s` and the event `e`."""
    table = variant.table
    if name == "kindMatches":
        kinds = " ".join(f"| .{row.name} => .{row.event}" for row in table.stages)
        return f"decide (e.kind = match s.stage with {kinds})"
    if name == "digestFresh":
        return _FRESH[variant.semantics.recall]
    if name == "fallbackActivated":
        return "decide (s.counters.fallbacks ≠ 0)"
    compared = {fact.name: fact.compares for fact in table.facts}
    if name in compared:
        same = (f"decide (e.identity.{value} = s.identity.{value})" for value in compared[name])
        return " && ".join(same) or "true"
    return f"e.has .{name}"


_FRESH = {
    Recall.EVERY: "!used e.digest s.consumed",
    Recall.LAST: "match s.consumed with | [] => true | latest :: _ => decide (e.digest ≠ latest)",
    Recall.NONE: "true",
}


def _counted(table: Table, stage: str) -> str:
    """What accepting at a stage adds, as a function of the route and the counters."""
    special = " ".join(
        f"| .{route} => {_plus(table, stage, route)}" for route in table.effects.route
    )
    return f"fun route c => match route with {special} | _ => {_plus(table, stage, '')}"


def _plus(table: Table, stage: str, route: str) -> str:
    added = table.counters_added(stage, route)
    return "plus c " + " ".join(str(added.count(counter.name)) for counter in table.counters)


def _rejected(variant: Variant) -> str:
    changes = []
    if variant.semantics.consumes_rejected:
        changes.append("consumed := e.digest :: s.consumed")
    if variant.semantics.counts_rejected:
        added = variant.table.effects.every_acceptance
        counts = " ".join(str(added.count(counter.name)) for counter in variant.table.counters)
        changes.append(f"counters := plus s.counters {counts}")
    return f"fun s e => ignore s e {{ s with {', '.join(changes)} }}" if changes else "fun s _ => s"


def _bool(value: bool) -> str:
    return "true" if value else "false"
