"""The pages that follow from the catalogues of spec/: one function a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from genconform.catalogue.entries import (
    BOUNDARIES,
    FAILURES,
    GOVERNED_STAGES,
    INVARIANTS,
    SOURCES,
    Boundary,
    Enforcement,
    Failure,
    GovernedStage,
    Invariant,
    Source,
    read,
)
from genconform.catalogue.known import Known
from genconform.spec.modes import load_modes
from genconform.spec.rules import ROUTE_PREFIX
from genconform.tree import Tree

NOTICE = "<!-- Written by scripts/generate_docs.py from spec/. Do not edit. -->"
_PROPERTIES = "../lean/AsiStackProofs/FastGenerationRefinement/Properties.lean"


def invariants_page(tree: Tree) -> Iterator[str]:
    """docs/invariants.md: what must hold, and what may go wrong."""
    yield f"# Invariants and failure modes\n\n{NOTICE}\n"
    yield (
        "What must hold of fast generation, and how it goes wrong, from "
        f"[invariants.yaml](../{INVARIANTS.path}) and [failures.yaml](../{FAILURES.path}). The "
        "check `catalogues` sees to it that everything named here exists, and judges every input "
        "that commits a failure again. Claims are proved in Lean and stand in "
        f"[Properties.lean]({_PROPERTIES}) or beside it; runs are those of the "
        "[probe](probe.md).\n"
    )
    yield "## Invariants\n"
    for invariant in read(tree, INVARIANTS).entries:
        yield from _held(invariant)
    yield "## Failure modes\n"
    for failure in read(tree, FAILURES).entries:
        yield from _held(failure)
        yield from _committed(failure, tree)


def _held(entry: Invariant | Failure) -> Iterator[str]:
    yield f"### {entry.id}\n\n{entry.text}\n"
    yield from _enforcement(entry.enforced)
    if entry.not_mechanised:
        yield f"- Not mechanised, because: {entry.not_mechanised}"
    yield f"- Not covered: {entry.not_covered}\n"


def _enforcement(enforced: Enforcement) -> Iterator[str]:
    if enforced.rules:
        yield f"- Rules: {_listed(map(_rule, enforced.rules))}"
    if enforced.claims:
        yield f"- Claims: {_listed(map(_code, enforced.claims))}"
    if enforced.runs:
        yield f"- Runs: {_listed(map(_code, enforced.runs))}"


def _committed(failure: Failure, tree: Tree) -> Iterator[str]:
    known = Known(tree)
    yield "Committed on purpose by\n"
    for name in failure.fixtures:
        yield f"- [{name}](../{known.placed_fixtures[name][1].name})"
    for name in failure.mutations:
        file = f"mutations/{name.partition('/')[0]}.yaml"
        yield f"- `{name}` of [{file}](../{file})"
    yield ""


def modes_page(tree: Tree) -> Iterator[str]:
    """docs/modes.md: the registry of generation modes."""
    registry = load_modes(tree)
    yield f"# Generation modes\n\n{NOTICE}\n"
    yield (
        "Every family of generation, from [modes.yaml](../spec/modes.yaml). A selector routes to "
        "what is routable and to nothing else; an experimental mode runs in the probe and is not "
        "routed to.\n"
    )
    yield "| mode | status | ran here | can be token-identical | falls back on |"
    yield "|---|---|---|---|---|"
    for mode in registry.modes:
        ran, exact = ", ".join(mode.ran) or "no", "yes" if mode.exact else "no"
        anchor = f"[{mode.name}](#{mode.name})"
        yield f"| {anchor} | {mode.status.value} | {ran} | {exact} | {mode.fallback or 'nothing'} |"
    for mode in registry.modes:
        yield f"\n## {mode.name}\n\n{mode.role}\n"
        yield f"- To be verified: {mode.verification_burden}"
        yield f"- {mode.status.value.capitalize()}: {mode.because}"
        if mode.records:
            yield f"- Records: {_listed(map(_file, mode.records))}"
        yield f"- Not shown: {mode.not_shown}"


def stages_page(tree: Tree) -> Iterator[str]:
    """docs/eighteen-stages.md: the governed stages, and who hands over what."""
    yield f"# Eighteen stages, twelve owners\n\n{NOTICE}\n"
    yield (
        "Governance speaks of eighteen stages; the [lifecycle](lifecycle.md) has eight. This is "
        f"how they meet, from [eighteen-stages.yaml](../{GOVERNED_STAGES.path}). Each of the sixty "
        "routes belongs to one of the eighteen.\n"
    )
    yield "| # | governed stage | stages of the lifecycle | records |\n|---|---|---|---|"
    stages: tuple[GovernedStage, ...] = read(tree, GOVERNED_STAGES).entries
    for number, stage in enumerate(stages, 1):
        own = ", ".join(stage.stages)
        suites = ", ".join(stage.suites) or "the lifecycle's own"
        yield f"| {number} | [{stage.id}](#{stage.id}) | {own} | {suites} |"
    for stage in stages:
        yield f"\n## {stage.id}\n\n{stage.text}\n"
        yield f"- Routes: {_listed(map(_route, stage.routes))}"
        yield f"- Rules of records: {_listed(map(_rule, stage.rules))}"
        yield f"- Not covered: {stage.not_covered}"
    yield from _owners(read(tree, BOUNDARIES).entries)


def _owners(owners: Iterable[Boundary]) -> Iterator[str]:
    yield "\n## Who hands over what\n"
    yield (
        f"From [boundaries.yaml](../{BOUNDARIES.path}). No authority crosses a boundary with a "
        "record: whoever receives one may read it, and may do no more than before.\n"
    )
    yield "| owner | gives | carried by | not covered |\n|---|---|---|---|"
    for owner in owners:
        carried = _listed(map(_code, (*owner.kinds, *owner.suites)))
        yield f"| {owner.id} | {'; '.join(owner.gives)} | {carried} | {owner.not_covered} |"


_STATUS = {
    "not_reproduced": "not reproduced",
    "partly_exercised": "partly exercised here",
    "out_of_reach": "out of reach here",
}


def sources_page(tree: Tree) -> Iterator[str]:
    """docs/sources.md: what is cited."""
    sources: tuple[Source, ...] = read(tree, SOURCES).entries
    yield f"# Sources\n\n{NOTICE}\n"
    yield (
        f"The {len(sources)} sources that are cited, from [sources.yaml](../{SOURCES.path}). None "
        "of the results that they report was reproduced. Where something of one ran here, the run "
        "is named, and is evidence of itself alone.\n"
    )
    yield "| source | kind | status | bears on |\n|---|---|---|---|"
    for source in sources:
        bears = (*source.modes, *source.mechanisms, *source.caches)
        status = f"{_STATUS[source.status]} | {', '.join(bears) or 'nothing that runs'}"
        yield f"| [{source.id}](#{source.id}) | {source.kind} | {status} |"
    for source in sources:
        yield f"\n## {source.id}\n\n{source.about}\n"
        yield f"- Used for: {source.used_for}"
        yield f"- Limit: {source.limit}"
        status = _STATUS[source.status].capitalize()
        if source.runs:
            status += f" by {_listed(map(_code, source.runs))}"
        yield f"- {status}{': ' + source.because if source.because else '.'}"


def _listed(items: Iterable[str]) -> str:
    return ", ".join(items) or "none"


def _file(path: str) -> str:
    return f"[{path.rpartition('/')[2]}](../{path})"


def _code(name: str) -> str:
    return f"`{name}`"


def _route(name: str) -> str:
    return f"[{name}](lifecycle.md#{name.lower()})"


def _rule(id_: str) -> str:
    if id_.startswith(ROUTE_PREFIX):
        return _route(id_.removeprefix(ROUTE_PREFIX))
    return f"[{id_}](rules.md#{id_.replace('.', '')})"
