"""The bulk engine: the table compiled to bit masks, and to look-ups over packed packets.

A packed packet is a uint32 or a uint64. Bits 0 to 14 number the combination of the stage's own
booleans, among those of all stages; bits 15 to 21 are the common booleans; any bits above are the
caller's own. Packets with nothing amiss are thus near each other, which caches like.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from genconform.lifecycle.packet import Case, Stage
from genconform.lifecycle.space import COMMON_NAMES, StageSpace, space_of, spaces
from genconform.spec.table import Line, Table

OWN_BITS = 15
PACKED_BITS = OWN_BITS + len(COMMON_NAMES)
NO_ROUTE = ""
NO_CODE = 255
_CHUNK = 1 << 17

Codes = NDArray[np.uint8]
Packed = NDArray[np.uint32] | NDArray[np.uint64]


@dataclass(frozen=True)
class Outcome:
    """What a line does when it decides: the route, and how the state after differs.

    `counters` holds what is added to each of the table's counters, in its order; `consumes` says
    whether the event's digest is consumed.
    """

    route: str
    next: str
    counters: tuple[int, ...]
    consumes: bool


@dataclass(frozen=True)
class StageOutcomes:
    """What becomes of every combination of a stage: `outcomes[codes[index]]`.

    The space is a grid, a row for each combination of the common booleans and a column for each of
    the stage's own. Most rows are alike: `rows` holds the different ones, uint8 (k, own size), and
    `row_of` says which of them each row of the grid is, intp (128,).
    """

    stage: str
    outcomes: tuple[Outcome, ...]
    rows: Codes
    row_of: NDArray[np.intp]

    @cached_property
    def codes(self) -> Codes:
        """The place in `outcomes` of what becomes of each combination: uint8 (size,)."""
        return self._spread(np.arange(len(self.outcomes), dtype=np.uint8))

    def route_codes(self, routes: tuple[str, ...]) -> Codes:
        """The place in `routes` of each combination's route, or NO_CODE where it has none."""
        place = {route: code for code, route in enumerate(routes)}
        found = [place.get(outcome.route, NO_CODE) for outcome in self.outcomes]
        return self._spread(np.array(found, np.uint8))

    def after(self, within: slice = slice(None)) -> After:
        """The change of state of each combination, or of those within a slice."""
        stages = list(Stage)
        following = np.array([stages.index(Stage(one.next)) for one in self.outcomes], np.uint8)
        added = np.array([one.counters for one in self.outcomes], np.uint8)
        consumes = np.array([one.consumes for one in self.outcomes], np.bool_)
        codes = self.codes[within]
        return After(following[codes], added[codes], consumes[codes])

    def differences(self, other: StageOutcomes) -> NDArray[np.intp]:
        """The numbers, in order, of the combinations whose outcome is not the same in `other`."""
        shared = {outcome: code for code, outcome in enumerate(dict.fromkeys(self.outcomes))}
        ours = np.array([shared[outcome] for outcome in self.outcomes], np.uint8)
        theirs = np.array([shared.get(one, NO_CODE) for one in other.outcomes], np.uint8)
        return np.flatnonzero(self._spread(ours) != other._spread(theirs))

    def _spread(self, code_of: Codes) -> Codes:
        """One code for each combination, given one for each outcome."""
        return code_of[self.rows][self.row_of].reshape(-1)


@dataclass(frozen=True)
class After:
    """How the state after differs, one row a combination.

    stage: uint8 (n,), place in Stage. counters: uint8 (n, 8), what is added. consumes: bool (n,),
    whether the event's digest is consumed.
    """

    stage: Codes
    counters: Codes
    consumes: NDArray[np.bool_]


@dataclass(frozen=True)
class BulkEngine:
    """A compiled table. `routes` gives codes their meaning."""

    routes: tuple[str, ...]
    stages: Mapping[str, StageOutcomes]

    def codes(self, stage: str) -> Codes:
        """The route code of every combination of a stage."""
        return self.stages[stage].route_codes(self.routes)

    def after(self, stage: str, within: slice = slice(None)) -> After:
        """The change of state of every combination of a stage, or of those within a slice."""
        return self.stages[stage].after(within)

    def route(self, packed: Packed, out: Codes | None = None) -> Codes:
        """The route code of each packed packet; NO_CODE for a number that is no packet's.

        Args:
            packed: uint32 or uint64 (n,).
            out: uint8 (n,) to write to.
        """
        if out is None:
            out = np.empty(packed.shape, np.uint8)
        low = packed.dtype.type((1 << PACKED_BITS) - 1)
        scratch = np.empty(min(_CHUNK, packed.size), packed.dtype)
        for start in range(0, packed.size, _CHUNK):
            chunk = packed[start : start + _CHUNK]
            index = np.bitwise_and(chunk, low, out=scratch[: chunk.size])
            if index.itemsize == np.intp().itemsize:
                index = index.view(np.intp)  # what take wants; it would copy anything else
            # Every index is inside the table, so that clip changes nothing and saves a check.
            self.flat.take(index, out=out[start : start + _CHUNK], mode="clip")
        return out

    @cached_property
    def flat(self) -> Codes:
        """The route code of every packed packet: uint8 (2 ** PACKED_BITS,)."""
        flat = np.full((1 << len(COMMON_NAMES), 1 << OWN_BITS), NO_CODE, np.uint8)
        for space in spaces():
            first = _FIRST_OWN[space.stage]
            grid = self.codes(space.stage).reshape(len(flat), -1)
            flat[:, first : first + grid.shape[1]] = grid
        return flat.reshape(-1)


def _first_owns() -> dict[str, int]:
    """The number of each stage's first combination of its own booleans."""
    ends = accumulate((1 << space.own_bits for space in spaces()), initial=0)
    return {space.stage: first for space, first in zip(spaces(), ends, strict=False)}


_FIRST_OWN = _first_owns()


def compile_table(table: Table, routes: tuple[str, ...] | None = None) -> BulkEngine:
    """Compile a table; codes are places in `routes`, by default the table's own.

    Raises:
        KeyError: a line asks about a name that is not in its stage's space.
    """
    return BulkEngine(
        routes or table.routes(),
        {space.stage: stage_outcomes(table, space.stage) for space in spaces()},
    )


def route_codes(table: Table, stage: str, routes: tuple[str, ...] | None = None) -> Codes:
    """The route code of every combination of one stage, compiled alone.

    Raises:
        KeyError: a line asks about a name that is not in the stage's space.
    """
    return stage_outcomes(table, stage).route_codes(routes or table.routes())


def stage_outcomes(table: Table, stage: str) -> StageOutcomes:
    """What becomes of every combination of one stage.

    Where no line is taken, which the loader of tables does not allow but a mutant may have, the
    route is NO_ROUTE and the state stays.

    Raises:
        KeyError: a line asks about a name that is not in the stage's space.
    """
    lines = table.lines(stage)
    outcomes = [_outcome(table, stage, line) for line in lines]
    nothing = Outcome(NO_ROUTE, stage, (0,) * len(table.counters), False)
    return StageOutcomes(stage, (*outcomes, nothing), *_deciding(space_of(stage), lines))


def pack(cases: Iterable[Case]) -> NDArray[np.uint64]:
    """Pack cases for `BulkEngine.route`: uint64 (n,).

    Above the packet stands the place of its case, so that packets which were sorted or filtered
    still say where they come from: `packed >> PACKED_BITS`.
    """
    packets = (
        place << PACKED_BITS
        | packed_packet(case.state.stage, space_of(case.state.stage).index_of(case))
        for place, case in enumerate(cases)
    )
    return np.fromiter(packets, np.uint64)


def packed_packet(stage: str, index: int) -> int:
    """The packet that has this number in the space of its stage, packed."""
    own_bits = space_of(stage).own_bits
    own, common = index & (1 << own_bits) - 1, index >> own_bits
    return common << OWN_BITS | _FIRST_OWN[stage] + own


def _outcome(table: Table, stage: str, line: Line) -> Outcome:
    if not line.accepts:
        return Outcome(line.route, stage, (0,) * len(table.counters), False)
    added = table.counters_added(stage, line.route)
    counters = tuple(added.count(counter.name) for counter in table.counters)
    return Outcome(line.route, table.row(stage).next, counters, True)


@dataclass(frozen=True)
class _Mask:
    """A condition on some bits: they are asked, and these values are wanted."""

    asked: int
    wanted: int

    def within(self, index: int, asked: int) -> _Mask | None:
        """What is left of the condition once the bits in `asked` are those of `index`.

        None if they are not as wanted.
        """
        if (index ^ self.wanted) & self.asked & asked:
            return None
        return _Mask(self.asked & ~asked, self.wanted & ~asked)

    def held(self, index: NDArray[np.uint32]) -> NDArray[np.bool_]:
        held: NDArray[np.bool_] = (index & np.uint32(self.asked)) == np.uint32(self.wanted)
        return held


@dataclass(frozen=True)
class _MaskedLine:
    """A line as masks: taken when `when` is held and `unless`, if there is one, is not."""

    number: int
    when: _Mask
    unless: _Mask | None

    @property
    def unconditional(self) -> bool:
        return not self.when.asked and self.unless is None

    def within(self, index: int, asked: int) -> _MaskedLine | None:
        """The line once the bits in `asked` are those of `index`; None if it cannot be taken."""
        when = self.when.within(index, asked)
        unless = self.unless and self.unless.within(index, asked)
        if when is None or (unless is not None and not unless.asked):
            return None
        return _MaskedLine(self.number, when, unless)

    def taken(self, index: NDArray[np.uint32]) -> NDArray[np.bool_]:
        taken = self.when.held(index)
        return taken if self.unless is None else taken & ~self.unless.held(index)


def _deciding(space: StageSpace, lines: tuple[Line, ...]) -> tuple[Codes, NDArray[np.intp]]:
    """The number of the line that decides each combination, as rows and `row_of`.

    Given the row, which fixes the common booleans, a line is a smaller line about the stage's own,
    or is never taken. Rows in which the same smaller lines are left are alike. The number is
    len(lines) where no line is taken.
    """
    own = len(space.names) - len(COMMON_NAMES)
    masked = [_masked(space, number, line) for number, line in enumerate(lines)]
    common = (1 << len(COMMON_NAMES)) - 1
    left = [_left_in_row(masked, row << own, common << own) for row in range(common + 1)]
    place = {smaller: number for number, smaller in enumerate(dict.fromkeys(left))}
    columns = np.arange(1 << own, dtype=np.uint32)
    rows = np.stack([_first_taken(smaller, columns, len(lines)) for smaller in place])
    return rows, np.array([place[smaller] for smaller in left], np.intp)


def _left_in_row(lines: list[_MaskedLine], index: int, asked: int) -> tuple[_MaskedLine, ...]:
    left = []
    for line in lines:
        within = line.within(index, asked)
        if within is not None:
            left.append(within)
            if within.unconditional:
                break
    return tuple(left)


def _first_taken(lines: tuple[_MaskedLine, ...], index: NDArray[np.uint32], none: int) -> Codes:
    first = np.full(index.shape, none, np.uint8)
    for line in reversed(lines):
        first[line.taken(index)] = line.number
    return first


def _masked(space: StageSpace, number: int, line: Line) -> _MaskedLine:
    unless = _mask(space, line.unless) if line.unless else None
    return _MaskedLine(number, _mask(space, line.when), unless)


def _mask(space: StageSpace, values: Mapping[str, bool]) -> _Mask:
    bit = {name: 1 << place for place, name in enumerate(space.names)}
    asked = sum(bit[name] for name in values)
    return _Mask(asked, sum(bit[name] for name, wanted in values.items() if wanted))
