"""The bulk engine says of every combination what its table says, whatever the table."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import DTypeLike

from genconform.errors import Unsupported
from genconform.lifecycle import compiled
from genconform.lifecycle.bulk import (
    NO_CODE,
    NO_ROUTE,
    PACKED_BITS,
    BulkEngine,
    compile_table,
    pack,
    packed_packet,
    route_codes,
    stage_outcomes,
)
from genconform.lifecycle.compiled import compiled_route, halves, look_up
from genconform.lifecycle.machine import step
from genconform.lifecycle.packet import Case, Stage
from genconform.lifecycle.space import TOTAL_SIZE, StageSpace, space_of, spaces
from genconform.spec.table import Line, Table
from tests.lifecycle.strategies import CASES, COMBINATIONS


@pytest.fixture(scope="module")
def engine(table: Table) -> BulkEngine:
    return compile_table(table)


@pytest.fixture(scope="module")
def packets() -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
    """Every packet once, in an order that has nothing to do with the spaces'."""
    every = [packed_packet(space.stage, index) for space in spaces() for index in space]
    return np.random.default_rng(7).permutation(np.array(every, np.uint32))


@given(COMBINATIONS)
def test_a_case_goes_where_the_machine_sends_it(
    engine: BulkEngine, combination: tuple[StageSpace, int]
) -> None:
    space, index = combination
    case = space.case(index)
    after, taken = step(case.state, case.event)
    moved = engine.after(space.stage, slice(index, index + 1))
    assert engine.routes[engine.codes(space.stage)[index]] == taken
    assert list(Stage)[moved.stage[0]] is after.stage
    gained = np.subtract(
        msgspec.structs.astuple(after.counters), msgspec.structs.astuple(case.state.counters)
    )
    assert moved.counters[0].tolist() == gained.tolist()
    assert bool(moved.consumes[0]) is (len(after.consumed_event_digests) > len(_consumed(case)))


def _consumed(case: Case) -> tuple[str, ...]:
    return case.state.consumed_event_digests


STAGE = Stage.MODE_SELECTED
SPACE = space_of(STAGE)
CONDITIONS = st.dictionaries(st.sampled_from(SPACE.names), st.booleans(), max_size=3)
LINES = st.lists(
    st.builds(
        lambda route, when, unless, accepts: Line(route, when, unless, accepts=accepts),
        st.sampled_from(["rejectWrongStage", "requireGenerator", "acceptGeneration"]),
        CONDITIONS,
        CONDITIONS,
        st.booleans(),
    ),
    max_size=5,
)


@given(LINES, LINES)
def test_any_lines_are_compiled_to_what_they_say(
    table: Table, common: list[Line], own: list[Line]
) -> None:
    """Even those that no loader lets through: mutants have them."""
    changed: Table = msgspec.structs.replace(
        table,
        common_lines=tuple(common),
        stage_lines=table.stage_lines | {STAGE.value: tuple(own)},
    )
    outcomes = stage_outcomes(changed, STAGE)
    for index in range(0, SPACE.size, 7):
        values = SPACE.values(index)
        taken = next((line for line in (*common, *own) if line.taken(values)), None)
        outcome = outcomes.outcomes[outcomes.codes[index]]
        assert outcome.route == (taken.route if taken else NO_ROUTE)
        assert outcome.consumes is (taken is not None and taken.accepts)
        assert outcome.next == ("draftGenerated" if outcome.consumes else STAGE)


def test_a_line_about_another_stage_is_not_compiled(table: Table) -> None:
    lines = (Line("requireCleanup", {"cleanup": False}), *table.stage_lines[STAGE])
    changed = msgspec.structs.replace(table, stage_lines=table.stage_lines | {STAGE.value: lines})
    with pytest.raises(KeyError, match="cleanup"):
        route_codes(changed, STAGE)


def test_differences_are_the_cases_that_changed(table: Table) -> None:
    lines = table.stage_lines[STAGE]
    without = msgspec.structs.replace(
        table, stage_lines=table.stage_lines | {STAGE.value: lines[1:]}
    )
    ours, theirs = stage_outcomes(table, STAGE), stage_outcomes(without, STAGE)
    assert ours.differences(ours).size == 0
    changed = ours.differences(theirs)
    assert changed.tolist() == theirs.differences(ours).tolist()
    expected = np.flatnonzero(route_codes(table, STAGE) == table.routes().index(lines[0].route))
    assert changed.tolist() == expected.tolist()


def test_codes_can_be_counted_in_the_routes_of_another_table(table: Table) -> None:
    backwards = table.routes()[::-1]
    codes = route_codes(table, STAGE)
    assert (59 - codes == route_codes(table, STAGE, backwards)).all()
    assert (route_codes(table, STAGE, ("acceptGeneration",)) == NO_CODE).sum() == len(codes) - 1


@pytest.mark.parametrize("dtype", [np.uint32, np.uint64])
def test_packed_packets_take_the_route_of_their_place_in_the_space(
    engine: BulkEngine,
    packets: np.ndarray[tuple[int], np.dtype[np.uint32]],
    dtype: DTypeLike,
) -> None:
    every = np.concatenate([engine.codes(space.stage) for space in spaces()])
    order = np.random.default_rng(7).permutation(np.arange(TOTAL_SIZE))
    marked = packets.astype(dtype) | np.array(5 << PACKED_BITS, dtype)
    assert (engine.route(marked) == every[order]).all()


def test_routes_are_written_to_the_array_given(
    engine: BulkEngine, packets: np.ndarray[tuple[int], np.dtype[np.uint32]]
) -> None:
    out = np.empty(1000, np.uint8)
    assert engine.route(packets[:1000], out) is out
    assert (out == engine.route(packets[:1000])).all()
    assert engine.route(packets[:0]).size == 0


def test_a_number_that_is_no_packet_has_no_route(engine: BulkEngine) -> None:
    nobody = np.array([(1 << PACKED_BITS) - 1, (1 << 15) - 1], np.uint32)
    assert engine.route(nobody).tolist() == [NO_CODE, NO_CODE]
    assert (engine.flat != NO_CODE).sum() == TOTAL_SIZE


@given(st.lists(CASES, max_size=5))
def test_packed_cases_take_their_routes_and_know_their_places(
    engine: BulkEngine, cases: list[Case]
) -> None:
    packed = pack(cases)
    routes = [engine.routes[code] for code in engine.route(packed)]
    assert routes == [step(case.state, case.event)[1] for case in cases]
    assert (packed >> np.uint64(PACKED_BITS)).tolist() == list(range(len(cases)))


def test_two_look_ups_give_the_same_as_one(
    engine: BulkEngine, packets: np.ndarray[tuple[int], np.dtype[np.uint32]]
) -> None:
    some = packets[:20_000]
    out = np.empty(some.shape, np.uint8)
    look_up(some, *halves(engine), out)
    assert (out == engine.route(some)).all()


def test_compiled_they_give_the_same(
    engine: BulkEngine, packets: np.ndarray[tuple[int], np.dtype[np.uint32]]
) -> None:
    pytest.importorskip("numba")
    route = compiled_route(engine)
    for dtype in (np.uint32, np.uint64):
        marked = packets.astype(dtype) | np.array(9 << PACKED_BITS, dtype)
        assert (route(marked, np.empty(marked.shape, np.uint8)) == engine.route(marked)).all()


def test_two_look_ups_cannot_hold_a_table_whose_stages_share_no_common_lines(
    table: Table,
) -> None:
    line = Line("rejectWrongStage", {"kindMatches": False, "generator": True})
    lines = (line, *table.stage_lines[STAGE])
    changed = msgspec.structs.replace(
        table,
        common_lines=table.common_lines[1:],
        stage_lines=table.stage_lines | {STAGE.value: lines},
    )
    with pytest.raises(Unsupported, match="does not fall into"):
        halves(compile_table(changed))


def test_without_numba_the_compiled_look_up_says_how_to_get_it(
    engine: BulkEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled, "find_spec", lambda name: None)
    with pytest.raises(Unsupported, match=r"genconform\[fast\]"):
        compiled_route(engine)
