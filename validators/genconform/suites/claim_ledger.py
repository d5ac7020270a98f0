"""The suite `claim-ledger`: a family of claims, atom by atom, and how well its core is supported.

The state of the core is what the accepted, current transitions made of the initial state, and
nothing else. Totals are computed from the rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, get_args

from msgspec import UNSET, UnsetType

from genconform.suites.pins import as_pinned
from genconform.suites.record import (
    Count,
    Fault,
    Record,
    RecordRules,
    Text,
    unequal,
    unless,
)
from genconform.suites.support import (
    Date,
    Effect,
    Reviewer,
    Status,
    SupportState,
    Trigger,
    Validity,
    effect_of,
)

NAME = "claim-ledger"
Lane = Literal[
    "causal", "empirical", "executable", "formal", "normative", "source-synthesis", "transfer"
]
LANES: tuple[Lane, ...] = get_args(Lane)
"""The ways in which a claim may be attempted."""
AtomState = Literal["open", "blocked_after_full_attempt", "supported"]


class Atom(Record, frozen=True):
    """The smallest part of a claim that can be attempted on its own."""

    id: Text
    state: AtomState


class Lanes(Record, frozen=True):
    """Which ways were tried and which are missing."""

    attempted: tuple[Lane, ...]
    missing: tuple[Lane, ...]


class Entry(Record, frozen=True):
    """A transition of the core's state. One that raises has triggers and a last day."""

    id: Text
    status: Status
    old_state: SupportState
    new_state: SupportState
    effect: Effect
    validity: Validity
    reviewer: Reviewer
    triggers: tuple[Trigger, ...] = ()
    valid_until: Date | UnsetType = UNSET

    @property
    def stands(self) -> bool:
        """Whether it bears on the state: accepted, and neither expired nor downgraded."""
        return self.status == "accepted" and self.validity == "current"

    @property
    def raises(self) -> bool:
        """Whether it was accepted to raise the state."""
        return self.status == "accepted" and effect_of(self.old_state, self.new_state) == "raise"


class Totals(Record, frozen=True):
    """Counts of the rows."""

    atoms: Count
    open: Count
    blocked_after_full_attempt: Count
    supported: Count
    accepted_transitions: Count


class ClaimLedger(Record, frozen=True):
    """A family of claims on a day. `triggers_fired` are those that have happened by then."""

    record: Literal["claim-ledger"]
    id: Text
    claim: Text
    as_of: Date
    initial_state: SupportState
    core_state: SupportState
    lanes: Lanes
    transitions: tuple[Entry, ...]
    triggers_fired: tuple[Trigger, ...]
    atoms: tuple[Atom, ...]
    totals: Totals


rules = RecordRules(ClaimLedger)
rules.placed("ledger.fact.unpinned")(as_pinned(NAME))


def standing(ledger: ClaimLedger) -> SupportState:
    """The state that the standing transitions make of the initial one."""
    state = ledger.initial_state
    for entry in ledger.transitions:
        if entry.stands:
            state = entry.new_state
    return state


def counted(ledger: ClaimLedger) -> Totals:
    """The totals of the rows."""
    states = [atom.state for atom in ledger.atoms]
    return Totals(
        atoms=len(states),
        open=states.count("open"),
        blocked_after_full_attempt=states.count("blocked_after_full_attempt"),
        supported=states.count("supported"),
        accepted_transitions=sum(entry.status == "accepted" for entry in ledger.transitions),
    )


@rules.rule("ledger.total.differs")
def totals_follow(ledger: ClaimLedger) -> Iterator[Fault]:
    """Totals are those of the rows."""
    yield from unequal("/totals", ledger.totals, counted(ledger), "not the totals of the rows")


@rules.rule("ledger.atom.misnumbered")
def atoms_are_numbered(ledger: ClaimLedger) -> Iterator[Fault]:
    """Atoms are numbered from 1 within the family, so that none is left out or listed twice."""
    for number, atom in enumerate(ledger.atoms, 1):
        expected = f"{ledger.id}.{number:02}"
        yield from unequal(f"/atoms/{number - 1}/id", atom.id, expected, "not the next atom")


@rules.rule("ledger.lane.unaccounted")
def lanes_are_accounted(ledger: ClaimLedger) -> Iterator[Fault]:
    """Each lane is attempted or missing, once and in order."""
    lanes = ledger.lanes
    known = tuple(sorted((*lanes.attempted, *lanes.missing)))
    yield from unequal("/lanes", known, LANES, "a lane is left out or listed twice")
    ordered = all(tuple(sorted(part)) == part for part in (lanes.attempted, lanes.missing))
    yield from unless(ordered, "/lanes", "the lanes are not in order", sorted(known), known)


@rules.rule("ledger.chain.broken")
def transitions_follow(ledger: ClaimLedger) -> Iterator[Fault]:
    """Each accepted transition starts where those before it left the state; its effect follows."""
    state = ledger.initial_state
    for index, entry in enumerate(ledger.transitions):
        at = f"/transitions/{index}"
        expected = effect_of(entry.old_state, entry.new_state)
        yield from unequal(f"{at}/effect", entry.effect, expected, "not the effect of its states")
        if entry.status == "accepted":
            yield from unequal(f"{at}/oldState", entry.old_state, state, "not where it stood")
        state = entry.new_state if entry.stands else state


@rules.rule("ledger.state.unfounded")
def state_is_founded(ledger: ClaimLedger) -> Iterator[Fault]:
    """The core's state is what the standing transitions make of it: no raise without one."""
    message = "no accepted, current transition leads here"
    yield from unequal("/coreState", ledger.core_state, standing(ledger), message)


@rules.rule("ledger.word.own")
def no_controller_decides(ledger: ClaimLedger) -> Iterator[Fault]:
    """No transition is accepted on the word of what would gain from it."""
    for index, entry in enumerate(ledger.transitions):
        own = entry.status == "accepted" and entry.reviewer.kind == "controller"
        at, kind = f"/transitions/{index}/reviewer/kind", entry.reviewer.kind
        message = "a controller decides about itself"
        yield from unless(not own, at, message, "maintainer or reviewer", kind)


@rules.rule("ledger.review.undeclared")
def independence_is_declared(ledger: ClaimLedger) -> Iterator[Fault]:
    """Who accepts a transition says how independent of it they are."""
    for index, entry in enumerate(ledger.transitions):
        undeclared = entry.status == "accepted" and entry.reviewer.independence is UNSET
        at, message = f"/transitions/{index}/reviewer", "independence is not declared"
        yield from unless(not undeclared, at, message, "independence", None)


@rules.rule("ledger.raise.dependent")
def raises_are_independent(ledger: ClaimLedger) -> Iterator[Fault]:
    """A raise is accepted by someone independent."""
    for index, entry in enumerate(ledger.transitions):
        declared = entry.reviewer.independence
        if entry.raises and entry.reviewer.kind != "controller" and declared is not UNSET:
            at = f"/transitions/{index}/reviewer/independence"
            message = "raised by someone who is not independent"
            yield from unequal(at, declared, "independent", message)


@rules.rule("ledger.raise.unbounded")
def raises_end(ledger: ClaimLedger) -> Iterator[Fault]:
    """A raise has a last day, and triggers that end it before."""
    for index, entry in enumerate(ledger.transitions):
        bounded = entry.valid_until is not UNSET and bool(entry.triggers)
        at, message = f"/transitions/{index}", "a raise that nothing ends"
        yield from unless(bounded or not entry.raises, at, message, "validUntil and triggers", None)


@rules.rule("ledger.transition.expired")
def expiry_is_kept(ledger: ClaimLedger) -> Iterator[Fault]:
    """A transition that was not downgraded is expired once its last day has passed, not before."""
    for index, entry in enumerate(ledger.transitions):
        passed = entry.valid_until is not UNSET and entry.valid_until < ledger.as_of
        kept = (entry.validity == "expired") == passed or entry.validity == "downgraded"
        at, expected = f"/transitions/{index}/validity", "expired" if passed else "current"
        message = f"on {ledger.as_of}, its last day has {'' if passed else 'not '}passed"
        yield from unless(kept, at, message, expected, entry.validity)


@rules.rule("ledger.transition.triggered")
def triggers_downgrade(ledger: ClaimLedger) -> Iterator[Fault]:
    """An accepted transition is downgraded if one of its triggers has fired, and only then."""
    for index, entry in enumerate(ledger.transitions):
        fired = sorted(set(entry.triggers) & set(ledger.triggers_fired))
        downgraded = entry.validity == "downgraded"
        message = f"triggers that have fired: {', '.join(fired) or 'none'}"
        at = f"/transitions/{index}/validity"
        kept = downgraded == bool(fired) or entry.status != "accepted"
        yield from unless(kept, at, message, "downgraded" if fired else "current", entry.validity)


SUITE = rules.suite(NAME, "a family of claims, atom by atom, and the state of its core")
