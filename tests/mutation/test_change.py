"""Changes at JSON pointers."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from genconform.document import escape
from genconform.mutation.author import Mutation, Unfit
from genconform.mutation.change import change_at_pointer, same

SCALARS = st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-9, 9) | st.text(max_size=3)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)
DOCUMENT = {"a": {"b/c": 1, "d~": [10, 20]}, "": True}


def mutation(pointer: str, value: Any = UNSET, *, remove: bool = False) -> Mutation:
    return Mutation("m", "base", "rule", pointer=pointer, value=value, remove=remove)


def places(value: Any, pointer: str = "") -> list[str]:
    """Every pointer into a value."""
    below: list[str] = []
    if isinstance(value, dict):
        below = [p for key in value for p in places(value[key], f"{pointer}/{escape(key)}")]
    elif isinstance(value, list):
        below = [p for i, item in enumerate(value) for p in places(item, f"{pointer}/{i}")]
    return [pointer, *below]


def at(value: Any, pointer: str) -> Any:
    for step in pointer.split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        value = value[int(key)] if isinstance(value, list) else value[key]
    return value


@given(VALUES, VALUES, st.data())
def test_one_place_is_set_and_no_other_changes(before: Any, new: Any, data: st.DataObject) -> None:
    pointer = data.draw(st.sampled_from(places(before)))
    kept = copy.deepcopy(before)
    if same(at(before, pointer), new):
        with pytest.raises(Unfit, match="changes nothing"):
            change_at_pointer(before, mutation(pointer, new))
        return
    after = change_at_pointer(before, mutation(pointer, new))
    assert same(before, kept)
    assert same(at(after, pointer), new)
    back = change_at_pointer(after, mutation(pointer, at(before, pointer)))
    assert same(back, before)


@given(VALUES, st.data())
def test_removing_undoes_nothing_else(before: Any, data: st.DataObject) -> None:
    pointer = data.draw(st.sampled_from(places(before)))
    if not pointer:
        with pytest.raises(Unfit, match="whole document"):
            change_at_pointer(before, mutation(pointer, remove=True))
        return
    after = change_at_pointer(before, mutation(pointer, remove=True))
    parent = pointer.rpartition("/")[0]
    assert len(at(after, parent)) == len(at(before, parent)) - 1
    rest = [place for place in places(before) if not place.startswith((pointer, parent + "/"))]
    for place in rest:
        if not pointer.startswith(place):
            assert same(at(after, place), at(before, place))


@pytest.mark.parametrize(
    ("pointer", "expected"),
    [
        ("/a/b~1c", {"a": {"b/c": 7, "d~": [10, 20]}, "": True}),
        ("/a/d~0/1", {"a": {"b/c": 1, "d~": [10, 7]}, "": True}),
        ("/a/d~0/-", {"a": {"b/c": 1, "d~": [10, 20, 7]}, "": True}),
        ("/", {"a": {"b/c": 1, "d~": [10, 20]}, "": 7}),
        ("/new", {"a": {"b/c": 1, "d~": [10, 20]}, "": True, "new": 7}),
        ("", 7),
    ],
)
def test_pointers_are_read_as_rfc_6901_says(pointer: str, expected: object) -> None:
    assert change_at_pointer(DOCUMENT, mutation(pointer, 7)) == expected


@pytest.mark.parametrize(
    ("pointer", "remove", "message"),
    [
        ("a", False, "not a JSON pointer"),
        ("/missing/deeper", False, "there is no 'missing'"),
        ("/missing", True, "there is no 'missing'"),
        ("/a/d~0/2", False, "there is no '2'"),
        ("/a/d~0/-", True, "there is no '-'"),
        ("/a/d~0/-1", False, "there is no '-1'"),
        ("/a/d~0/¹", False, "there is no '¹'"),
        ("/a/b~1c/x", False, "there is no 'x'"),
    ],
)
def test_a_place_that_is_not_there_is_refused(pointer: str, remove: bool, message: str) -> None:
    change = mutation(pointer, remove=True) if remove else mutation(pointer, 7)
    with pytest.raises(Unfit, match=message) as refused:
        change_at_pointer(DOCUMENT, change)
    assert refused.value.field == "/pointer"


def test_a_document_has_no_values_to_set() -> None:
    with pytest.raises(Unfit, match="document"):
        change_at_pointer({}, Mutation("m", "base", "rule", set={"riskTier": False}))


@pytest.mark.parametrize(
    ("left", "right"), [(1, True), (1, 1.0), (0, False), ([1], [True]), ({"a": 0}, {"a": False})]
)
def test_values_of_different_kinds_are_not_the_same(left: object, right: object) -> None:
    assert left == right
    assert not same(left, right)


@given(VALUES)
def test_a_value_is_the_same_as_its_copy(value: Any) -> None:
    assert same(value, copy.deepcopy(value))
    assert same(value, json.loads(json.dumps(value)))
