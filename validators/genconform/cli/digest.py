"""`genconform digest`: bind files, verify that they are as bound, show what differs."""

from __future__ import annotations

from pathlib import Path

import click

from genconform.cli.options import give, reporting, rooted, write
from genconform.cli.statements import attest, keygen, verify_envelope
from genconform.context import Context
from genconform.digest.canonical import canonical_digest
from genconform.digest.check import run
from genconform.digest.difference import first_difference
from genconform.digest.manifest import MANIFEST_PATH, Manifest, bind, compare, load_manifest
from genconform.document import indented_json, read_document
from genconform.errors import GenconformError, UsageError
from genconform.finding import report_of
from genconform.report import verification
from genconform.tree import Tree, find_tree, folder


@click.group()
def digest() -> None:
    """Digests of every file that a verdict rests on."""


digest.add_command(attest)
digest.add_command(keygen)


@digest.command()
@click.argument("envelope", type=click.Path(path_type=Path), required=False)
@click.argument("artifacts", metavar="[FILE|sha256:DIGEST]...", nargs=-1)
@click.option(
    "--key",
    "keys",
    type=click.Path(path_type=Path),
    multiple=True,
    help="A public key (PEM) that counts; repeatable.",
)
@click.option(
    "--threshold",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="How many of the keys must have signed.",
)
@click.option(
    "--root",
    type=click.Path(path_type=Path),
    help="Look in this folder instead of the installed tree.",
)
@click.option(
    "--installed",
    is_flag=True,
    help="Look in the installed tree for the subjects that no FILE or DIGEST stands for.",
)
@reporting
def verify(
    envelope: Path | None,
    artifacts: tuple[str, ...],
    keys: tuple[Path, ...],
    threshold: int,
    root: Path | None,
    installed: bool,
    format_: str,
    output: Path | None,
) -> None:
    """Verify that files are as they were bound or attested. Works offline.

    Without an ENVELOPE, every bound file is compared with the manifest. With one, its signatures
    are verified with --key and every subject is digested anew below --root. Give files or digests
    after it for subjects that stand elsewhere; they alone are looked at, unless --root or
    --installed says where the others are.
    """
    if envelope is None:
        if keys or threshold > 1:
            raise UsageError("--key and --threshold are for an ENVELOPE, and none is named")
        give(report_of([run(Context(find_tree(root)))]), format_, output)
    if threshold > 1 and not keys:
        raise UsageError("--threshold counts the keys given with --key, and there is none")
    if root is not None and installed:
        raise UsageError("--root and --installed name two places to look in")
    alone = bool(artifacts) and root is None and not installed
    tree = None if alone else folder(root) if root else find_tree()
    report = verify_envelope(envelope, artifacts, keys, threshold, tree)
    give(report, format_, output, text=verification.render)


@digest.command("bind")
@rooted
def bind_command(tree: Tree) -> None:
    """Rewrite the manifest to what the files are now, and say what that changes.

    Nothing else rewrites it. Read what is printed before you commit it.
    """
    after = bind(tree)
    for line in _changes(_before(tree), after):
        click.echo(line)
    write(indented_json(after, indent=1), tree.path(MANIFEST_PATH))
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
