"""The check `catalogues`: what they name exists, and what they say is so.

For each failure that is catalogued, the committed inputs that commit it are judged again, and must
be caught by a rule that is named for it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from genconform.catalogue.entries import (
    BOUNDARIES,
    CATALOGUES,
    FAILURES,
    GOVERNED_STAGES,
    INVARIANTS,
    SOURCES,
    Enforcement,
    Failure,
    GovernedStage,
    Invariant,
    Read,
    Source,
    read,
    references,
)
from genconform.catalogue.known import Known
from genconform.context import Context
from genconform.document import Document, read_bytes, read_document
from genconform.errors import GenconformError
from genconform.finding import CheckResult, Finding, Level, Location, verdict_of
from genconform.lifecycle.packet import Stage
from genconform.mutation.author import one_of
from genconform.spec.modes import MODES_PATH, Mode, load_modes
from genconform.spec.table import load_table
from genconform.suites.mode_selections import entry_faults
from genconform.tree import Tree

_Findings = Iterator[Finding]


def run(context: Context) -> CheckResult:
    """Check every catalogue and the registry of modes."""
    return examine(context.tree, Known(context.tree))


def examine(tree: Tree, known: Known) -> CheckResult:
    """Hold the catalogues of a tree against what is known."""
    findings: list[Finding] = []
    counts = {}
    for catalogue in CATALOGUES:
        try:
            found = read(tree, catalogue)
            counts[catalogue.name] = len(found.entries)
            findings += _of_catalogue(found, known)
            findings += _CHECKS[catalogue.name](found, known)
        except GenconformError as error:
            findings.append(_broken(error, catalogue.path))
    try:
        modes = load_modes(tree).modes
        counts["modes"] = len(modes)
        findings += _of_modes(modes, read_document(tree.path(MODES_PATH), MODES_PATH), known)
    except GenconformError as error:
        findings.append(_broken(error, MODES_PATH))
    return CheckResult(
        "catalogues", verdict_of(findings, sum(counts.values())), counts, tuple(findings)
    )


def _broken(error: GenconformError, path: str) -> Finding:
    return Finding(
        "catalogue.file.broken",
        Level.ERROR,
        error.message,
        error.location or Location(path),
        error.expected,
        error.actual,
    )


def _of_catalogue(found: Read, known: Known) -> _Findings:
    """What holds of every catalogue: as many entries as declared, each id once, no dead name."""
    ids = [entry.id for entry in found.entries]
    if found.declared != len(ids) or len(set(ids)) != len(ids):
        yield Finding(
            "catalogue.count.differs",
            Level.ERROR,
            "not as many entries as declared, each with an id of its own",
            found.document.location(f"/counts/{found.name}"),
            found.declared,
            len(set(ids)),
        )
    for index, entry in enumerate(found.entries):
        for reference in references(entry, found.pointer(index)):
            names = known.names(reference.kind)
            if reference.name not in names:
                yield Finding(
                    "catalogue.reference.unknown",
                    Level.ERROR,
                    f"{entry.id}: nothing of the kind {reference.kind} has this name",
                    found.document.location(reference.pointer),
                    one_of(reference.name, sorted(names)) if names else "any at all",
                    reference.name,
                )


# --- invariants and failures -----------------------------------------------------------------


def _of_invariants(found: Read, _: Known) -> _Findings:
    for index, invariant in enumerate(found.entries):
        yield from _enforced(found, index, invariant, invariant.enforced)


def _enforced(
    found: Read, index: int, entry: Invariant | Failure, enforced: Enforcement
) -> _Findings:
    """Something enforces it, or it is said why nothing does; never both, never neither."""
    if bool(enforced) == bool(entry.not_mechanised):
        yield Finding(
            "catalogue.enforcement.missing",
            Level.ERROR,
            f"{entry.id}: either something enforces it, or it is said why nothing does",
            found.document.location(found.pointer(index)),
            "rules, claims or runs under `enforced`, or `notMechanised`",
            "both" if enforced else "neither",
        )


def _of_failures(found: Read, known: Known) -> _Findings:
    for index, failure in enumerate(found.entries):
        yield from _enforced(found, index, failure, failure.enforced)
        caught = [*map(known.caught_fixture, failure.fixtures)]
        caught += map(known.caught_mutation, failure.mutations)
        uncaught = [rules for rules in caught if not set(rules) & set(failure.enforced.rules)]
        if uncaught or not (caught or failure.not_mechanised):
            yield Finding(
                "catalogue.fault.uncaught",
                Level.ERROR,
                f"{failure.id}: every committed input that commits it is caught by a rule of its "
                "own, and there is one",
                found.document.location(found.pointer(index)),
                "one of " + ", ".join(failure.enforced.rules),
                "; ".join(", ".join(rules) or "no rule" for rules in uncaught) or "no input",
            )


# --- the eighteen stages and the boundaries --------------------------------------------------


def _of_stages(found: Read, known: Known) -> _Findings:
    """Routes stand under a stage that asks for them, and none of the sixty is left out."""
    table = load_table(known.tree)
    entries: tuple[GovernedStage, ...] = found.entries
    for index, entry in enumerate(entries):
        asked = {
            line.route
            for name in entry.stages
            if name in known.stages
            for line in table.lines(name)
        }
        for place, route in enumerate(entry.routes):
            if route in known.routes and route not in asked:
                yield _unmapped(
                    found,
                    f"{found.pointer(index)}/routes/{place}",
                    f"{entry.id}: none of its stages asks for {route}",
                )
    routes = {route for entry in entries for route in entry.routes}
    stages = {stage for entry in entries for stage in entry.stages}
    for name in sorted(known.routes - routes):
        yield _unmapped(found, "/stages", f"no governed stage has the route {name}")
    for name in sorted({stage.value for stage in Stage} - stages):
        yield _unmapped(found, "/stages", f"no governed stage has the stage {name}")


def _unmapped(found: Read, pointer: str, message: str) -> Finding:
    place = found.document.location(pointer)
    return Finding("catalogue.mapping.incomplete", Level.ERROR, message, place)


def _of_boundaries(found: Read, _: Known) -> _Findings:
    """What is handed over is carried by some event or record."""
    for index, owner in enumerate(found.entries):
        if not (owner.kinds or owner.suites):
            place = found.pointer(index)
            yield _unmapped(found, place, f"{owner.id}: nothing carries what it hands over")


# --- sources and modes -----------------------------------------------------------------------


def _of_sources(found: Read, _: Known) -> _Findings:
    for index, source in enumerate(found.entries):
        for reason in _untrue(source):
            yield Finding(
                "catalogue.source.untrue",
                Level.ERROR,
                f"{source.id}: {reason}",
                found.document.location(f"{found.pointer(index)}/status"),
                actual=source.status,
            )


def _untrue(source: Source) -> Iterator[str]:
    """What speaks against the status of a source."""
    exercised = source.status == "partly_exercised"
    if exercised != bool(source.runs):
        yield "exercised if and only if a run is named"
    if exercised and not set(source.runs) & set(source.modes):
        yield "none of the runs is of a mode that the source bears on"
    if (source.status == "out_of_reach") != bool(source.because):
        yield "`because` says why it is out of reach, and only then"


def _of_modes(modes: tuple[Mode, ...], document: Document, known: Known) -> _Findings:
    """The registry has every mode, says of each what the probe runs, and cites traces of it."""
    for rule, index, reason in entry_faults(modes):
        place = document.location(f"/modes/{index}")
        yield Finding(rule, Level.ERROR, f"{modes[index].name}: {reason}", place)
    names = {mode.name for mode in modes}
    for index, mode in enumerate(modes):
        for reason in _unfounded(mode, known):
            place = document.location(f"/modes/{index}")
            yield Finding("catalogue.mode.untrue", Level.ERROR, f"{mode.name}: {reason}", place)
    for name in sorted(known.modes ^ names):
        message = f"{name} is not on both sides: the registry, and the twelve modes"
        place = document.location("/modes")
        yield Finding("catalogue.mode.untrue", Level.ERROR, message, place)


def _unfounded(mode: Mode, known: Known) -> Iterator[str]:
    """What speaks against what an entry says that ran."""
    has_module = mode.name in known.ran_modes
    if has_module != (mode.name in mode.ran):
        says = "has" if has_module else "has not"
        yield f"the probe {says} a module for it"
    for name in sorted(set(mode.ran) - known.ran_modes):
        yield f"the probe has no module for {name}"
    for path in mode.records:
        if path not in known.valid_traces or recorded_mode(known.tree, path) != mode.name:
            yield f"{path} is no committed trace of it"


def recorded_mode(tree: Tree, path: str) -> str | None:
    """The mode that the first run of a trace is of; None for anything else."""
    try:
        first = read_bytes(tree.path(path), path).partition(b"\n")[0]
        mode = json.loads(first)["run"]["mode"]
    except (GenconformError, ValueError, LookupError, TypeError):
        return None
    return str(mode)


_CHECKS: dict[str, Callable[[Read, Known], _Findings]] = {
    INVARIANTS.name: _of_invariants,
    FAILURES.name: _of_failures,
    GOVERNED_STAGES.name: _of_stages,
    BOUNDARIES.name: _of_boundaries,
    SOURCES.name: _of_sources,
}
