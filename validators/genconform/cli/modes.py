"""`genconform modes`: the registry of generation modes, and what may be routed to."""

from __future__ import annotations

from typing import Literal

import click
import msgspec
from msgspec import Struct

from genconform.cli.options import as_text_or_json, rooted
from genconform.finding import Verdict
from genconform.spec.modes import Status, load_modes
from genconform.suites.mode_selections import select
from genconform.tree import Tree


class Selected(Struct, frozen=True):
    """What `modes select` gives as JSON."""

    mode: str
    status: Status
    outcome: Literal["select", "refuse"]
    serves: str
    because: str


@click.group()
def modes() -> None:
    """Generation modes: what each is, and whether requests may be routed to it."""


@modes.command("list")
@as_text_or_json
@rooted
def list_modes(tree: Tree, format_: str) -> None:
    """List the twelve modes with their status and what ran here."""
    registry = load_modes(tree)
    if format_ == "json":
        click.echo(msgspec.json.encode(registry.modes).decode())
        return
    width = max(len(mode.name) for mode in registry.modes)
    for mode in registry.modes:
        click.echo(f"{mode.name:{width}}  {mode.status.value:12}  {mode.because}")


@modes.command("select")
@click.argument("name", metavar="MODE")
@as_text_or_json
@rooted
def select_mode(name: str, tree: Tree, format_: str) -> None:
    """Say whether MODE may serve by the registry, and if not, what serves instead.

    Exit code 1 says that it was refused. Whether a routable mode may serve one request, with its
    risk, qualification and reserve, is for a mode-selection record.
    """
    registry = load_modes(tree)
    asked, serves = registry.mode(name), select(registry, name)
    refused = serves.name != asked.name
    if format_ == "json":
        answer = Selected(
            asked.name,
            asked.status,
            "refuse" if refused else "select",
            serves.name,
            asked.because,
        )
        click.echo(msgspec.json.encode(answer).decode())
    else:
        said = f"refused, {serves.name} serves" if refused else "selected"
        click.echo(f"{asked.name} is {asked.status.value}: {said}. {asked.because}")
    verdict = Verdict.FAIL if refused else Verdict.PASS
    click.get_current_context().exit(verdict.exit_code)
