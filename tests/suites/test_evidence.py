"""No claim is raised but by an accepted, current transition, reviewed by someone independent."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import replace

from genconform.document import decode
from genconform.suites import VALID
from genconform.suites.claim_ledger import (
    LANES,
    SUITE,
    ClaimLedger,
    Entry,
    counted,
    rules,
    standing,
)
from genconform.suites.support import STATES, TRIGGERS, Reviewer, effect_of
from genconform.tree import find_tree

LEDGER = decode(SUITE.fixtures(find_tree(), VALID)[0].document, ClaimLedger)
SOUND = Reviewer("someone", "reviewer", "independent")
REVIEWERS = st.builds(
    Reviewer,
    name=st.just("someone"),
    kind=st.sampled_from(["controller", "maintainer", "reviewer"]),
    independence=st.sampled_from(["none", "same_project", "independent", UNSET]),
)


def mostly(sound: object, *others: object) -> st.SearchStrategy[Any]:
    """The sound value in most cases, so that a good part of the ledgers pass."""
    return st.sampled_from([*[sound] * 6, *others])


@st.composite
def ledgers(draw: st.DrawFn) -> ClaimLedger:
    """Ledgers whose transitions follow one another, some with things wrong."""
    fired = draw(mostly((), *((trigger,) for trigger in TRIGGERS)))
    ledger = replace(LEDGER, transitions=(), triggers_fired=fired)
    for number in range(draw(st.integers(0, 3))):
        old, new = standing(ledger), draw(st.sampled_from(STATES))
        entry = Entry(
            id=f"entry-{number}",
            status=draw(mostly("accepted", "proposed", "rejected")),
            old_state=old,
            new_state=new,
            effect=effect_of(old, new),
            validity=draw(mostly("current", "expired", "downgraded")),
            reviewer=draw(st.one_of(st.just(SOUND), REVIEWERS)),
            triggers=draw(mostly(("artifact_changed",), ())),
            valid_until=draw(mostly("2026-12-31", "2026-01-01", UNSET)),
        )
        ledger = replace(ledger, transitions=(*ledger.transitions, entry))
    core = draw(mostly(standing(ledger), *STATES))
    return replace(ledger, core_state=core, totals=counted(ledger))


def caught_by(ledger: ClaimLedger) -> set[str]:
    return {rule for rule, _ in rules.faults(ledger)}


@given(ledger=ledgers())
def test_a_ledger_that_passes_has_earned_its_state(ledger: ClaimLedger) -> None:
    """Whatever a ledger holds, if no rule catches it then its state has a sound ground."""
    assume(not caught_by(ledger))
    raised = STATES.index(ledger.core_state) - STATES.index(ledger.initial_state)
    grounds = [entry for entry in ledger.transitions if entry.raises and entry.stands]
    assert raised <= 0 or grounds
    for entry in grounds:
        assert entry.reviewer.kind != "controller"
        assert entry.reviewer.independence == "independent"
        assert entry.valid_until is not UNSET
        assert entry.valid_until >= ledger.as_of
        assert not set(entry.triggers) & set(ledger.triggers_fired)


RAISE = Entry(
    "raise",
    "accepted",
    "argument",
    "measured",
    "raise",
    "current",
    SOUND,
    ("artifact_changed",),
    "2026-12-31",
)


def raised(entry: Entry = RAISE) -> ClaimLedger:
    ledger = replace(LEDGER, transitions=(*LEDGER.transitions, entry))
    return replace(ledger, core_state=standing(ledger), totals=counted(ledger))


def test_a_sound_raise_passes() -> None:
    assert raised().core_state == "measured"
    assert caught_by(raised()) == set()


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"reviewer": Reviewer("r", "controller", "none")}, "ledger.word.own"),
        ({"reviewer": Reviewer("r", "reviewer")}, "ledger.review.undeclared"),
        ({"reviewer": Reviewer("r", "maintainer", "same_project")}, "ledger.raise.dependent"),
        ({"valid_until": UNSET}, "ledger.raise.unbounded"),
        ({"triggers": ()}, "ledger.raise.unbounded"),
        ({"valid_until": "2026-07-02"}, "ledger.transition.expired"),
        ({"validity": "expired"}, "ledger.transition.expired"),
        ({"validity": "downgraded"}, "ledger.transition.triggered"),
    ],
)
def test_a_raise_with_one_thing_wrong_is_caught_for_that(change: dict[str, Any], rule: str) -> None:
    assert caught_by(raised(replace(RAISE, **change))) == {rule}


def test_a_trigger_takes_the_raise_back() -> None:
    fired = replace(raised(), triggers_fired=("artifact_changed",))
    assert caught_by(fired) == {"ledger.transition.triggered"}
    downgraded = raised(replace(RAISE, validity="downgraded"))
    taken_back = replace(downgraded, triggers_fired=("artifact_changed",))
    assert taken_back.core_state == "argument"
    assert caught_by(taken_back) == set()
    kept = replace(taken_back, core_state="measured")
    assert caught_by(kept) == {"ledger.state.unfounded"}


def test_the_last_day_is_still_valid() -> None:
    assert caught_by(raised(replace(RAISE, valid_until=LEDGER.as_of))) == set()


def test_effects_follow_the_order_of_states() -> None:
    for old, new in product(STATES, repeat=2):
        expected = (STATES.index(new) > STATES.index(old)) - (STATES.index(new) < STATES.index(old))
        assert effect_of(old, new) == ("no_change", "raise", "lower")[expected]


def test_the_family_of_fast_generation() -> None:
    assert (LEDGER.id, LEDGER.core_state) == ("CF-06", "argument")
    assert len(LEDGER.atoms) == LEDGER.totals.blocked_after_full_attempt == 76
    assert {*LEDGER.lanes.attempted, *LEDGER.lanes.missing} == set(LANES)
    assert LEDGER.lanes.missing == ("normative", "transfer")
    assert [one.id for one in LEDGER.transitions] == ["v1_0_pilot.fast_generation.no_change"]
