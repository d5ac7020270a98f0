"""What would kill a survivor: the smallest change of an accepted run that it decides otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from genconform.lifecycle.packet import Case, Identity
from genconform.lifecycle.space import space_of
from genconform.mutation.equivalence import Difference, MemoryDifference, SpaceDifference

_FROM_STATE = "fallbackActivated"


class Base(NamedTuple):
    """A case of an accepted run, and the name by which authors call the run."""

    name: str
    case: Case


class _Change(NamedTuple):
    base: Base
    set: dict[str, Any]
    expected: str
    actual: str


def suggest(difference: Difference, bases: Sequence[Base]) -> str:
    """A mutation, or a run, that tells the table from the mutant, for an author to add."""
    if isinstance(difference, MemoryDifference):
        expected, actual = _told(difference.expected, difference.actual)
        return (
            f"a run in which the event at {difference.stage} has the digest of "
            f"{difference.earlier}, and takes {expected}, where the mutant gives {actual}"
        )
    changes = [
        change
        for one in difference
        for base in bases
        if base.case.state.stage == one.stage and (change := _smallest(one, base)) is not None
    ]
    if not changes:
        return f"a run that meets {difference[0].stage} otherwise than any fixture"
    best = min(changes, key=lambda change: len(change.set))
    values = ", ".join(f"{name}: {_yaml(value)}" for name, value in best.set.items())
    place = f"base: {best.base.name}, at: {best.base.case.state.stage}"
    return (
        f"a mutation such as {{{place}, set: {{{values}}}, expect: {best.expected}}}, "
        f"where the mutant gives {best.actual}"
    )


def _smallest(one: SpaceDifference, base: Base) -> _Change | None:
    """The case that differs least from the base's own, as values to set; None if none can be."""
    state, event = base.case.state, base.case.event
    space = space_of(one.stage)
    own_names = space.names[: space.own_bits]
    differing = one.own ^ space.index_of(base.case) & ((1 << space.own_bits) - 1)
    places = [place for place in range(one.own.size) if _can_be_set(own_names, differing[place])]
    replays = not one.direct["digestFresh"]
    if not places or (replays and not state.consumed_event_digests):
        return None
    place = min(places, key=lambda place: int(differing[place]).bit_count())
    changed: dict[str, Any] = {} if one.origin.kind == event.kind else {"kind": one.origin.kind}
    changed |= {name: _another(state.identity, name) for name in one.origin.substituted}
    if replays:
        changed["eventDigest"] = state.consumed_event_digests[0]
    if one.direct["externalEffectRequested"]:
        changed["externalEffectRequested"] = True
    for bit, name in enumerate(own_names):
        if differing[place] >> bit & 1:
            changed[name] = bool(one.own[place] >> bit & 1)
    return _Change(base, changed, *_told(one.expected[place].route, one.actual[place].route))


def _can_be_set(names: tuple[str, ...], differing: int) -> bool:
    """Whether nothing differs that comes from the state, which an author's change keeps."""
    return _FROM_STATE not in names or not differing >> names.index(_FROM_STATE) & 1


def _another(identity: Identity, name: str) -> str | int:
    value: str | int = msgspec.to_builtins(identity)[name]
    return value + 1 if isinstance(value, int) else f"another {value}"


def _told(expected: str, actual: str) -> tuple[str, str]:
    """Two routes as a person is told of them; where they agree, the states after differ."""
    return expected, "another state after it" if actual == expected else actual or "no route"


def _yaml(value: str | int | bool) -> str:
    return msgspec.json.encode(value).decode()
