"""`genconform explain`: the meaning of a rule or a route."""

from __future__ import annotations

import click

from genconform.cli.options import rooted
from genconform.errors import UsageError
from genconform.spec.rules import ROUTE_PREFIX, load_rules
from genconform.tree import Tree


@click.command()
@click.argument("name", metavar="RULE-OR-ROUTE")
@rooted
def explain(name: str, tree: Tree) -> None:
    """Say what a rule or a route means, and where it is broken on purpose."""
    rules = load_rules(tree)
    rule = rules.get(name) or rules.get(ROUTE_PREFIX + name)
    if rule is None:
        raise UsageError(f"there is no rule or route named {name!r}")
    click.echo(f"{rule.id} ({rule.level.value})\n{rule.text}\nbroken by {rule.broken_by}")
