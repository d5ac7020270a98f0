"""`genconform explain`: what a name means."""

from __future__ import annotations

import click
import msgspec

from genconform.cli.options import as_text_or_json, rooted
from genconform.explain.library import Library
from genconform.explain.topic import Kind, Topic
from genconform.explain.written import as_text, plural
from genconform.tree import Tree, find_tree


def _names(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    topics = Library(find_tree()).topics.values()
    return sorted({topic.name for topic in topics if topic.name.startswith(incomplete)})


@click.command()
@click.argument("name", required=False, shell_complete=_names)
@as_text_or_json
@rooted
def explain(name: str | None, format_: str, tree: Tree) -> None:
    """Say what NAME means, what makes it true, what breaks it, an example, and what it touches.

    NAME is a stage, route, field, fact, identity value, counter, event kind, rule, generation mode,
    claim, invariant, failure mode or format. Without one, all names are listed.
    """
    library = Library(tree)
    topics = list(library.topics.values()) if name is None else library.named(name)
    if format_ == "json":
        text = msgspec.json.format(msgspec.json.encode(topics), indent=2).decode()
    elif name is None:
        text = "\n".join(_listed(topics))
    else:
        text = "\n".join(as_text(topic) for topic in topics).rstrip()
    click.echo(text)


def _listed(topics: list[Topic]) -> list[str]:
    return [
        f"{plural(kind)}: {', '.join(topic.name for topic in topics if topic.kind is kind)}"
        for kind in Kind
    ]
