"""What would kill a survivor: the smallest change of an accepted run that it decides otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from genconform.lifecycle.bulk import Outcome
from genconform.lifecycle.packet import Case, Identity
from genconform.lifecycle.space import space_of
from genconform.mutation.equivalence import Difference, MemoryDifference, SpaceDifference

_FROM_STATE = "fallbackActivated"
_NEVER = 1 << 20


class Base(NamedTuple):
    """A case of an accepted run, and the name by which authors call the run."""

    name: str
    case: Case


class _Change(NamedTuple):
    """Values to set in a case; `accepted` says whether it is accepted then."""

    base: Base
    set: dict[str, Any]
    accepted: bool
    expected: str
    actual: str


def suggest(difference: Difference, bases: Sequence[Base]) -> str:
    """A mutation, or a run, that tells the table from the mutant, for an author to add."""
    if isinstance(difference, MemoryDifference):
        expected, actual = _distinct(difference.expected, difference.actual)
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
        return _run(min(difference, key=_unlike_a_plain_event))
    return _written(min(changes, key=lambda change: (change.accepted, len(change.set))))


def _unlike_a_plain_event(one: SpaceDifference) -> int:
    unusual = one.direct["externalEffectRequested"], not one.direct["digestFresh"]
    return len(one.origin.substituted) + sum(unusual)


def _run(one: SpaceDifference) -> str:
    """What a run must do, where no accepted one has an event at the stage."""
    another = "".join(f" and another {name}" for name in one.origin.substituted)
    expected, actual = _told(*one.both(-1))
    return (
        f"a run with {one.origin.kind} at {one.stage}{another}, which expects {expected}, "
        f"where the mutant gives {actual}"
    )


def _written(change: _Change) -> str:
    """A change as an author writes it: a mutation, or for what is accepted a valid run."""
    stage = change.base.case.state.stage.value
    values = ", ".join(f"{name}: {_yaml(value)}" for name, value in change.set.items())
    told = f"where the mutant gives {change.actual}"
    if change.accepted:
        like = f"like {change.base.name} but for {{{values}}}" if values else change.base.name
        return f"a valid run {like}, which at {stage} expects {change.expected}, {told}"
    return (
        f"a mutation such as {{base: {change.base.name}, at: {stage}, set: {{{values}}}, "
        f"expect: {change.expected}}}, {told}"
    )


def _smallest(one: SpaceDifference, base: Base) -> _Change | None:
    """The case that differs least from the base's own, as values to set; None if none can be."""
    state, event = base.case.state, base.case.event
    space = space_of(one.stage)
    own_names = space.names[: space.own_bits]
    differing = one.own ^ space.index_of(base.case) & ((1 << space.own_bits) - 1)
    replays = not one.direct["digestFresh"]
    possible = _can_be_set(own_names, differing)
    if not possible.any() or (replays and not state.consumed_event_digests):
        return None
    accepts = np.array([outcome.consumes for outcome in one.outcomes])[one.expected]
    cost = np.bitwise_count(differing) + accepts * len(own_names) + ~possible * _NEVER
    place = int(np.argmin(cost))
    changed: dict[str, Any] = {} if one.origin.kind == event.kind else {"kind": one.origin.kind}
    changed |= {name: _another(state.identity, name) for name in one.origin.substituted}
    if replays:
        changed["eventDigest"] = state.consumed_event_digests[0]
    if one.direct["externalEffectRequested"]:
        changed["externalEffectRequested"] = True
    for bit, name in enumerate(own_names):
        if differing[place] >> bit & 1:
            changed[name] = bool(one.own[place] >> bit & 1)
    expected, actual = one.both(place)
    return _Change(base, changed, expected.consumes, *_told(expected, actual))


def _can_be_set(names: tuple[str, ...], differing: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Where nothing differs that comes from the state, which an author's change keeps."""
    bit = 1 << names.index(_FROM_STATE) if _FROM_STATE in names else 0
    possible: NDArray[np.bool_] = (differing & bit) == 0
    return possible


def _another(identity: Identity, name: str) -> str | int:
    value: str | int = msgspec.to_builtins(identity)[name]
    return value + 1 if isinstance(value, int) else f"another {value}"


def _told(expected: Outcome, actual: Outcome) -> tuple[str, str]:
    return _distinct(expected.route, actual.route)


def _distinct(expected: str, actual: str) -> tuple[str, str]:
    """Two routes as a person is told of them; where they agree, the states after differ."""
    return expected, "another state after it" if actual == expected else actual or "no route"


def _yaml(value: str | int | bool) -> str:
    return msgspec.json.encode(value).decode()
