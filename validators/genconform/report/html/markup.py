"""HTML in which nothing from an input can become markup: whatever is not `Markup` is text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

_VOID = frozenset({"meta", "input"})


class Markup(str):
    """HTML as it stands. Joining or formatting it gives a plain `str`, which is escaped again."""

    __slots__ = ()


def tag(name: str, /, *children: str, **attributes: object) -> Markup:
    """An element. `class_` and `aria_label` stand for `class` and `aria-label`.

    An attribute that is None or False is left out; one that is True has no value.
    """
    opened = "".join(_attributes(name, attributes))
    if name in _VOID:
        return Markup(f"{opened}>")
    return Markup(f"{opened}>{together(children)}</{name}>")


def together(children: Iterable[str]) -> Markup:
    """Children one after the other, each escaped unless it is markup."""
    return Markup("".join(map(_safe, children)))


def prose(sentence: str) -> Markup:
    """A sentence in which names stand in backticks."""
    parts = sentence.split("`")
    if len(parts) % 2 == 0:  # one that is not closed is no name
        return text(sentence)
    return together(tag("code", part) if place % 2 else part for place, part in enumerate(parts))


def text(value: object) -> Markup:
    """Any value as text. What does not print, or would steer the writing, shows as its escape."""
    return Markup(escape("".join(map(_shown, str(value)))))


def _safe(child: str) -> str:
    return child if isinstance(child, Markup) else text(child)


def _shown(char: str) -> str:
    return char if char.isprintable() or char == "\n" else ascii(char)[1:-1]


def _attributes(name: str, attributes: dict[str, object]) -> Iterator[str]:
    yield f"<{name}"
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        yield " " + key.rstrip("_").replace("_", "-")
        if value is not True:
            yield f'="{text(value)}"'
