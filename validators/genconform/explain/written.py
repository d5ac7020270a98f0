"""A topic as Markdown, for a page, and as text, for a terminal: the same words."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from genconform.explain.topic import Kind, Reference, Topic

Link = Callable[[Reference], str | None]
"""Where a topic's page is; None where it has none."""

_HOLDS = {
    Kind.STAGE: "How a request comes here",
    Kind.ROUTE: "When it is taken",
    Kind.COUNTER: "What adds to it",
    Kind.EVENT: "When it is accepted",
    Kind.MODE: "What must be verified",
    Kind.CLAIM: "What proves it",
    Kind.INVARIANT: "What enforces it",
    Kind.FAILURE: "What catches it",
    Kind.FORMAT: "What it must have",
}
_BROKEN = {
    Kind.STAGE: "What does not leave it",
    Kind.ROUTE: "When it is not taken",
    Kind.FIELD: "What asks about it",
    Kind.FACT: "What asks about it",
    Kind.MODE: "Where that ends",
    Kind.INVARIANT: "Where that ends",
    Kind.FAILURE: "Where that ends",
}


def holds_heading(kind: Kind) -> str:
    """How the part that says what makes it true is called."""
    return _HOLDS.get(kind, "What makes it true")


def broken_heading(kind: Kind) -> str:
    """How the part that says what breaks it is called."""
    return _BROKEN.get(kind, "What breaks it")


def as_markdown(topic: Topic, link: Link, level: int = 1) -> str:
    """The topic as a page, or as a section of one."""
    return "\n\n".join(_blocks(topic, link, "#" * level)) + "\n"


def _blocks(topic: Topic, link: Link, mark: str) -> Iterator[str]:
    yield f"{mark} {topic.name}"
    yield f"*{topic.kind.value.capitalize()}, from `{topic.at}`*"
    yield topic.meaning
    yield f"{mark}# {holds_heading(topic.kind)}\n\n{topic.holds}"
    yield f"{mark}# {broken_heading(topic.kind)}"
    yield "\n".join(f"- {sentence}" for sentence in topic.broken_by)
    yield f"{mark}# For example"
    for example in topic.examples:
        yield f"{example.says}\n\n```{example.language or 'text'}\n{example.code}\n```"
    if topic.related:
        yield f"{mark}# Related"
        yield "\n".join(_related(topic, link))


def _related(topic: Topic, link: Link) -> Iterator[str]:
    for kind, names in by_kind(topic).items():
        linked = (_linked(Reference(kind, name), link) for name in names)
        yield f"- {plural(kind)}: {', '.join(linked)}"


def _linked(reference: Reference, link: Link) -> str:
    target = link(reference)
    return f"`{reference.name}`" if target is None else f"[{reference.name}]({target})"


def by_kind(topic: Topic) -> dict[Kind, list[str]]:
    """The names of the related topics, each once, by their kind."""
    found: dict[Kind, list[str]] = {}
    for reference in dict.fromkeys(topic.related):
        found.setdefault(reference.kind, []).append(reference.name)
    return found


def plural(kind: Kind) -> str:
    """What several of a kind are called."""
    return f"{kind.value}s"


def as_text(topic: Topic) -> str:
    """The topic for a terminal, in plain text."""
    return "\n\n".join(_paragraphs(topic)) + "\n"


def _paragraphs(topic: Topic) -> Iterator[str]:
    yield f"{topic.name}: {topic.kind.value}, from {topic.at}"
    yield topic.meaning
    yield f"{holds_heading(topic.kind)}\n  {topic.holds}"
    broken = "\n".join(f"  {sentence}" for sentence in topic.broken_by)
    yield f"{broken_heading(topic.kind)}\n{broken}"
    for example in topic.examples:
        code = "\n".join(f"    {line}" for line in example.code.splitlines())
        yield f"{example.says}\n{code}"
    related = [f"  {plural(kind)}: {', '.join(names)}" for kind, names in by_kind(topic).items()]
    if related:
        yield "\n".join(["Related", *related])
