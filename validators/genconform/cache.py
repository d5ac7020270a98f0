"""Results of checks that passed, remembered by a digest of all that they depend on.

A result is taken only for the same inputs, program, packages and machine, and only a pass is
kept: whatever was red is looked at anew. An entry that is broken or does not fit is as good as none
Nothing here is needed for a check to work; a folder that cannot be written remembers nothing.
"""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.metadata import distributions
from importlib.util import find_spec
from pathlib import Path
from tempfile import NamedTemporaryFile

import msgspec

from genconform.digest.canonical import canonical_digest, sha256_hex
from genconform.digest.manifest import files_below
from genconform.errors import GenconformError
from genconform.finding import CheckResult, Verdict
from genconform.tree import Tree

_PACKAGE = "genconform"
_KEPT_AT_MOST = 256
_READ_AT_MOST = 16 * 1024 * 1024


class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A result as JSON text, and what tells that it is whole and in its place."""

    key: str
    sha256: str
    result: str


@dataclass(frozen=True)
class Dependencies:
    """What a check's result follows from.

    Args:
        check: its id.
        target: "module:function"; the whole package of the module counts.
        inputs: files and folders of the tree.
        programs: programs that it would use if they are on the PATH.
    """

    check: str
    target: str
    inputs: tuple[str, ...]
    programs: tuple[str, ...] = ()


class Snapshot:
    """The state of a tree and of this machine at one time; each part is digested at most once."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._input = cache(lambda name: _digest(tree.path(name)))
        self._package = cache(_package_digest)

    def key(self, of: Dependencies) -> str:
        """A digest that is another one whenever anything that counts is."""
        module = of.target.partition(":")[0]
        packages = sorted({_PACKAGE, module.partition(".")[0]})
        return canonical_digest(
            {
                "check": of.check,
                "target": of.target,
                "inputs": {name: self._input(name) for name in of.inputs},
                "code": {package: self._package(package) for package in packages},
                "programs": {name: _program(name) for name in of.programs},
                "installed": _installed(),
                "machine": [sys.version, platform.machine(), platform.system()],
            }
        )


@cache
def _installed() -> list[str]:
    return sorted(f"{each.name}=={each.version}" for each in distributions())


def folder() -> Path:
    """Where results are remembered: genconform/checks in XDG_CACHE_HOME, or in ~/.cache."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    # By the XDG specification a relative path is to be ignored.
    return (base if base.is_absolute() else Path.home() / ".cache") / _PACKAGE / "checks"


def recall(key: str, check: str) -> CheckResult | None:
    """The result that the check passed with, or None."""
    try:
        with _path(key).open("rb") as file:
            entry = msgspec.json.decode(file.read(_READ_AT_MOST), type=_Entry)
        if entry.key != key or entry.sha256 != sha256_hex(entry.result.encode()):
            return None
        result = msgspec.json.decode(entry.result, type=CheckResult)
    except (OSError, ValueError, msgspec.MsgspecError):
        return None
    return result if result.verdict is Verdict.PASS and result.id == check else None


def remember(key: str, result: CheckResult) -> None:
    """Keep a pass; anything else is not kept. Written whole or not at all."""
    if result.verdict is not Verdict.PASS:
        return
    text = msgspec.json.encode(result).decode()
    entry = msgspec.json.encode(_Entry(key, sha256_hex(text.encode()), text))
    with suppress(OSError):
        folder().mkdir(parents=True, exist_ok=True, mode=0o700)
        with NamedTemporaryFile(dir=folder(), suffix=".part", delete=False) as file:
            file.write(entry)
        os.replace(file.name, _path(key))
        _forget_oldest()


def _path(key: str) -> Path:
    return folder() / f"{key}.json"


def _forget_oldest() -> None:
    by_age = sorted(folder().iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in by_age[_KEPT_AT_MOST:]:
        path.unlink(missing_ok=True)


def _digest(path: Path) -> str:
    """A digest over the names and bytes of a file or of all files in a folder."""
    files: Iterable[Path] = sorted(files_below(path)) if path.is_dir() else [path]
    return _digest_of(path, files)


def _digest_of(base: Path, files: Iterable[Path]) -> str:
    whole = sha256()
    for file in files:
        name = os.fsencode(file.relative_to(base))
        try:
            # Reading what is no plain file might never end.
            content = sha256(file.read_bytes()).digest() if file.is_file() else b"no plain file"
        except OSError:
            content = b"unreadable"
        whole.update(sha256(name).digest() + content)
    return whole.hexdigest()


def _package_digest(name: str) -> str:
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        raise GenconformError(f"there is no package {name}")
    return _digest(Path(spec.origin).parent)


def _program(name: str) -> list[str]:
    """A program on the PATH by its file, size and time of change; nothing if there is none."""
    found = shutil.which(name)
    if found is None:
        return []
    status = os.stat(found)
    return [str(Path(found).resolve()), str(status.st_size), str(status.st_mtime_ns)]
