"""The fast way to RFC 8785 is the reference library's, on any JSON value."""

from __future__ import annotations

import json
import math
from typing import Any

import msgspec
import pytest
import rfc8785
from hypothesis import example, given
from hypothesis import strategies as st

from genconform.digest.canonical import canonical_bytes, canonical_digest
from genconform.errors import MalformedInput

INTEGERS = st.integers(-(2**53) + 1, 2**53 - 1)
# Floats of every magnitude, and those near the places where one spelling gives way to another.
EDGES = [1e-7, 1e-6, 9.999e-7, 1e15, 1e16, 1e17, 1e20, 1e21, 1e22, 5e-324, 0.1, 1.5, -0.0, 2.0**53]
ALL_FLOATS = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(EDGES).flatmap(
    lambda edge: st.sampled_from(
        [edge, -edge, math.nextafter(edge, math.inf), math.nextafter(edge, -math.inf), edge * 3]
    )
)


def unsafe(number: float) -> bool:
    """Written as an integer, and beyond those of which every reader makes the same number."""
    return 2**53 <= abs(number) < 1e21


FLOATS = ALL_FLOATS.filter(lambda number: not unsafe(number))
# Text that looks like what is looked for outside of strings.
TEXT = st.text() | st.sampled_from(
    [
        "1.0",
        ",1.0,",
        ":1e22}",
        "-0.0",
        "[1234567890123456789",
        "\\",
        '"',
        "\x7f",
        "\x1f\b\n",
        "é",
        "\U0001f600",
        "\ufb33",
        "\u2028",
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | INTEGERS | FLOATS | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
    max_leaves=12,
)


@given(VALUES)
@example({"a": 1.0, "b": [2.0, 0.0], "c": ",3.0"})
@example({"\ufb33": 1, "\U0001f600": 2})
def test_equals_the_reference(value: Any) -> None:
    assert canonical_bytes(value) == rfc8785.dumps(value)


@given(VALUES)
def test_is_a_fixpoint(value: Any) -> None:
    once = canonical_bytes(value)
    assert canonical_bytes(json.loads(once)) == once
    assert canonical_bytes(msgspec.json.decode(once)) == once


@given(st.lists(FLOATS | INTEGERS, min_size=1))
def test_writes_every_number_as_the_reference(numbers: list[float]) -> None:
    assert canonical_bytes(numbers) == rfc8785.dumps(numbers)
    keyed: dict[str, Any] = {f"k{place}": number for place, number in enumerate(numbers)}
    assert canonical_bytes(keyed) == rfc8785.dumps(keyed)


@given(st.dictionaries(TEXT, VALUES), st.randoms(use_true_random=False))
def test_does_not_depend_on_the_order_of_keys(value: dict[str, Any], random: Any) -> None:
    items = list(value.items())
    random.shuffle(items)
    assert canonical_digest(dict(items)) == canonical_digest(value)


class Inner(msgspec.Struct, rename="camel"):
    some_seconds: float
    a_count: int


class Outer(msgspec.Struct, rename="camel", omit_defaults=True):
    zeta: tuple[Inner, ...]
    alpha: str = ""


@given(st.lists(st.tuples(FLOATS, INTEGERS)), TEXT)
def test_of_a_struct_is_that_of_its_object(pairs: list[tuple[float, int]], alpha: str) -> None:
    outer = Outer(tuple(Inner(seconds, count) for seconds, count in pairs), alpha)
    plain = {"zeta": [{"someSeconds": seconds, "aCount": count} for seconds, count in pairs]}
    assert canonical_bytes(outer) == rfc8785.dumps(plain | ({"alpha": alpha} if alpha else {}))


@pytest.mark.parametrize(
    "value",
    [2**53, -(2**53), [2**60], {"a": 10**16}, 10**400, {"a": [10**400]}],
)
def test_refuses_integers_beyond_what_a_double_holds(value: Any) -> None:
    with pytest.raises(MalformedInput):
        canonical_bytes(value)


@given(ALL_FLOATS.filter(unsafe))
def test_refuses_floats_that_are_such_integers(number: float) -> None:
    for placed in (number, [number], {"a": [number]}, {"é": number}):
        with pytest.raises(MalformedInput):
            canonical_bytes(placed)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_refuses_what_is_no_json_number(value: float) -> None:
    for placed in (value, [value], {"a": {"b": value}}):
        with pytest.raises(MalformedInput):
            canonical_bytes(placed)


def test_refuses_what_is_nested_without_end() -> None:
    value: Any = []
    for _ in range(100_000):
        value = [value]
    with pytest.raises(MalformedInput):
        canonical_bytes(value)


def test_digests_the_bytes() -> None:
    """The digest of {} is that of the two bytes."""
    assert (
        canonical_digest({}) == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    )
