"""`genconform report`: write a report that was kept as JSON in another format."""

from __future__ import annotations

from pathlib import Path

import click

from genconform.cli.options import give, reporting
from genconform.document import read_bytes, read_report


@click.command()
@click.argument("kept", metavar="REPORT", type=click.Path(path_type=Path))
@reporting
def report(kept: Path, format_: str, output: Path | None) -> None:
    """Write a report in another format, without running its checks again.

    REPORT is a report written with --format json. The exit code is the one of its verdict.
    """
    give(read_report(read_bytes(kept, str(kept)), str(kept)), format_, output)
