"""The spaces hold every combination once, and a case realises its combination and nothing else."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given

from genconform.lifecycle.machine import ACCEPTING, route
from genconform.lifecycle.packet import BOOLEAN_NAMES, EventKind, Identity, Stage
from genconform.lifecycle.space import (
    COMMON_NAMES,
    TOTAL_SIZE,
    StageSpace,
    space_of,
    spaces,
    values_of,
)
from tests.lifecycle.strategies import COMBINATIONS

SMALL = [space for space in spaces() if space.size <= 8192]


def test_sizes_are_those_of_the_facts() -> None:
    assert [space.size.bit_length() - 1 - 7 for space in spaces()] == [6, 14, 5, 6, 8, 8, 5, 0]
    assert [space.stage for space in spaces()] == list(Stage)
    assert TOTAL_SIZE == 2_187_392


def test_stages_follow_each_other_without_a_gap() -> None:
    offset = 0
    for space in spaces():
        assert space.offset == offset
        assert list(space)[:3] == [0, 1, 2]
        offset += len(space)
    assert offset == TOTAL_SIZE


def test_every_boolean_is_in_some_space_and_in_the_order_of_the_packet() -> None:
    asked = {name for space in spaces() for name in space.names}
    assert asked == {*BOOLEAN_NAMES, *COMMON_NAMES, "fallbackActivated"}
    for space in spaces():
        own = [name for name in space.names[:-7] if name in BOOLEAN_NAMES]
        assert own == sorted(own, key=BOOLEAN_NAMES.index)
        assert space.names[-7:] == COMMON_NAMES


@given(COMBINATIONS)
def test_a_number_and_its_values_say_the_same(combination: tuple[StageSpace, int]) -> None:
    space, index = combination
    values = space.values(index)
    assert space.index(values) == index
    assert [bool(index >> bit & 1) for bit in range(len(space.names))] == list(values.values())


@given(COMBINATIONS)
def test_a_case_realises_its_combination(combination: tuple[StageSpace, int]) -> None:
    space, index = combination
    case = space.case(index)
    assert case.state.stage is space.stage
    assert space.index_of(case) == index
    assert values_of(case) | space.values(index) == values_of(case)
    assert msgspec.json.decode(msgspec.json.encode(case), type=type(case)) == case


@pytest.mark.parametrize("space", SMALL, ids=lambda space: space.stage.value)
def test_every_case_of_a_small_space_realises_its_combination(space: StageSpace) -> None:
    assert all(space.index_of(space.case(index)) == index for index in space)


@pytest.mark.parametrize("space", SMALL, ids=lambda space: space.stage.value)
def test_what_a_combination_leaves_open_varies(space: StageSpace) -> None:
    cases = [space.case(index) for index in space]
    kinds = {case.event.kind for case in cases}
    assert kinds == set(EventKind)
    for name in Identity.__struct_fields__:
        values = {getattr(case.event.packet, name) for case in cases}
        assert len(values) == 2, f"{name} is never substituted"
    free = [name for name in BOOLEAN_NAMES if name not in space.names]
    for name in free:
        assert {values_of(case)[name] for case in cases[:200]} == {True, False}
    replayed = {
        case.state.consumed_event_digests.index(case.event.packet.event_digest)
        for case in cases
        if case.event.packet.event_digest in case.state.consumed_event_digests
    }
    assert replayed == set(range(list(Stage).index(space.stage) + 1))


def test_the_plain_combination_is_accepted_wherever_anything_is() -> None:
    for space in spaces():
        case = space.case(space.plain)
        accepted = route(case.state, case.event) in ACCEPTING
        assert accepted is (space.stage is not Stage.CLOSED)


def test_a_stage_is_found_by_its_name() -> None:
    assert space_of("verified").stage is Stage.VERIFIED
