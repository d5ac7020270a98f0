"""The numbered cases of Encoding.lean, as states and events of the Python machine.

Written to say the same as that file: where Lean has a number for a digest, here is its decimal
text. If the two ever said different things, their answers would differ and the certificate fail.
"""

from __future__ import annotations

from typing import Any

from genconform.lifecycle.packet import (
    BOOLEAN_NAMES,
    Case,
    Counters,
    Event,
    EventKind,
    Identity,
    Packet,
    Stage,
    State,
)
from genconform.lifecycle.space import COMMON_NAMES, KIND_OF, OWN_NAMES

UNCAUGHT = 0b0111111
"""The common number of a case that no common line takes: all match, no effect is requested."""

COMMON_BITS = len(COMMON_NAMES)
_STAGES = list(Stage)
_KINDS = list(EventKind)
_IDENTITY = tuple(range(1, 11))
# The condition that each identity value belongs to, the size of its group, its place in it.
_GROUPS = [(1, 5), (2, 2), (3, 1), (4, 2)]
_MEMBERS = [(condition, size, place) for condition, size in _GROUPS for place in range(size)]


def own_bits(stage: Stage) -> int:
    """How many booleans of its own a stage has."""
    return len(OWN_NAMES[stage])


def case_at(stage: Stage, own: int, common: int) -> Case:
    """The case of a stage with these two numbers."""
    named = [
        value if common >> condition & 1 or common // 7 % size != place else 0
        for value, (condition, size, place) in zip(_IDENTITY, _MEMBERS, strict=True)
    ]
    asked = {name: bool(own >> bit & 1) for bit, name in enumerate(OWN_NAMES[stage])}
    asked["externalEffectRequested"] = bool(common >> 6 & 1)
    unasked = bool(own // 3 & 1)
    booleans = [asked.get(name, unasked) for name in BOOLEAN_NAMES]
    fields: list[Any] = [*_values(named), "0", *booleans]
    packet = Packet(*fields)
    return Case(_state(stage, own, common), Event(_kind(stage, common), packet))


def field_values(stage: Stage, own: int, common: int) -> dict[str, bool]:
    """What the case says about each thing that its stage asks for, by name."""
    names = (*OWN_NAMES[stage], *COMMON_NAMES)
    number = own | common << own_bits(stage)
    return {name: bool(number >> bit & 1) for bit, name in enumerate(names)}


def signature(state: State) -> tuple[int, ...]:
    """A state as the 21 digits of Encoding.lean."""
    consumed = state.consumed_event_digests
    identity = state.identity
    return (
        _STAGES.index(state.stage),
        state.counters.receipts,
        state.counters.drafts,
        state.counters.verifications,
        state.counters.fallbacks,
        state.counters.useful_outcomes,
        state.counters.decisions,
        state.counters.support_assignments,
        state.counters.external_effects,
        len(consumed),
        int(consumed[-1]) if consumed else 63,
        int(identity.task_id),
        identity.task_version,
        int(identity.context_digest),
        int(identity.task_set_digest),
        int(identity.consumer_digest),
        int(identity.mode_digest),
        int(identity.baseline_digest),
        int(identity.verifier_digest),
        int(identity.result_digest),
        int(identity.residual_digest),
    )


def _values(identity: list[int]) -> list[Any]:
    """Identity values in order; all are text but the second, taskVersion."""
    return [value if place == 1 else str(value) for place, value in enumerate(identity)]


def _kind(stage: Stage, common: int) -> EventKind:
    own = _KINDS.index(KIND_OF[stage])
    return _KINDS[own if common & 1 else (own + 1 + common // 7 % 6) % len(_KINDS)]


def _state(stage: Stage, own: int, common: int) -> State:
    number = _STAGES.index(stage)
    latest_first = list(range(number, 0, -1))
    if not common >> 5 & 1:
        latest_first.insert(common // 7 % (number + 1), 0)
    fell_back = own >> 7 & 1 if stage is Stage.VERIFIED else 0
    return State(
        stage,
        Identity(*_values(list(_IDENTITY))),
        tuple(str(digest) for digest in reversed(latest_first)),
        Counters(11, 12, 13, fell_back, 15, 16, 17, 18),
    )
