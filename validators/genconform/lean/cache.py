"""Remembered results: small files below the user's cache folder, named by a digest of the input.

Nothing here is needed for a check to work. A folder that cannot be written remembers nothing.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from tempfile import NamedTemporaryFile

_KEPT_AT_MOST = 64


def folder() -> Path:
    """Where results are remembered: XDG_CACHE_HOME or ~/.cache, and in it genconform/lean."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or "")
    # By the XDG specification a relative path is to be ignored.
    return (base if base.is_absolute() else Path.home() / ".cache") / "genconform" / "lean"


def key_of(*parts: str) -> str:
    """A name that is another one whenever a part is; parts cannot run into each other."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode()
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


def load(key: str) -> bytes | None:
    """What was stored under the name, or None; what was stored under another is not it."""
    try:
        name, _, value = (folder() / key).read_bytes().partition(b"\n")
    except OSError:
        return None
    return value if name == key.encode() else None


def store(key: str, value: bytes) -> None:
    """Remember a value; written whole or not at all."""
    try:
        folder().mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=folder(), delete=False) as file:
            file.write(key.encode() + b"\n" + value)
        os.replace(file.name, folder() / key)
        by_age = sorted(folder().iterdir(), key=lambda path: path.stat().st_mtime)
        for path in by_age[:-_KEPT_AT_MOST]:
            path.unlink(missing_ok=True)
    except OSError:
        return
