"""Where two JSON values first differ."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from genconform.document import escape

ABSENT = "nothing there"


class FirstDifference(Struct, frozen=True):
    """The first JSON pointer, in canonical order, at which two values differ."""

    pointer: str
    expected: Any
    actual: Any


def first_difference(expected: Any, actual: Any, pointer: str = "") -> FirstDifference | None:
    """The first difference in canonical order of keys and items, or None.

    Numbers are compared as RFC 8785 writes them: 1 and 1.0 are the same, 1 and true are not.
    """
    if isinstance(expected, dict) and isinstance(actual, dict):
        keys = sorted(expected.keys() | actual.keys(), key=lambda key: key.encode("utf-16-be"))
        pairs = [(key, expected.get(key, ABSENT), actual.get(key, ABSENT)) for key in keys]
        for key, left, right in pairs:
            below = f"{pointer}/{escape(key)}"
            if (key in expected) != (key in actual):
                return FirstDifference(below, left, right)
            if found := first_difference(left, right, below):
                return found
        return None
    if isinstance(expected, list) and isinstance(actual, list):
        for index, (left, right) in enumerate(zip(expected, actual, strict=False)):
            if found := first_difference(left, right, f"{pointer}/{index}"):
                return found
        if len(expected) == len(actual):
            return None
        shorter = min(len(expected), len(actual))
        return FirstDifference(
            f"{pointer}/{shorter}",
            expected[shorter] if shorter < len(expected) else ABSENT,
            actual[shorter] if shorter < len(actual) else ABSENT,
        )
    if expected == actual and isinstance(expected, bool) == isinstance(actual, bool):
        return None
    return FirstDifference(pointer, expected, actual)
