"""`genconform lifecycle`: the sixty routes, and what becomes of an event."""

from __future__ import annotations

import click


@click.group()
def lifecycle() -> None:
    """The lifecycle of eight stages and sixty routes."""
