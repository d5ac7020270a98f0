"""The suite `support-replay-probe`: the import validators, run again as processes of their own.

The record binds what each said, to the byte, and the files that it rests on. It moves no support.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

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
)
from genconform.suites.replays import command, ran
from genconform.tree import Tree

NAME = "support-replay-probe"
PROBED = ("theseus-generation-mode-gate", "theseus-architecture-gate")
"""The suites that are replayed."""
ROLES = ("fixture", "schema", "pins", "mutations", "validator")
"""The files of each that are tracked: what is judged, by what, against what."""


class Artifact(Record, frozen=True):
    """A tracked file: what it is to the suite, where it is, and the digest of its bytes."""

    role: Text
    path: Text
    sha256: Digest


class Replay(Record, frozen=True):
    """A validator's run: the command, how it ended, the digest of its output, what it rests on."""

    suite: Text
    command: Text
    exit_code: int
    output_sha256: Digest
    artifacts: tuple[Artifact, ...]


class Totals(Record, frozen=True):
    """Counts of the replays."""

    replays: Count
    artifacts: Count


class SupportReplay(Record, frozen=True):
    """What the validators said when they were run."""

    record: Literal["support-replay"]
    id: Text
    support_effect: SupportEffect
    replays: tuple[Replay, ...]
    totals: Totals


def observe(suite: str, roles: Iterable[str], tree: Tree) -> Replay:
    """Run a suite's validator, and digest the files that have one of these roles to it."""
    said = ran(suite, tree)
    known = said.check.get("details", {}).get("artifacts", [])
    tracked = [Artifact(**one) for role in roles for one in known if one["role"] == role]
    return Replay(suite, command(suite), said.exit_code, said.output_sha256, tuple(tracked))


def drift(
    replays: Iterable[Replay], suites: Iterable[str], roles: Iterable[str], tree: Tree
) -> Iterator[Fault]:
    """Where recorded replays differ from what the validators say now."""
    recorded, expected = tuple(replays), tuple(suites)
    names = tuple(one.suite for one in recorded)
    yield from unequal("/replays", names, expected, "not the validators that are to be replayed")
    for index, one in enumerate(recorded):
        if one.suite in expected:
            now, at = observe(one.suite, roles, tree), f"/replays/{index}"
            for name, was, is_ in (
                ("command", one.command, now.command),
                ("exitCode", one.exit_code, now.exit_code),
                ("outputSha256", one.output_sha256, now.output_sha256),
                ("artifacts", one.artifacts, now.artifacts),
            ):
                message = f"the replay of {one.suite} drifted from what was recorded"
                yield from unequal(f"{at}/{name}", is_, was, message)
            yield from unequal(f"{at}/exitCode", one.exit_code, 0, f"{one.suite} does not pass")


rules = RecordRules(SupportReplay)
rules.placed("support-replay.fact.unpinned")(as_pinned(NAME))


@rules.placed("support-replay.output.drifted")
def replays_repeat(placed: Placed[SupportReplay]) -> Iterator[Fault]:
    """Each validator says what it said, to the byte, and rests on the same files."""
    return drift(placed.record.replays, PROBED, ROLES, placed.tree)


@rules.rule("support-replay.total.differs")
def totals_follow(record: SupportReplay) -> Iterator[Fault]:
    """Totals are those of the replays."""
    expected = Totals(len(record.replays), sum(len(one.artifacts) for one in record.replays))
    yield from unequal("/totals", record.totals, expected, "not the totals of the replays")


@rules.rule("support-replay.support.promoted")
def support_stays(record: SupportReplay) -> Iterator[Fault]:
    """A replay creates no transition."""
    message = "a replay moves no support"
    yield from unequal("/supportEffect", record.support_effect, "none", message)


SUITE = rules.suite(NAME, "the import validators, run again and bound to the byte")
