"""Which of the lifecycle's booleans a source can ever decide, by its shapes and the rules."""

from __future__ import annotations

from collections.abc import Iterator

from genconform.lifecycle.packet import BOOLEAN_NAMES
from genconform.trace.adapters.base import Adapter, Shape
from genconform.trace.derive import DERIVATIONS
from genconform.trace.observed.evidence import SHOWN_BY_THE_CLIENT, SHOWN_BY_THE_OUTPUT, SHOWS
from genconform.trace.observed.judge import BOUND, TEXTS
from genconform.trace.observed.model import Scope


def evidence_fields(shape: Shape) -> frozenset[str]:
    """The evidence that a payload of this shape can show, its client's notes beside it."""
    if not shape.about_a_request:
        return frozenset()
    numbers = {
        one.name for one in shape.takes if one.scope is Scope.REQUEST and not one.formula
    } | set(shape.adds)
    shown = {field for name in numbers for field in SHOWS.get(name, ())}
    return frozenset(shown | {*SHOWN_BY_THE_CLIENT, SHOWN_BY_THE_OUTPUT})


def decidable(adapter: Adapter) -> frozenset[str]:
    """The booleans that a payload of this source can make true or false; no other ever is."""
    return frozenset(name for shape in adapter.shapes for name in _decidable(shape))


def _decidable(shape: Shape) -> Iterator[str]:
    fields = evidence_fields(shape)
    for derivations in DERIVATIONS.values():
        for derivation in derivations:
            needed = {one for one in derivation.reads if one.rpartition("/")[2] not in TEXTS}
            if derivation.name not in BOUND and needed <= fields:
                yield derivation.name


def table(adapters: tuple[Adapter, ...]) -> Iterator[tuple[str, tuple[bool, ...]]]:
    """For each boolean, whether each adapter can ever decide it."""
    sets = [decidable(adapter) for adapter in adapters]
    for name in BOOLEAN_NAMES:
        yield name, tuple(name in one for one in sets)
