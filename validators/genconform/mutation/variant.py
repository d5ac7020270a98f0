"""A lifecycle that may be wrong: a table, and what a table does not say.

The faithful variant of spec/lifecycle.yaml behaves as the hand-written machine does. A mutant is
another variant, run on the same inputs.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from genconform.lifecycle.packet import Event, State
from genconform.lifecycle.table_engine import TableEngine
from genconform.spec.table import Table


class Recall(StrEnum):
    """Which of the consumed digests an event's own is compared with."""

    EVERY = "every"
    LAST = "last"
    NONE = "none"


class Semantics(Struct, frozen=True):
    """What a lifecycle does that its table does not say. The defaults are as they should be.

    `unconsumed` names a stage whose accepted event leaves no digest behind.
    """

    recall: Recall = Recall.EVERY
    unconsumed: str = ""
    consumes_rejected: bool = False
    counts_rejected: bool = False


FAITHFUL = Semantics()


@dataclass(frozen=True)
class Variant:
    """A table, with its semantics, as a state machine."""

    table: Table
    semantics: Semantics = FAITHFUL

    def step(self, state: State, event: Event) -> tuple[State, str]:
        """The state after, and the route."""
        if self.semantics == FAITHFUL:
            return self._engine.step(state, event)
        seen = replace(state, consumed_event_digests=self._recalled(state))
        after, route = self._engine.step(seen, event)
        if after is seen:
            return self._after_rejection(state, event), route
        consumes = state.stage != self.semantics.unconsumed
        return replace(after, consumed_event_digests=_consumed(state, event, consumes)), route

    @cached_property
    def _engine(self) -> TableEngine:
        return TableEngine(self.table)

    def _recalled(self, state: State) -> tuple[str, ...]:
        consumed = state.consumed_event_digests
        match self.semantics.recall:
            case Recall.EVERY:
                return consumed
            case Recall.LAST:
                return consumed[-1:]
            case Recall.NONE:
                return ()

    def _after_rejection(self, state: State, event: Event) -> State:
        digests = _consumed(state, event, self.semantics.consumes_rejected)
        receipts = state.counters.receipts + self.semantics.counts_rejected
        return replace(
            state,
            consumed_event_digests=digests,
            counters=replace(state.counters, receipts=receipts),
        )


def _consumed(state: State, event: Event, consumes: bool) -> tuple[str, ...]:
    more = (event.packet.event_digest,) if consumes else ()
    return state.consumed_event_digests + more
