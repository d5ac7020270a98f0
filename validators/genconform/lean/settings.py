"""What the package's own files ask of a stock toolchain: the version, and one option."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from genconform.finding import Finding, Level, Location
from genconform.lean.package import FOLDER, ROOT, TOOLCHAIN_FILE
from genconform.lean.toolchain import LEAN_VERSION
from genconform.tree import Tree

LAKEFILE = f"{FOLDER}/lakefile.toml"
# Lake would take it in place of the other.
_OTHER_LAKEFILE = f"{FOLDER}/lakefile.lean"
_TOOLCHAIN = f"leanprover/lean4:v{LEAN_VERSION}"
_SETTINGS: dict[str, Any] = {
    "name": ROOT,
    "defaultTargets": [ROOT],
    "leanOptions": {"autoImplicit": False},
    "lean_lib": [{"name": ROOT}],
}
_SAYS_NOTHING = {"version", "description", "license", "keywords", "homepage"}


def settings_findings(tree: Tree) -> Iterator[Finding]:
    """Where `lake build` would not do with the package what is checked here."""
    toolchain = _read(tree.path(TOOLCHAIN_FILE)).strip()
    if toolchain != _TOOLCHAIN:
        yield _finding("names another toolchain", TOOLCHAIN_FILE, _TOOLCHAIN, toolchain)
    try:
        found = tomllib.loads(_read(tree.path(LAKEFILE)))
    except tomllib.TOMLDecodeError as error:
        yield _finding("cannot be read", LAKEFILE, "TOML", str(error))
        return
    for key in sorted({*found, *_SETTINGS} - _SAYS_NOTHING):
        if found.get(key) != _SETTINGS.get(key):
            yield _finding(f"sets {key}", LAKEFILE, _SETTINGS.get(key), found.get(key))
    if tree.path(_OTHER_LAKEFILE).exists():
        yield _finding("stands before lakefile.toml", _OTHER_LAKEFILE, "no such file", "a file")


def settings_files(tree: Tree) -> Iterator[tuple[str, str]]:
    """The files that are read here, by path, with their text; "" where there is none."""
    for path in (TOOLCHAIN_FILE, LAKEFILE, _OTHER_LAKEFILE):
        yield path, _read(tree.path(path))


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def _finding(message: str, path: str, expected: Any, actual: Any) -> Finding:
    return Finding(
        "lean.package.settings",
        Level.ERROR,
        f"the file {message}; a stock toolchain would not do what is checked here",
        Location(path),
        expected=expected,
        actual=actual,
    )
