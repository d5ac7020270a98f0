"""What an adapter is made of: shapes of payload, and where in each a number or a fact stands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from genconform.digest.canonical import canonical_digest, sha256_hex
from genconform.document import escape
from genconform.errors import MalformedInput
from genconform.finding import Location
from genconform.trace.observed.model import (
    NUMBERS,
    Clock,
    Origin,
    OutputFacts,
    Quantity,
    Scope,
)

Json = dict[str, Any]
_MOST = 2**53 - 1
_SHOWN = 60


class Take(Struct, frozen=True):
    """Where a number stands.

    `paths` are the names that versions of the source gave it, oldest first, with `/` between steps.
    `scale` turns the source's unit into ours. A number that the source itself estimates is derived,
    by `formula`. `texts` allows a number that is written as a text, as OTLP JSON does.
    """

    name: str
    paths: tuple[str, ...]
    scale: float = 1
    scope: Scope = Scope.REQUEST
    clock: Clock | UnsetType = UNSET
    formula: str = ""
    texts: bool = False
    is_list: bool = False


def take(name: str, *paths: str, **how: Any) -> Take:
    """A `Take` of a number that `NUMBERS` knows."""
    assert name in NUMBERS, name
    return Take(name, paths, **how)


def _nothing_more(_: Payload) -> None:
    """What most shapes take beside their tables."""


class Shape(Struct, frozen=True, kw_only=True):
    """One shape of a source's payloads.

    `needs` are paths that all stand in a payload of this shape, `lacks` paths that do not: that is
    how it is recognised. `parts` splits a payload that holds several records. `more` takes what a
    table cannot say; the numbers that it may add stand in `adds`.
    """

    name: str
    needs: tuple[str, ...]
    lacks: tuple[str, ...] = ()
    takes: tuple[Take, ...] = ()
    finish: str = ""
    model: str = ""
    id: str = ""
    text: str = ""
    token_ids: str = ""
    cached_inside_prompt: bool | UnsetType = UNSET
    bonus_counted: bool | UnsetType = UNSET
    absent_drafts_mean_none: bool | UnsetType = UNSET
    parts: Callable[[Json], Iterable[tuple[str, Json]]] = lambda payload: [("", payload)]
    more: Callable[[Payload], None] = _nothing_more
    adds: tuple[str, ...] = ()
    about_a_request: bool = True


class Adapter(Struct, frozen=True, kw_only=True):
    """A source: its name, its shapes, and what to switch on in it to be judged by more."""

    name: str
    title: str
    switch_on: str
    shapes: tuple[Shape, ...]


class Payload:
    """One record while it is read: what was taken of it, and by which number."""

    def __init__(self, value: Json, place: Location, at: str = "") -> None:
        self.value = value
        self.numbers: dict[str, Quantity] = {}
        self.output: dict[str, Any] = {}
        self.facts: dict[str, Any] = {}
        self._place = place
        self._at = at
        self._used: set[str] = set()

    def get(self, path: str) -> Any:
        """What stands at a path; None where nothing does. It counts as read."""
        found = find(self.value, path)
        if found is not UNSET:
            self._used.add("/" + path)
            return found
        return None

    def peek(self, path: str) -> Any:
        """What stands at a path; None where nothing does. It does not count as read."""
        found = find(self.value, path)
        return None if found is UNSET else found

    def use(self, *paths: str) -> None:
        """Count paths as read."""
        self._used |= {"/" + path for path in paths}

    def take(self, one: Take) -> None:
        """Take a number, if it is there.

        Raises:
            MalformedInput: it is no number, is not possible, or two of its names differ.
        """
        taken = None
        for path in one.paths:
            found = self.get(path)
            if found is None:
                continue
            value = self._value(found, path, one)
            if taken is not None and taken[1] != value:
                raise self.wrong(path, "two names of one number differ", repr(taken[1]), value)
            taken = path, value
        if taken is not None:
            self.add(one.name, taken[1], taken[0], one)

    def add(self, name: str, value: Any, path: str, how: Take) -> None:
        """Put a number that stands in the payload."""
        self.numbers[name] = Quantity(
            value,
            Origin.DERIVED if how.formula else Origin.OBSERVED,
            how.scope,
            self._at + "/" + path,
            how.formula or UNSET,
            how.clock,
        )

    def derive(self, name: str, value: float | tuple[int, ...], formula: str) -> None:
        """Put a number that follows from others, unless the source itself gave it."""
        if name not in self.numbers:
            self.numbers[name] = Quantity(value, Origin.DERIVED, Scope.REQUEST, self._at, formula)

    def known(self, *names: str) -> tuple[Any, ...] | None:
        """The values of numbers if all of them are there."""
        found = [self.numbers[name].value for name in names if name in self.numbers]
        return tuple(found) if len(found) == len(names) else None

    def text(self, path: str) -> str | UnsetType:
        """A text, if it is there.

        Raises:
            MalformedInput: it is no text.
        """
        found = self.get(path) if path else None
        if found is None:
            return UNSET
        if not isinstance(found, str):
            raise self.wrong(path, "not a text", "a text", found)
        return found

    def ids(self, path: str) -> tuple[int, ...] | UnsetType:
        """A list of token ids, if it is there and not empty.

        Raises:
            MalformedInput: it is none.
        """
        found = self.get(path) if path else None
        if not found and found != {}:
            return UNSET
        if not isinstance(found, list) or not all(map(_is_count, found)):
            raise self.wrong(path, "not a list of token ids", "a list of counts", found)
        return tuple(found)

    def one_of_several(self, path: str) -> bool:
        """Whether a list of outputs has more than one: then totals are of none of them alone."""
        outputs = self.peek(path)
        if not isinstance(outputs, list) or len(outputs) < 2:
            return False
        self.derive("outputs", len(outputs), f"items of {path}")
        return True

    def put_tokens(self, ids: tuple[int, ...] | UnsetType) -> None:
        """Put the output's token ids."""
        if ids is not UNSET:
            self.output |= {"token_ids": ids, "digest": canonical_digest(ids)}

    def put_text(self, text: str | UnsetType) -> None:
        """Put the output's text."""
        if text is not UNSET:
            self.output |= {"text": text, "text_digest": sha256_hex(text.encode())}

    def unread(self) -> Iterator[str]:
        """The places that nothing was taken from. What a client wrote beside is not among them."""
        for pointer in leaves(self.value):
            if not pointer.startswith("/_") and not self._covered(pointer):
                yield self._at + pointer

    def _covered(self, pointer: str) -> bool:
        while pointer:
            if pointer in self._used:
                return True
            pointer = pointer.rpartition("/")[0]
        return False

    def _value(self, found: Any, path: str, one: Take) -> Any:
        if one.is_list:
            if isinstance(found, list) and all(map(_is_count, found)):
                return tuple(found)
            raise self.wrong(path, "not a list of counts", "a list of whole numbers from 0", found)
        if one.texts and isinstance(found, str):
            found = _from_text(found)
        if isinstance(found, bool) or not isinstance(found, int | float):
            raise self.wrong(path, "not a number", "a number", found)
        if not 0 <= found <= _MOST / one.scale:  # which no NaN is
            raise self.wrong(path, "not a possible number", "from 0 to 2^53 - 1", found)
        if one.scale == 1:
            return found
        # A division by a whole number is the nearest float; 22.646 ms are 0.022646 s.
        return found / round(1 / one.scale) if one.scale < 1 else found * one.scale

    def wrong(self, path: str, message: str, expected: str, actual: Any) -> MalformedInput:
        """The error about a place."""
        shown = repr(actual)
        place = Location(self._place.file, f"{self._at}/{path}", self._place.line)
        return MalformedInput(
            message,
            location=place,
            expected=expected,
            actual=shown if len(shown) <= _SHOWN else shown[:_SHOWN] + "…",
        )

    def finished(self) -> OutputFacts:
        """What came out, as far as it was put."""
        return OutputFacts(**self.output)


def find(value: Any, path: str) -> Any:
    """What stands at a path, or UNSET."""
    for step in _steps(path):
        if isinstance(value, dict):
            if step not in value:
                return UNSET
            value = value[step]
        elif isinstance(value, list) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        else:
            return UNSET
    return value


@cache
def _steps(path: str) -> tuple[str, ...]:
    return tuple(path.split("/"))


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST


def _from_text(text: str) -> Any:
    try:
        return int(text)
    except ValueError:
        try:
            return float(text)
        except ValueError:
            return text


def leaves(value: Any, at: str = "") -> Iterator[str]:
    """The pointer of every value that is no container; a list of plain values is one."""
    items: Iterable[tuple[str, Any]] = ()
    if isinstance(value, dict):
        items = ((escape(key), item) for key, item in value.items())
    elif isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        items = ((str(place), item) for place, item in enumerate(value))
    else:
        yield at
        return
    for key, item in items:
        yield from leaves(item, f"{at}/{key}")
