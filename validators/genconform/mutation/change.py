"""One change to plain data, at a JSON pointer (RFC 6901). Nothing is changed in place."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from genconform.mutation.author import Mutation, Unfit

_APPEND = "-"


def change_at_pointer(document: Any, mutation: Mutation) -> Any:
    """The document with the value at the mutation's pointer set or removed.

    Raises:
        Unfit: there is no such place, or the change changes nothing.
    """
    if mutation.pointer is UNSET:
        raise Unfit("this base is a document", "/set", "`pointer`, and `value` or `remove`")
    changed = _changed(document, _steps(mutation.pointer), mutation)
    if same(changed, document):
        raise Unfit("the change changes nothing", "/value", "another value than the base has")
    return changed


def same(left: Any, right: Any) -> bool:
    """Whether two plain values are the same; true is not 1, and 1 is not 1.0."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return type(left) is type(right) and bool(left == right)


def _steps(pointer: str) -> list[str]:
    if pointer and not pointer.startswith("/"):
        raise Unfit("not a JSON pointer", "/pointer", "a text that starts with /", pointer)
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]


def _changed(value: Any, steps: list[str], mutation: Mutation) -> Any:
    if not steps:
        if mutation.remove:
            raise Unfit("the whole document cannot be removed", "/pointer", "a place within it")
        return mutation.value
    step, rest = steps[0], steps[1:]
    if isinstance(value, dict):
        return _changed_object(value, step, rest, mutation)
    if isinstance(value, list):
        return _changed_array(value, step, rest, mutation)
    raise _nowhere(step, mutation, f"a {type(value).__name__}, which holds nothing")


def _changed_object(
    value: dict[str, Any], step: str, rest: list[str], mutation: Mutation
) -> dict[str, Any]:
    adds = not rest and not mutation.remove
    if step not in value and not adds:
        raise _nowhere(step, mutation, "only " + ", ".join(value))
    if not rest and mutation.remove:
        return {key: item for key, item in value.items() if key != step}
    return value | {step: _changed(value.get(step), rest, mutation)}


def _changed_array(value: list[Any], step: str, rest: list[str], mutation: Mutation) -> list[Any]:
    if step == _APPEND and not rest and not mutation.remove:
        return [*value, mutation.value]
    if not step.isascii() or not step.isdigit() or int(step) >= len(value):
        raise _nowhere(step, mutation, f"{len(value)} items, from 0")
    index = int(step)
    if not rest and mutation.remove:
        return value[:index] + value[index + 1 :]
    return [*value[:index], _changed(value[index], rest, mutation), *value[index + 1 :]]


def _nowhere(step: str, mutation: Mutation, actual: str) -> Unfit:
    return Unfit(
        f"there is no {step!r} on the way of {mutation.pointer}",
        "/pointer",
        "a place in the base",
        actual,
    )
