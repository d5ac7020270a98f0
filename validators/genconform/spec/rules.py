"""Every rule that a check can report, from spec/rules.yaml and the lifecycle's rejecting routes."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from genconform.document import decode, read_document
from genconform.errors import MalformedInput
from genconform.finding import Level
from genconform.spec.table import Table, load_table
from genconform.tree import Tree

RULES_PATH = "spec/rules.yaml"
ROUTE_PREFIX = "route."


class Rule(Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """A rule: what it says, how much it weighs, the page that explains it.

    `broken_by` names the committed input, or the test, that breaks it: a check that cannot fail is
    not a check.
    """

    id: str
    level: Level
    text: str
    page: str
    broken_by: str


class _RuleFile(Struct, frozen=True, forbid_unknown_fields=True):
    version: Literal[1]
    rules: tuple[Rule, ...]


def load_rules(tree: Tree) -> dict[str, Rule]:
    """All rules by id, those of the rejecting routes included.

    Raises:
        MalformedInput: the file is broken, or has an id twice.
    """
    document = read_document(tree.path(RULES_PATH), RULES_PATH)
    rules: dict[str, Rule] = {}
    for index, rule in enumerate(decode(document, _RuleFile).rules):
        if rule.id in rules:
            raise MalformedInput(
                f"the rule {rule.id!r} stands twice",
                location=document.location(f"/rules/{index}"),
                expected="each id once",
            )
        rules[rule.id] = rule
    return rules | {rule.id: rule for rule in _route_rules(load_table(tree))}


def _route_rules(table: Table) -> list[Rule]:
    return [
        Rule(
            id=ROUTE_PREFIX + route,
            level=Level.ERROR,
            text=f"The lifecycle rejects the event by its route {route}.",
            page=f"docs/lifecycle.md#{route.lower()}",
            broken_by="mutations/routes.yaml",
        )
        for route in table.routes()
        if route not in table.accepting()
    ]
