"""Variants: the faithful one is the machine, and each flaw of semantics is the one it names."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from genconform.lifecycle.machine import ACCEPTING, step
from genconform.lifecycle.packet import NO_COUNTS, Event, Stage, State
from genconform.lifecycle.space import IDENTITY, space_of
from genconform.mutation.variant import FAITHFUL, Recall, Semantics, Variant
from genconform.spec.table import load_table
from genconform.tree import find_tree

TABLE = load_table(find_tree())
STAGES = list(Stage)
START = State(Stage.REQUESTED, IDENTITY, (), NO_COUNTS)


def plain(stage: Stage, digest: str) -> Event:
    """An event in which nothing is amiss."""
    space = space_of(stage)
    event = space.case(space.plain).event
    return replace(event, packet=replace(event.packet, event_digest=digest))


def leaking(stage: Stage, digest: str) -> Event:
    event = plain(stage, digest)
    return replace(event, packet=replace(event.packet, external_effect_requested=True))


def run(semantics: Semantics, *events: Event) -> tuple[list[str], State]:
    variant, state, routes = Variant(TABLE, semantics), START, []
    for event in events:
        state, route = variant.step(state, event)
        routes.append(route)
    return routes, state


@st.composite
def events(draw: st.DrawFn) -> list[Event]:
    """Runs that mostly move on, with digests that often come again."""
    sent = []
    for stage in draw(st.lists(st.sampled_from(STAGES), min_size=1, max_size=12)):
        index = draw(st.one_of(st.just(space_of(stage).plain), st.integers(0, 127)))
        event = space_of(stage).case(index).event
        digest = draw(st.sampled_from("abcdefgh"))
        sent.append(replace(event, packet=replace(event.packet, event_digest=digest)))
    return sent


@given(events())
@settings(max_examples=200)
def test_the_faithful_variant_is_the_machine(sent: list[Event]) -> None:
    variant, state = Variant(TABLE), START
    for event in sent:
        assert variant.step(state, event) == step(state, event)
        state, _ = step(state, event)


@given(events())
def test_flawless_semantics_are_the_same_by_either_way(sent: list[Event]) -> None:
    """Semantics that differ from FAITHFUL only in a stage that is never left change nothing."""
    variant, state = Variant(TABLE, Semantics(unconsumed="closed")), START
    for event in sent:
        assert variant.step(state, event) == step(state, event)
        state, _ = step(state, event)


FIRST, SECOND, THIRD = STAGES[:3]


def test_only_the_last_digest_is_recalled() -> None:
    flaw = Semantics(recall=Recall.LAST)
    assert run(flaw, plain(FIRST, "a"), plain(SECOND, "a"))[0][1] == "rejectEventReplay"
    older = (plain(FIRST, "a"), plain(SECOND, "b"), plain(THIRD, "a"))
    assert run(flaw, *older)[0][2] == "acceptGeneration"
    assert run(FAITHFUL, *older)[0][2] == "rejectEventReplay"


def test_no_digest_is_recalled() -> None:
    routes, state = run(Semantics(recall=Recall.NONE), plain(FIRST, "a"), plain(SECOND, "a"))
    assert routes[1] in ACCEPTING
    assert state.consumed_event_digests == ("a", "a")


def test_a_stage_that_consumes_nothing() -> None:
    _, state = run(Semantics(unconsumed=FIRST), plain(FIRST, "a"), plain(SECOND, "b"))
    assert state.consumed_event_digests == ("b",)
    assert state.counters.receipts == 2


@pytest.mark.parametrize(
    ("flaw", "digests", "receipts"),
    [
        (FAITHFUL, (), 0),
        (Semantics(consumes_rejected=True), ("a",), 0),
        (Semantics(counts_rejected=True), (), 1),
    ],
)
def test_what_a_rejection_leaves(flaw: Semantics, digests: tuple[str, ...], receipts: int) -> None:
    routes, state = run(flaw, leaking(FIRST, "a"))
    assert routes == ["rejectAuthorityLeak"]
    assert (state.consumed_event_digests, state.counters.receipts) == (digests, receipts)
