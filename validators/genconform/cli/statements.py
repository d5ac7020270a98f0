"""`genconform digest attest`, `keygen`, and `verify` of an envelope.

What they need comes with the extra `attest`, and is imported only when one of them runs.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from genconform.cli.options import rooted, write
from genconform.document import read_bytes, unreadable
from genconform.errors import Unsupported, UsageError
from genconform.finding import Location, Report, report_of
from genconform.tree import Tree

if TYPE_CHECKING:
    from genconform.digest.verification import Artifact

_DIGEST = re.compile(r"sha256:([0-9a-f]{64})")
_PRIVATE = 0o600
_PUBLIC = 0o644


@contextmanager
def attesting() -> Iterator[None]:
    """Say how to install the libraries of statements where one is not there."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise Unsupported(
            f"statements need the Python module {error.name}, which is not installed",
            remedy="Install it with `pip install 'genconform[attest]'`.",
        ) from error


@click.command()
@click.argument("report", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    help="Write the envelope to this file.",
)
@click.option(
    "--key",
    "keys",
    type=click.Path(path_type=Path),
    multiple=True,
    help="Sign with this private key (PEM); repeatable. Without one the envelope has no signature.",
)
@click.option(
    "--subject",
    "more",
    type=click.Path(path_type=Path),
    multiple=True,
    help="Attest this file or folder too, such as the traces that were judged; repeatable.",
)
@rooted
def attest(
    report: Path, out: Path, keys: tuple[Path, ...], more: tuple[Path, ...], tree: Tree
) -> None:
    """Attest a report: which bytes its verdict rests on, in a DSSE envelope.

    REPORT is a report written with --format json. Beside it, every file that the manifest of the
    tree binds is a subject, and must be as it was bound.
    """
    with attesting():
        from genconform.digest.attest import attest as attested
        from genconform.digest.envelope import load_signer, seal
        from genconform.digest.statement import write_statement
    signers = [load_signer(key) for key in keys]
    statement = attested(tree, report, more)
    write(seal(write_statement(statement), signers).decode(), out)
    signed = ", ".join(signer.public_key.keyid for signer in signers) or "nobody"
    click.echo(
        f"attested {statement.outcome.result} over {len(statement.subjects)} subjects, "
        f"signed by {signed}"
    )


@click.command()
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    help="Write the private key to this file, and the public one beside it with .pub added.",
)
@click.option(
    "--type",
    "kind",
    type=click.Choice(["ed25519", "ecdsa"]),
    default="ed25519",
    show_default=True,
    help="Ed25519, or ECDSA on P-256.",
)
def keygen(out: Path, kind: str) -> None:
    """Make a key pair for statements. It never overwrites a file.

    The private key has no passphrase: keep it where only you can read it. Give out the public one.
    """
    with attesting():
        from genconform.digest.envelope import generate
    public = out.with_name(out.name + ".pub")
    if public.exists():
        raise UsageError(f"{public} exists already", remedy="Name another file.")
    pair = generate(kind)
    _write_new(out, pair.private, _PRIVATE)
    _write_new(public, pair.public, _PUBLIC)
    click.echo(f"{kind} key {pair.id}\nprivate {out}\npublic  {public}")


def _write_new(path: Path, data: bytes, mode: int) -> None:
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UsageError(f"cannot write {path}: {reason}", remedy="Name a new file.") from error


def verify_envelope(
    envelope: Path,
    artifacts: Sequence[str],
    keys: Sequence[Path],
    threshold: int,
    tree: Tree | None,
) -> Report:
    """Verify an envelope against the artifacts that the user brought, and a tree for the others."""
    with attesting():
        from genconform.digest.envelope import load_key
        from genconform.digest.verification import Asked, verify
    known = {key.keyid: key for key in map(load_key, keys)}
    if keys and threshold > len(known):
        raise UsageError(
            f"{threshold} signatures are wanted of {len(known)} keys",
            remedy="Give as many different --key as --threshold asks for.",
        )
    brought = tuple(_artifact(text) for text in artifacts)
    asked = Asked(tuple(known.values()), threshold, tree, brought)
    return report_of(verify(read_bytes(envelope, str(envelope)), envelope.name, asked))


def _artifact(text: str) -> Artifact:
    from genconform.digest.subjects import TooLarge, sha256_of
    from genconform.digest.verification import Artifact

    if text.startswith("sha256:"):
        digest = _DIGEST.fullmatch(text)
        if digest is None:
            raise UsageError(f"{text!r} is no digest", expected="sha256: and 64 lowercase digits")
        return Artifact(digest[1])
    path = Path(text)
    try:
        with path.open("rb") as file:
            return Artifact(sha256_of(file), path)
    except OSError as error:
        raise unreadable(text, error) from error
    except TooLarge as error:
        raise UsageError(f"the file is too large: {error}", location=Location(text)) from error
