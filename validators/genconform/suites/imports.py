"""What all imports of another project's reports have in common.

An import is a static summary: it keeps the source's counts, gates, digests, residuals and
boundaries, and copies nothing private. It reports what was reported; nothing was run again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeVar

from msgspec import UNSET, UnsetType

from genconform.suites.pins import as_pinned
from genconform.suites.record import (
    Digest,
    Fault,
    Record,
    RecordRules,
    Text,
    unequal,
    unequal_fields,
    unless,
)

SupportEffect = Literal["none", "raise", "lower"]


class SourceArtifact(Record, frozen=True):
    """A file of the source project, by digest; `path` where the source names it."""

    kind: Text
    sha256: Digest
    path: Text | UnsetType = UNSET


class Source(Record, frozen=True):
    """The project that reported, at a commit, and the files that were summarised."""

    project: Text
    commit: Text
    working_tree: Literal["clean", "dirty"]
    artifacts: tuple[SourceArtifact, ...]


class Boundaries(Record, frozen=True):
    """What the import is and is not."""

    form: Literal["static"]
    summary_only: bool
    public_safe: bool
    private_payload_copied: bool
    clean_live_replay_claimed: bool
    support_effect: SupportEffect


class Residual(Record, frozen=True):
    """Something that stays open, and how often."""

    what: Text
    count: int


class Import(Record, frozen=True):
    """Base of every import. `id` is the source's own name for what it reported."""

    id: Text
    source: Source
    boundaries: Boundaries


_I = TypeVar("_I", bound=Import)


def rules_of_import(record: type[_I], suite: str) -> RecordRules[_I]:
    """The rules that hold for every import, for more to be added."""
    rules = RecordRules(record)
    rules.placed("import.fact.unpinned")(as_pinned(suite))
    rules.rule("import.private-payload.copied")(private_payload_stays)
    rules.rule("import.live-replay.overclaimed")(live_replay_is_not_claimed)
    rules.rule("import.support.promoted")(support_stays)
    return rules


def private_payload_stays(record: Import) -> Iterator[Fault]:
    """The import is a summary that is safe to publish, without any private payload."""
    wanted = {"private_payload_copied": False, "summary_only": True, "public_safe": True}
    message = "more than a summary that is safe to publish"
    yield from unequal_fields("/boundaries", record.boundaries, wanted, message)


def live_replay_is_not_claimed(record: Import) -> Iterator[Fault]:
    """A static import of a dirty working tree is no clean live replay."""
    claimed = record.boundaries.clean_live_replay_claimed
    message = f"a static import of a {record.source.working_tree} working tree ran nothing"
    yield from unless(not claimed, "/boundaries/cleanLiveReplayClaimed", message, False, claimed)


def support_stays(record: Import) -> Iterator[Fault]:
    """An import has no effect on any support state."""
    effect = record.boundaries.support_effect
    yield from unequal("/boundaries/supportEffect", effect, "none", "an import moves no support")
