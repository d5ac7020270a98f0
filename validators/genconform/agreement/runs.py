"""Agreement on random runs: they leave the happy path, repeat digests, substitute identities.

The whole space fixes one state for each combination. Runs go on from states that other engines
left, with consumed digests in any order, counters of any size, and identity values that are each
other's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import msgspec
from msgspec.structs import astuple

from genconform.agreement.engines import Engines, differing
from genconform.lifecycle.bulk import NO_ROUTE, pack
from genconform.lifecycle.packet import (
    BOOLEAN_NAMES,
    NO_COUNTS,
    Case,
    Counters,
    Event,
    EventKind,
    Identity,
    Packet,
    Stage,
    State,
)
from genconform.lifecycle.space import KIND_OF, space_of

STEPS = 12
# Few, so that values which should differ are now and then the same. One is as long as digests are.
_VALUES = ("a", "b", "sha256:" + "c" * 64, "\N{GREEK SMALL LETTER DELTA}", "0")
_UNUSUAL = 0.12


@dataclass(frozen=True)
class Stray:
    """A rule that some steps of the runs break: how many, and the smallest case found."""

    rule: str
    steps: int
    smallest: Case


def compare_runs(engines: Engines, seed: int, runs: int) -> tuple[int, tuple[Stray, ...]]:
    """Compare the engines on so many random runs.

    Returns:
        How many steps the runs had, and what strayed.
    """
    cases = [case for run in range(runs) for case in random_run(engines, Random(seed + run))]
    broken: dict[str, list[Case]] = {}
    for case, code in zip(cases, engines.bulk.route(pack(cases)).tolist(), strict=True):
        answers = engines.answers(case)
        packed = engines.bulk.routes[code] if code < len(engines.bulk.routes) else NO_ROUTE
        if packed != answers["bulk"].route:
            answers["bulk"] = replace(answers["bulk"], route=packed)
        for rule in differing(answers):
            broken.setdefault(rule, []).append(case)
    strays = (
        Stray(rule, len(found), _shrunk(engines, rule, found[0])) for rule, found in broken.items()
    )
    return len(cases), tuple(strays)


def random_run(engines: Engines, random: Random) -> Iterator[Case]:
    """One run of STEPS events, each on the state that the machine left."""
    state = _state(random)
    digests = [*state.consumed_event_digests]
    for step in range(STEPS):
        event = _event(random, state, [*digests, f"event {step}"])
        yield Case(state, event)
        digests.append(event.packet.event_digest)
        state, _ = engines.machine.step(state, event)


def _state(random: Random) -> State:
    """Any state; most are at the beginning, and most of the beginnings are clean."""
    if random.random() < 0.5:
        return State(Stage.REQUESTED, _identity(random), (), NO_COUNTS)
    consumed = tuple(random.choice(_VALUES) for _ in range(random.randrange(4)))
    counters = Counters(*(random.choice((0, 0, 1, 2, 10**12)) for _ in astuple(NO_COUNTS)))
    return State(random.choice(list(Stage)), _identity(random), consumed, counters)


def _identity(random: Random) -> Identity:
    names = Identity.__struct_fields__
    values: dict[str, Any] = {name: random.choice(_VALUES) for name in names}
    return Identity(**(values | {"task_version": random.randrange(3)}))


def _event(random: Random, state: State, digests: list[str]) -> Event:
    """An event that is mostly as the stage asks, with something unusual now and then."""

    def unusual() -> bool:
        return random.random() < _UNUSUAL

    values = _substituted(random, state.identity) if unusual() else astuple(state.identity)
    digest = random.choice(digests) if unusual() else digests[-1]
    kind = random.choice(list(EventKind)) if unusual() else KIND_OF[state.stage]
    fields: tuple[Any, ...] = (*values, digest, *_booleans(random, state.stage))
    return Event(kind, Packet(*fields))


def _substituted(random: Random, identity: Identity) -> tuple[Any, ...]:
    """Another identity in one place or more, or with the two slots exchanged."""
    values = list(astuple(identity))
    if random.random() < 0.2:
        values[-2:] = reversed(values[-2:])
    other = astuple(_identity(random))
    for place in random.sample(range(len(values)), random.choice((1, 1, 1, 2, 3))):
        values[place] = _nearly(random, values[place]) if random.random() < 0.5 else other[place]
    return tuple(values)


def _nearly(random: Random, value: Any) -> Any:
    """A value that only a comparison of all of it tells from this one."""
    if isinstance(value, int):
        return value + 1
    return random.choice((value + " ", value[:-1] + "d", "d" + value[1:], value.upper()))


def _booleans(random: Random, stage: Stage) -> list[bool]:
    """The stage's plain combination with few, some or half of its booleans turned over."""
    space = space_of(stage)
    plain = space.values(space.plain)
    share = random.choice((0.0, 0.0, 0.02, 0.1, 0.5))
    return [
        plain.get(name, random.random() < 0.5) ^ (random.random() < share) for name in BOOLEAN_NAMES
    ]


def _shrunk(engines: Engines, rule: str, case: Case) -> Case:
    """A smaller case that breaks the same rule: nothing in it can be mended one by one."""
    for smaller in _smaller(case):
        if rule in differing(engines.answers(smaller)):
            return _shrunk(engines, rule, smaller)
    return case


def _smaller(case: Case) -> Iterator[Case]:
    """The same case with one thing less about it."""
    state, packet = case.state, case.event.packet

    def with_state(**changes: object) -> Case:
        return Case(msgspec.structs.replace(state, **changes), case.event)

    def with_packet(**changes: object) -> Case:
        changed = msgspec.structs.replace(packet, **changes)
        return Case(state, Event(case.event.kind, changed))

    if case.event.kind != KIND_OF[state.stage]:
        yield Case(state, Event(KIND_OF[state.stage], packet))
    for number in range(len(state.consumed_event_digests)):
        digests = list(state.consumed_event_digests)
        del digests[number]
        yield with_state(consumed_event_digests=tuple(digests))
    if state.counters != NO_COUNTS:
        yield with_state(counters=NO_COUNTS)
    for name in Identity.__struct_fields__:
        if getattr(packet, name) != getattr(state.identity, name):
            yield with_packet(**{name: getattr(state.identity, name)})
    plain = space_of(state.stage).values(space_of(state.stage).plain)
    for field in msgspec.structs.fields(Packet):
        usual = plain.get(field.encode_name, False)
        if field.encode_name in BOOLEAN_NAMES and getattr(packet, field.name) is not usual:
            yield with_packet(**{field.name: usual})
