"""Evidence to the packet's booleans.

A boolean is shown where every comparison of its rule holds. An obligation is true when it is
shown. Five booleans are presumptions, true unless the evidence shows that they are not: silence
never helps a run.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from genconform.lifecycle.packet import BOOLEAN_NAMES, EventKind, Packet
from genconform.trace.format import TraceEvent
from genconform.trace.rules import account, bind, close, decide, generate, select, verify
from genconform.trace.rules.base import Derivation
from genconform.trace.shown import Shown, Unmet

DERIVATIONS: dict[EventKind, tuple[Derivation, ...]] = {
    module.rules.kind: tuple(module.rules.derivations)
    for module in (bind, select, generate, verify, account, decide, close)
}
"""Every rule by event kind: what a boolean follows from, and which evidence fields it reads."""

_PLACED = {
    kind: [(BOOLEAN_NAMES.index(d.name), d.name, d.rule, d.presumed) for d in derivations]
    for kind, derivations in DERIVATIONS.items()
}


class Derived(Struct, frozen=True, gc=False):
    """The 49 booleans of one event, in the packet's order, and what rules were short of."""

    values: list[bool]
    unmet: dict[str, tuple[Unmet, ...]]

    def value(self, name: str) -> bool:
        """The boolean of this name."""
        return self.values[BOOLEAN_NAMES.index(name)]

    def packet(self, event: TraceEvent) -> Packet:
        """The packet of the event: its identity, its declared digest, these booleans."""
        identity = msgspec.structs.astuple(event.identity)
        return Packet(*(*identity, event.event_digest, *self.values))


def derive(shown: Shown) -> Derived:
    """The booleans of the latest event. Those that its stage does not ask about are false."""
    values = [False] * len(BOOLEAN_NAMES)
    unmet = {}
    for place, name, rule, presumed in _PLACED[shown.now]:
        comparisons = rule(shown)
        if any(comparisons):
            unmet[name] = tuple(filter(None, comparisons))
            values[place] = presumed
        else:
            values[place] = not presumed
    return Derived(values, unmet)
