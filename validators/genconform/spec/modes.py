"""The registry of generation modes, spec/modes.yaml: what each is, and whether it is routable."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from msgspec import Struct

from genconform.document import decode, read_document
from genconform.errors import MalformedInput, UsageError
from genconform.tree import Tree

MODES_PATH = "spec/modes.yaml"


class Status(StrEnum):
    """Whether requests may be routed to a mode."""

    ROUTABLE = "routable"
    EXPERIMENTAL = "experimental"
    UNROUTABLE = "unroutable"


class Mode(Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """A family of generation.

    Attributes:
        name: one of the twelve.
        role: what it does, in a sentence.
        verification_burden: what must be verified before its output counts.
        exact: whether its output can be that of the baseline, token by token.
        status: whether requests may be routed to it.
        because: why it has that status.
        fallback: the mode that serves when it fails; none for the baseline itself.
        ran: the modes of the probe that run it for real.
        records: where what they did is recorded, by path.
        not_shown: what none of that shows.
    """

    name: str
    role: str
    verification_burden: str
    exact: bool
    status: Status
    because: str
    fallback: str | None
    ran: tuple[str, ...]
    records: tuple[str, ...]
    not_shown: str


class ModeCounts(Struct, frozen=True, forbid_unknown_fields=True):
    """How many modes the registry declares to have."""

    modes: int


class ModeRegistry(Struct, frozen=True, forbid_unknown_fields=True):
    """Every mode, in the order of the registry."""

    version: Literal[1]
    counts: ModeCounts
    modes: tuple[Mode, ...]

    def mode(self, name: str) -> Mode:
        """The mode of a name.

        Raises:
            UsageError: there is none.
        """
        for mode in self.modes:
            if mode.name == name:
                return mode
        raise UsageError(
            f"there is no generation mode named {name!r}",
            expected="one of " + ", ".join(mode.name for mode in self.modes),
        )


def load_modes(tree: Tree) -> ModeRegistry:
    """The registry of a tree.

    Raises:
        MalformedInput: it is broken, has a mode twice, or not as many as it declares.
    """
    document = read_document(tree.path(MODES_PATH), MODES_PATH)
    registry = decode(document, ModeRegistry)
    names = [mode.name for mode in registry.modes]
    for index, name in enumerate(names):
        if name in names[:index]:
            raise MalformedInput(
                f"the mode {name!r} stands twice",
                location=document.location(f"/modes/{index}/name"),
                expected="each mode once",
            )
    if registry.counts.modes != len(names):
        raise MalformedInput(
            "not as many modes as declared",
            location=document.location("/counts/modes"),
            expected=str(registry.counts.modes),
            actual=str(len(names)),
        )
    return registry
