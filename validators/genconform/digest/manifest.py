"""The manifest: every file that a verdict rests on, bound by SHA-256.

The digest of a file's bytes finds any change. JSON and YAML also have the digest of their RFC 8785
form, which is the same however the file is laid out: it says whether a change touched the content
or its layout alone, and lets others bind the content without our bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from genconform.digest.canonical import canonical_digest, sha256_hex
from genconform.document import decode, parse_document, read_bytes, read_document
from genconform.errors import GenconformError, MalformedInput
from genconform.finding import Location
from genconform.tree import Tree

MANIFEST_PATH = "manifest.json"
BOUND_FOLDERS = (
    "fixtures",
    "lean",
    "mutations",
    "runtime_probe/genconform_probe",
    "spec",
    "validators/genconform",
)
_DOCUMENTS = {".json", ".yaml"}
_MAX_FILE_BYTES = 64 * 1024 * 1024
_NOT_BOUND = {"__pycache__", "_tree"}


class BoundFile(Struct, frozen=True, rename="camel", omit_defaults=True):
    """A file by its path in a checkout, the digest of its bytes, and that of its content."""

    path: str
    sha256: str
    canonical_sha256: str | UnsetType = UNSET


class Manifest(Struct, frozen=True, forbid_unknown_fields=True):
    """All bound files, ordered by path."""

    version: Literal[1]
    files: tuple[BoundFile, ...]


class Difference(Struct, frozen=True):
    """A bound file that is not as the manifest says; None where one side has no such file."""

    path: str
    expected: BoundFile | None
    actual: BoundFile | None

    @property
    def only_layout(self) -> bool:
        """Whether the content is the same and only its layout or comments changed."""
        return (
            self.expected is not None
            and self.actual is not None
            and self.expected.canonical_sha256 is not UNSET
            and self.expected.canonical_sha256 == self.actual.canonical_sha256
        )


class Survey(Struct, frozen=True):
    """The bound folders as they stand: each file digested, and by path why one cannot be."""

    manifest: Manifest
    faults: dict[str, GenconformError]


def survey(tree: Tree) -> Survey:
    """Digest every file of the bound folders as it stands."""
    files, faults = [], {}
    for name, path in _files(tree):
        try:
            files.append(_bound(name, path))
        except GenconformError as error:
            faults[name] = error
    return Survey(Manifest(1, tuple(files)), faults)


def bind(tree: Tree) -> Manifest:
    """Digest every file of the bound folders as it stands.

    Raises:
        UsageError: one cannot be read.
        MalformedInput: one is no plain file, or too large.
    """
    found = survey(tree)
    for fault in found.faults.values():
        raise fault
    return found.manifest


def load_manifest(tree: Tree) -> Manifest:
    """The manifest of a tree.

    Raises:
        UsageError: there is none, or it cannot be read.
        MalformedInput: it is not a manifest, or has a file twice.
    """
    document = read_document(tree.path(MANIFEST_PATH), MANIFEST_PATH)
    manifest = decode(document, Manifest)
    seen: set[str] = set()
    for index, file in enumerate(manifest.files):
        if file.path in seen:
            place = document.location(f"/files/{index}/path")
            raise MalformedInput("a file stands twice", location=place, actual=file.path)
        seen.add(file.path)
    return manifest


def compare(expected: Manifest, actual: Manifest) -> tuple[Difference, ...]:
    """Every file that is changed, missing or extra, ordered by path."""
    before = {file.path: file for file in expected.files}
    after = {file.path: file for file in actual.files}
    return tuple(
        Difference(path, before.get(path), after.get(path))
        for path in sorted(before.keys() | after.keys())
        if before.get(path) != after.get(path)
    )


def _files(tree: Tree) -> list[tuple[str, Path]]:
    folders = (tree.path(folder) for folder in BOUND_FOLDERS)
    found = (path for folder in folders if folder.is_dir() for path in files_below(folder))
    return sorted((tree.name(path), path) for path in found)


def files_below(folder: Path) -> Iterator[Path]:
    """Every file that counts: none that is hidden, compiled, or the copy of a tree in a wheel."""
    for path in folder.iterdir():
        if path.name.startswith(".") or path.name in _NOT_BOUND:
            continue
        if path.is_dir() and not path.is_symlink():
            yield from files_below(path)
        else:
            yield path


def _bound(name: str, path: Path) -> BoundFile:
    if path.exists() and not path.is_file():  # reading a pipe would wait for somebody to write
        raise MalformedInput("it is no plain file", location=Location(name))
    data = read_bytes(path, name, limit=_MAX_FILE_BYTES)
    if path.suffix not in _DOCUMENTS:
        return BoundFile(name, sha256_hex(data))
    try:
        canonical = canonical_digest(parse_document(data, name).value)
    except MalformedInput:
        return BoundFile(name, sha256_hex(data))  # fixtures may be broken on purpose
    return BoundFile(name, sha256_hex(data), canonical)
