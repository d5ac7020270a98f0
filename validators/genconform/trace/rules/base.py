"""A rule, and the list of those of one event kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from msgspec import Struct

from genconform.lifecycle.machine import Route
from genconform.lifecycle.packet import EventKind
from genconform.trace.shown import Comparisons, Shown, holds, qualified

Rule = Callable[[Shown], Comparisons]
_R = TypeVar("_R", bound=Rule)


class Derivation(Struct, frozen=True):
    """How one boolean of an event kind's packet follows from evidence.

    `reads` names the evidence fields that the rule looks at, kind and all; `routes` are those of
    the stage's lines that ask about the boolean. A `presumed` boolean is true unless the rule shows
    that it is not; any other is true if the rule shows it.
    """

    kind: EventKind
    name: str
    rule: Rule
    reads: tuple[str, ...]
    routes: tuple[Route, ...]
    presumed: bool

    @property
    def meaning(self) -> str:
        """What the evidence shows when nothing is unmet."""
        return " ".join((self.rule.__doc__ or "").split())


class Rules:
    """The derivations of one event kind, in the order of their registration."""

    def __init__(self, kind: EventKind) -> None:
        self.kind = kind
        self.derivations: list[Derivation] = []
        self.presumes(
            "externalEffectRequested", Route.REJECT_AUTHORITY_LEAK, reads="effectsRequested"
        )(no_effect_requested)

    def shows(self, name: str, *routes: Route, reads: str) -> Callable[[_R], _R]:
        """Register a rule that shows an obligation. `reads` is a list with spaces between."""
        return self._register(name, routes, reads, presumed=False)

    def presumes(self, name: str, *routes: Route, reads: str) -> Callable[[_R], _R]:
        """Register a rule that shows that a presumption is not so."""
        return self._register(name, routes, reads, presumed=True)

    def _register(
        self, name: str, routes: tuple[Route, ...], reads: str, *, presumed: bool
    ) -> Callable[[_R], _R]:
        fields = tuple(qualified(field, self.kind) for field in reads.split())

        def register(rule: _R) -> _R:
            self.derivations.append(Derivation(self.kind, name, rule, fields, routes, presumed))
            return rule

        return register


def no_effect_requested(shown: Shown) -> Comparisons:
    """effectsRequested is there and empty."""
    requested = shown.latest.effects_requested
    return (holds(requested == (), "effectsRequested", "an empty list", requested),)
