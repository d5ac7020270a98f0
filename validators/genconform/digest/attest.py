"""Which files a verdict rests on, for a statement about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from genconform.digest.canonical import sha256_hex
from genconform.digest.manifest import MANIFEST_PATH, bind, compare, load_manifest
from genconform.digest.statement import Outcome, Statement, Subject, outcome_of
from genconform.digest.subjects import TooLarge, sha256_of
from genconform.digest.tools import installed_tools
from genconform.document import read_bytes, read_report, unreadable
from genconform.errors import GenconformError, MalformedInput, UsageError
from genconform.finding import Location
from genconform.tree import Tree


class NotAsBound(GenconformError):
    """The tree is not what its manifest says, so a statement about it would mislead."""


def attest(tree: Tree, report: Path, more: Iterable[Path] = ()) -> Statement:
    """A statement about a JSON report of this tree, with `more` files and folders as subjects.

    A file of the tree has its path there as its name; any other has its own name, and one in a
    folder that was named has its path from that folder's name on.

    Raises:
        UsageError: a file cannot be read, or two would have one name.
        MalformedInput: `report` is no JSON report.
        NotAsBound: a bound file changed since it was bound.
    """
    data = read_bytes(report, str(report))
    outcome = _outcome(data, report)
    found = {_name(tree, report, report): sha256_hex(data)}
    for name, sha256 in (*_bound(tree), *_others(tree, more)):
        if found.setdefault(name, sha256) != sha256:
            raise UsageError(
                f"two different files would be attested as {name!r}",
                remedy="Give one of them another name.",
            )
    first, *others = found.items()
    subjects = tuple(Subject(*item) for item in (first, *sorted(others)))
    return Statement(subjects, outcome, installed_tools())


def _outcome(data: bytes, report: Path) -> Outcome:
    try:
        return outcome_of(read_report(data, str(report)))
    except MalformedInput as error:
        error.remedy = "Write the report with --format json --output FILE."
        raise


def _bound(tree: Tree) -> Iterator[tuple[str, str]]:
    manifest, now = load_manifest(tree), bind(tree)
    differences = compare(manifest, now)
    if differences:
        raise NotAsBound(
            f"{len(differences)} of the bound files are not as they were bound",
            location=Location(differences[0].path),
            remedy="Nothing was attested. See them all with `genconform digest verify`.",
        )
    yield from ((file.path, file.sha256) for file in now.files)
    yield MANIFEST_PATH, sha256_hex(read_bytes(tree.path(MANIFEST_PATH), MANIFEST_PATH))


def _others(tree: Tree, paths: Iterable[Path]) -> Iterator[tuple[str, str]]:
    for given in paths:
        files = (
            sorted(path for path in given.rglob("*") if path.is_file()) if given.is_dir() else []
        )
        if given.is_dir() and not files:
            raise UsageError(f"there is no file in the folder {given}")
        for path in files or [given]:
            yield _name(tree, path, given), _sha256(path)


def _name(tree: Tree, path: Path, given: Path) -> str:
    try:
        return tree.name(path.resolve())
    except ValueError:  # outside the tree
        return path.resolve().relative_to(given.resolve().parent).as_posix()


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return sha256_of(file)
    except TooLarge as error:
        raise UsageError(f"{path} is too large to attest: {error}") from error
    except OSError as error:
        raise unreadable(str(path), error) from error
