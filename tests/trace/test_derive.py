"""The rules and the table speak of the same booleans, routes and evidence."""

from __future__ import annotations

import io

import pytest

from genconform.lifecycle.packet import BOOLEAN_NAMES, EventKind
from genconform.spec.table import Table
from genconform.trace.derive import DERIVATIONS, derive
from genconform.trace.reading import read_runs
from genconform.trace.rules.base import Derivation
from genconform.trace.shown import Shown
from tests.trace.building import KINDS, Trace, every_kind_of_run
from tests.trace.test_deletion import at, deletions, field, without

ALL = [derivation for derivations in DERIVATIONS.values() for derivation in derivations]


def named(derivation: Derivation) -> str:
    return f"{derivation.kind.value}.{derivation.name}"


def test_every_boolean_is_derived_at_every_stage_that_reads_it(table: Table) -> None:
    event_of = {row.name: row.event for row in table.stages if row.next != row.name}
    read = {
        (event_of[stage], entry.name)
        for entry in table.fields
        for stage in entry.stages
        if stage in event_of
    }
    assert read == {(derivation.kind.value, derivation.name) for derivation in ALL}
    assert {derivation.name for derivation in ALL} == set(BOOLEAN_NAMES)
    assert len(ALL) == len(read)


def test_a_rule_names_the_lines_that_ask_about_it(table: Table) -> None:
    """And no others, so that a rejection is explained by all that it asked, and that alone."""
    for row in table.stages[:-1]:
        asked: dict[str, set[str]] = {}
        for line in table.lines(row.name):
            for name in line.names:
                asked.setdefault(name, set()).add(line.route)
        for derivation in DERIVATIONS[EventKind(row.event)]:
            assert set(derivation.routes) == asked[derivation.name], derivation.name


def test_the_presumptions_are_the_booleans_that_reject_when_true(table: Table) -> None:
    presumed = {derivation.name for derivation in ALL if derivation.presumed}
    asked_as_true = {
        name for row in table.stages for line in table.lines(row.name) for name in line.when
        if line.when[name] and name in BOOLEAN_NAMES
    }  # fmt: skip
    assert presumed == asked_as_true | {"fastModeRequested"}


@pytest.mark.parametrize("derivation", ALL, ids=named)
def test_every_rule_says_what_it_shows(derivation: Derivation) -> None:
    assert derivation.meaning.endswith(".")


def test_the_table_tells_the_evidence_as_the_rules_do(table: Table) -> None:
    """The sentence of a field names the top of every evidence field of its own event."""
    for entry in table.fields:
        for derivation in ALL:
            if derivation.name != entry.name:
                continue
            own = [name for name in derivation.reads if name.startswith(derivation.kind.value)]
            for name in {name.split("/")[1] for name in own}:
                assert name in entry.evidence, (entry.name, name)


def unmet(trace: Trace) -> set[str]:
    """The rules of all events that are not shown, whether or not an earlier event is rejected."""
    (run,) = read_runs(io.BytesIO(trace.data()), trace.name)
    short_of = set()
    shown = Shown(run.header)
    fell_back = "fallback" in trace.name
    for placed in run.events:
        after_verification = placed.event.seq > KINDS.index("verifyDraft")
        shown = shown.with_event(placed.event, fell_back=fell_back and after_verification)
        short_of |= {f"{shown.now.value}.{name}" for name in derive(shown).unmet}
    return short_of


def test_a_rule_reads_exactly_the_fields_that_it_lists() -> None:
    """Found by deleting each field of each run, and seeing which rules notice."""
    noticed: dict[str, set[str]] = {named(derivation): set() for derivation in ALL}
    for trace in every_kind_of_run():
        before = unmet(trace)
        for kind, path in deletions(trace):
            if not isinstance(at(trace.evidence(kind), path), dict) or "settings" in path:
                changed = without(trace, kind, path)
                for name in unmet(changed) - before:
                    noticed[name].add(without_settings(field(kind, path)))
    assert noticed == {named(derivation): set(derivation.reads) for derivation in ALL}


def without_settings(name: str) -> str:
    """Settings are compared as one document."""
    return name.partition("/settings/")[0] + ("/settings" if "/settings/" in name else "")
