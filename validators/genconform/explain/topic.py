"""A topic: what a name means, what makes it true, what breaks it, an example, what it touches."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class Kind(StrEnum):
    """What a name can be the name of."""

    STAGE = "stage"
    ROUTE = "route"
    FIELD = "field"
    FACT = "fact"
    IDENTITY = "identity value"
    COUNTER = "counter"
    EVENT = "event kind"
    RULE = "rule"
    MODE = "generation mode"
    CLAIM = "claim"
    INVARIANT = "invariant"
    FAILURE = "failure mode"
    FORMAT = "format"

    @property
    def folder(self) -> str:
        """The folder of the docs site that holds the pages of this kind."""
        return _FOLDERS.get(self, f"{self.value}s")


_FOLDERS = {
    Kind.IDENTITY: "identity",
    Kind.EVENT: "events",
    Kind.MODE: "modes",
    Kind.FAILURE: "failures",
}


class Reference(Struct, frozen=True):
    """Another topic, by its kind and name."""

    kind: Kind
    name: str


class Example(Struct, frozen=True):
    """Something to look at or to type: a sentence, and the text in a language of Markdown."""

    says: str
    code: str
    language: str = "console"


class Topic(Struct, frozen=True):
    """All that there is to say about one name. Names within sentences stand in backticks.

    Attributes:
        kind: what it is the name of.
        name: unique among the topics of its kind.
        meaning: what it is, in a sentence or a few.
        holds: what makes it true, or makes it happen.
        broken_by: what breaks it, or keeps it from happening; one sentence each.
        examples: at least one.
        related: other topics, those that say most first.
        at: where it is defined, as FILE or FILE:LINE of a checkout.
    """

    kind: Kind
    name: str
    meaning: str
    holds: str
    broken_by: tuple[str, ...]
    examples: tuple[Example, ...]
    related: tuple[Reference, ...]
    at: str

    @property
    def reference(self) -> Reference:
        """How others refer to it."""
        return Reference(self.kind, self.name)
