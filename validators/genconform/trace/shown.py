"""What a run has shown so far, and the comparisons that rules make of it.

A field of evidence is named by the event kind and its pointer, `verifyDraft/output/digest`. Rules
leave their own event kind out.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import UNSET, Struct, UnsetType

from genconform.digest.canonical import canonical_digest
from genconform.lifecycle.packet import EventKind
from genconform.trace.format import (
    AUTOREGRESSIVE,
    AccountOutcomeEvidence,
    BindContextEvidence,
    BoundIdentity,
    CloseEvidence,
    DecideEvidence,
    Evidence,
    GenerateDraftEvidence,
    Header,
    Output,
    Run,
    SelectModeEvidence,
    Shape,
    TraceEvent,
    VerifyDraftEvidence,
)


class Shown(Struct, frozen=True, gc=False):
    """All that a run has shown up to its latest event, whose kind is `now`.

    `fell_back` says whether the lifecycle has activated a fallback: it is the state's to say.
    """

    header: Header
    bind: BindContextEvidence = BindContextEvidence()
    select: SelectModeEvidence = SelectModeEvidence()
    generate: GenerateDraftEvidence = GenerateDraftEvidence()
    verify: VerifyDraftEvidence = VerifyDraftEvidence()
    account: AccountOutcomeEvidence = AccountOutcomeEvidence()
    decide: DecideEvidence = DecideEvidence()
    close: CloseEvidence = CloseEvidence()
    now: EventKind = EventKind.BIND_CONTEXT
    fell_back: bool = False

    @property
    def run(self) -> Run:
        """Which run it is."""
        return self.header.run

    @property
    def identity(self) -> BoundIdentity:
        """The identity that the header binds."""
        return self.header.identity

    @property
    def autoregressive(self) -> bool:
        """Whether the run is of the slow mode, by its own word."""
        return self.header.run.mode == AUTOREGRESSIVE

    @property
    def latest(self) -> Evidence:
        """The evidence of the latest event."""
        evidence: Evidence = getattr(self, _ATTRIBUTE[self.now])
        return evidence

    @property
    def delivered(self) -> Output:
        """The output that the consumer is to get: the verified one, or the fallback's."""
        return self.verify.fallback.output if self.fell_back else self.verify.output

    def with_event(self, event: TraceEvent, fell_back: bool) -> Shown:
        """What is shown once this event is told too."""
        told = {_ATTRIBUTE[event.kind]: event.evidence, "now": event.kind, "fell_back": fell_back}
        return msgspec.structs.replace(self, **told)


_ATTRIBUTE = dict(zip(EventKind, Shown.__struct_fields__[1:8], strict=True))


_KIND_NAMES = frozenset(kind.value for kind in EventKind)


def qualified(field: str, kind: EventKind) -> str:
    """The full name of a field that a rule of this event kind names."""
    return field if field.partition("/")[0] in _KIND_NAMES else f"{kind.value}/{field}"


class Unmet(Struct, frozen=True, gc=False):
    """A comparison that does not hold: the field, what was expected of it, what was there."""

    field: str
    expected: str
    actual: object


Comparisons = Sequence[Unmet | None]
"""What a rule gives: for each comparison None where it holds."""


def nothing_of(field: str, recorded: Shape, expected: str) -> Comparisons:
    """Says in one word that an object is not there, which for some is the ordinary case."""
    return () if recorded != type(recorded)() else (Unmet(field, expected, UNSET),)


def equal(field: str, value: object, wanted: object, expected: str) -> Unmet | None:
    """Both are there and the same; `expected` says in words what is wanted."""
    if value is not UNSET and value == wanted:
        return None
    return Unmet(field, f"{expected}, which is not there" if wanted is UNSET else expected, value)


def given(field: str, value: object, expected: str = "a value") -> Unmet | None:
    """The value is there and not an empty text."""
    return Unmet(field, expected, value) if value is UNSET or value == "" else None


def known(field: str, value: object, values: Sequence[str]) -> Unmet | None:
    """The value is one of those known."""
    return None if value in values else Unmet(field, "one of " + ", ".join(values), value)


def above_zero(field: str, value: float | UnsetType) -> Unmet | None:
    """The number is there and more than 0."""
    return Unmet(field, "more than 0", value) if value is UNSET or value <= 0 else None


def at_most(
    field: str, value: float | UnsetType, limit: float | UnsetType, expected: str
) -> Unmet | None:
    """Both numbers are there and the value is within the limit."""
    if value is UNSET or limit is UNSET or value > limit:
        return Unmet(field, expected, value)
    return None


def holds(condition: bool, field: str, expected: str, actual: object) -> Unmet | None:
    """Whatever is asked is so."""
    return None if condition else Unmet(field, expected, actual)


def digest_of(document: object) -> str | UnsetType:
    """The digest of a recorded document; one that is absent has none."""
    return UNSET if document is UNSET else canonical_digest(document)


def text_shown(shown: Shown, field: str, text: str | UnsetType) -> Unmet | None:
    """A public run shows its texts."""
    if shown.run.public and text is UNSET:
        return Unmet(field, "the text, for the run is public", text)
    return None
