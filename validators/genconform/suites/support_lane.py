"""The suite `support-lane`: what the lanes of the fast-generation claim hold together.

The totals are computed from four validators that are run again, and from the decisions that were
accepted about two of them. If any of these drifts, so does the lane, and it fails.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from genconform.document import decode, read_document
from genconform.suites import FOLDER
from genconform.suites.evidence_transitions import NAME as TRANSITIONS
from genconform.suites.evidence_transitions import EvidenceTransition
from genconform.suites.imports import SupportEffect
from genconform.suites.pins import as_pinned
from genconform.suites.record import (
    Count,
    Digest,
    Fault,
    Placed,
    Record,
    RecordRules,
    Text,
    unequal,
    unless,
)
from genconform.suites.replays import ran, sha256_of
from genconform.suites.support_replay_probe import Replay, drift
from genconform.tree import Tree

NAME = "support-lane"
REPLAYED = (
    "theseus-generation-mode-gate",
    "support-replay-probe",
    "theseus-task-bundle",
    "task-bundle",
)
"""The validators of the lane."""
COUNTED = ("theseus-generation-mode-gate", "theseus-task-bundle", "task-bundle")
"""Those whose expected-invalid records are the lane's controls: reports, and a rejected route."""
ROLES = ("fixture", "schema", "mutations", "validator")
"""The files of each that are tracked."""


class Decision(Record, frozen=True):
    """An accepted decision about a validator's subject, by the digest of its file."""

    id: Text
    sha256: Digest


class Totals(Record, frozen=True):
    """What the lane holds: tracked files, public tasks, controls that are caught, decisions."""

    artifacts: Count
    task_records: Count
    controls: Count
    decisions: Count


class SupportLane(Record, frozen=True):
    """The lanes, what their validators said, and what that comes to."""

    record: Literal["support-lane"]
    id: Text
    lanes: tuple[Text, ...]
    support_effect: SupportEffect
    replays: tuple[Replay, ...]
    decisions: tuple[Decision, ...]
    totals: Totals


def path_of(decision: str) -> str:
    """Where the record of a decision is."""
    return f"{FOLDER}/{TRANSITIONS}/valid/{decision}.yaml"


def totals_of(lane: SupportLane, tree: Tree) -> Totals:
    """The totals, from what the validators say now and the decisions that are there."""
    checks = {suite: ran(suite, tree).check for suite in REPLAYED}
    carried = [
        fixture.get("taskRecords", 0)
        for check in checks.values()
        for fixture in check.get("details", {}).get("carries", {}).values()
    ]
    caught = [checks[suite].get("counts", {}).get("caught", 0) for suite in COUNTED]
    return Totals(
        artifacts=sum(len(one.artifacts) for one in lane.replays),
        task_records=sum(carried),
        controls=sum(caught),
        decisions=len({decision.id for decision in lane.decisions}),
    )


rules = RecordRules(SupportLane)
rules.placed("support-lane.fact.unpinned")(as_pinned(NAME))


@rules.placed("support-lane.output.drifted")
def replays_repeat(placed: Placed[SupportLane]) -> Iterator[Fault]:
    """Each validator says what it said, to the byte, and rests on the same files."""
    return drift(placed.record.replays, REPLAYED, ROLES, placed.tree)


@rules.placed("support-lane.total.differs")
def totals_follow(placed: Placed[SupportLane]) -> Iterator[Fault]:
    """Totals are what the replays and the decisions come to."""
    expected = totals_of(placed.record, placed.tree)
    yield from unequal("/totals", placed.record.totals, expected, "not what the replays come to")
    count = len(placed.record.decisions)
    yield from unequal("/decisions", count, expected.decisions, "a decision is counted twice")


@rules.placed("support-lane.decision.unfounded")
def decisions_are_accepted(placed: Placed[SupportLane]) -> Iterator[Fault]:
    """Each decision is there as it was: accepted, current, without effect, and of this lane."""
    for index, decision in enumerate(placed.record.decisions):
        at, path = f"/decisions/{index}", path_of(decision.id)
        actual = sha256_of(path, placed.tree)
        yield from unequal(f"{at}/sha256", decision.sha256, actual, f"not the digest of {path}")
        if placed.tree.path(path).is_file():
            document = read_document(placed.tree.path(path), path)
            yield from _not_founded(decode(document, EvidenceTransition), at)


def _not_founded(transition: EvidenceTransition, at: str) -> Iterator[Fault]:
    wanted = ("accepted", "current", "no_change")
    actual = (transition.review.status, transition.validity, transition.effect)
    yield from unequal(at, actual, wanted, "not an accepted decision without effect")
    subject = transition.verification.suite
    message = "about something that the lane does not replay"
    yield from unless(subject in REPLAYED, at, message, list(REPLAYED), subject)


@rules.rule("support-lane.support.promoted")
def support_stays(lane: SupportLane) -> Iterator[Fault]:
    """However much a lane holds, it raises nothing by itself."""
    message = "a lane moves no support"
    yield from unequal("/supportEffect", lane.support_effect, "none", message)


SUITE = rules.suite(NAME, "the lanes of the fast-generation claim, computed from what they replay")
