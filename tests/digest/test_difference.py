"""The first difference of two JSON values."""

from __future__ import annotations

from hypothesis import assume, given

from genconform.digest.canonical import canonical_bytes
from genconform.digest.difference import first_difference
from genconform.errors import MalformedInput
from tests.test_document import JSON_VALUES


@given(JSON_VALUES, JSON_VALUES)
def test_there_is_one_exactly_when_the_canonical_forms_differ(left: object, right: object) -> None:
    try:
        same = canonical_bytes(left) == canonical_bytes(right)
    except MalformedInput:
        assume(False)  # a large integral float, which has no canonical form
    assert (first_difference(left, right) is None) == same


@given(JSON_VALUES)
def test_a_value_does_not_differ_from_itself(value: object) -> None:
    assert first_difference(value, value) is None


def test_an_absent_member_is_not_one_that_says_so() -> None:
    found = first_difference({"a": 1, "b": "nothing there"}, {"a": 1})
    assert found is not None
    assert found.pointer == "/b"
