"""Pins: facts that came from outside, bound by digest where nothing here could compute them.

fixtures/SUITE/pins.yaml gives, for each record by its id, groups of JSON pointers (`*` for each
item of a list) and the SHA-256 of the RFC 8785 form of {pointer: value} over the group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from genconform.digest.canonical import canonical_digest
from genconform.document import decode, parse_document, read_bytes
from genconform.suites import FOLDER
from genconform.suites.record import Digest, Fault, Placed, PlacedRule, Record
from genconform.tree import Tree

FILE = "pins.yaml"


class Pin(Record, frozen=True):
    """A group of pointers and the digest of what stands there."""

    of: tuple[str, ...]
    sha256: Digest


class Pins(Record, frozen=True):
    """The pins of a suite, by the id of a record."""

    records: dict[str, tuple[Pin, ...]]


def path_of(suite: str) -> str:
    """Where the pins of a suite are, in a checkout."""
    return f"{FOLDER}/{suite}/{FILE}"


def load_pins(tree: Tree, suite: str) -> Pins:
    """The pins of a suite.

    Raises:
        UsageError: there are none.
        MalformedInput: the file holds something else.
    """
    name = path_of(suite)
    return _parsed(read_bytes(tree.path(name), name), name)


@lru_cache
def _parsed(data: bytes, name: str) -> Pins:
    return decode(parse_document(data, name), Pins)


def as_pinned(suite: str, computed: Callable[[Any], Any] | None = None) -> PlacedRule[Any]:
    """The rule that a record with an `id` holds what is pinned for that id.

    With `computed`, the pointers are those of what it makes of the record, which has an `id` too.
    """

    def rule(placed: Placed[Any]) -> Iterator[Fault]:
        value = computed(placed.record) if computed else placed.document.value
        pinned = load_pins(placed.tree, suite).records
        if value["id"] not in pinned:
            yield Fault("/id", "nothing is pinned for this id", sorted(pinned), value["id"])
        for pin in pinned.get(value["id"], ()):
            actual = digest_of(value, pin.of)
            if actual != pin.sha256:
                message = f"not as pinned in {path_of(suite)}: " + ", ".join(pin.of)
                yield Fault(pin.of[0].partition("/*")[0], message, pin.sha256, actual)

    return rule


def digest_of(value: Any, pointers: tuple[str, ...]) -> str:
    """The digest of a group of pointers of plain data."""
    return canonical_digest({one: value_at(value, one) for one in pointers})


def value_at(value: Any, pointer: str) -> Any:
    """What stands at a pointer, a list for `*`, and None where nothing does."""
    return _value_at(value, pointer.split("/")[1:])


def _value_at(value: Any, steps: list[str]) -> Any:
    if not steps:
        return value
    step, rest = steps[0], steps[1:]
    if isinstance(value, dict):
        return _value_at(value.get(step), rest)
    if not isinstance(value, list):
        return None
    if step == "*":
        return [_value_at(item, rest) for item in value]
    return _value_at(value[int(step)], rest) if int(step) < len(value) else None
