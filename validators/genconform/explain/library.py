"""All topics of a tree, by kind and name."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from functools import cached_property

from genconform.errors import UsageError
from genconform.explain import lifecycle, registries
from genconform.explain.sources import Sources
from genconform.explain.topic import Kind, Reference, Topic
from genconform.spec.rules import ROUTE_PREFIX
from genconform.tree import Tree

_SUGGESTED = 5


class Library:
    """The topics of a tree. They are made when they are first asked for."""

    def __init__(self, tree: Tree) -> None:
        self.sources = Sources(tree)

    @cached_property
    def topics(self) -> dict[Reference, Topic]:
        """Every topic, those of the lifecycle first."""
        every = (*lifecycle.topics(self.sources), *registries.topics(self.sources))
        return {topic.reference: topic for topic in every}

    def kind(self, kind: Kind) -> Iterator[Topic]:
        """The topics of one kind, in the order of the spec."""
        return (topic for topic in self.topics.values() if topic.kind is kind)

    def named(self, name: str) -> list[Topic]:
        """The topics of a name: one, or several where things of several kinds are called so.

        A rejecting route may be named as its rule is.

        Raises:
            UsageError: there is none.
        """
        wanted = name.removeprefix(ROUTE_PREFIX)
        found = [topic for topic in self.topics.values() if topic.name == wanted]
        if not found:
            names = sorted({topic.name for topic in self.topics.values()})
            close = difflib.get_close_matches(wanted, names, _SUGGESTED, 0.6)
            raise UsageError(
                f"there is nothing named {name!r} to explain",
                expected="a stage, route, field, fact, rule, mode, claim or format",
                remedy=f"Did you mean {', '.join(close)}?"
                if close
                else "`genconform explain` without a name lists all names.",
            )
        return found
