"""`genconform digest`: bind files, verify that they are as bound, show what differs."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from genconform.cli.options import give, reporting, rooted, write
from genconform.context import Context
from genconform.digest.canonical import canonical_digest
from genconform.digest.check import run
from genconform.digest.difference import first_difference
from genconform.digest.manifest import MANIFEST_PATH, Manifest, bind, compare, load_manifest
from genconform.document import read_document
from genconform.errors import GenconformError
from genconform.finding import report_of
from genconform.tree import Tree


@click.group()
def digest() -> None:
    """Digests of every file that a verdict rests on."""


@digest.command()
@rooted
@reporting
def verify(tree: Tree, format_: str, output: Path | None) -> None:
    """Compare every bound file with the manifest; name each changed, missing or extra file."""
    give(report_of([run(Context(tree))]), format_, output)


@digest.command("bind")
@rooted
def bind_command(tree: Tree) -> None:
    """Rewrite the manifest to what the files are now, and say what that changes.

    Nothing else rewrites it. Read what is printed before you commit it.
    """
    after = bind(tree)
    for line in _changes(_before(tree), after):
        click.echo(line)
    text = msgspec.json.format(msgspec.json.encode(after), indent=1).decode() + "\n"
    write(text, tree.path(MANIFEST_PATH))
    click.echo(f"bound {len(after.files)} files in {MANIFEST_PATH}")


def _before(tree: Tree) -> Manifest:
    """The manifest so far; a broken or missing one binds nothing and is replaced."""
    try:
        return load_manifest(tree)
    except GenconformError as error:
        click.echo(f"starting anew: {error.diagnostics()}", err=True)
        return Manifest(1, ())


def _changes(before: Manifest, after: Manifest) -> list[str]:
    lines = []
    for difference in compare(before, after):
        if difference.expected is None:
            change = "added  "
        elif difference.actual is None:
            change = "removed"
        else:
            change = "layout " if difference.only_layout else "changed"
        lines.append(f"{change} {difference.path}")
    return lines


@digest.command()
@click.argument("expected", type=click.Path(path_type=Path))
@click.argument("actual", type=click.Path(path_type=Path))
def explain(expected: Path, actual: Path) -> None:
    """Show where two JSON or YAML documents first differ in canonical (RFC 8785) form.

    Exits 0 when they are the same document, 1 when they differ.
    """
    left, right = read_document(expected).value, read_document(actual).value
    found = first_difference(left, right)
    if found is None:
        click.echo(f"the same document, sha256 {canonical_digest(left)}")
        return
    click.echo(
        f"{found.pointer or '/'}\n  expected {found.expected!r}\n  found    {found.actual!r}"
    )
    click.get_current_context().exit(1)
