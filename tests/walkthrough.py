"""Pages that can be typed as they stand: their files are written, their commands run.

A block of ```console has lines that begin with `$ `, each a command for bash, and below it lines
that it prints. A block with a path after its language is that file; `>> PATH` adds to one.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from genconform.tree import Tree

ALSO = ("docs", "scripts", "tests", "pyproject.toml", "README.md")
_BLOCK = re.compile(r"^```(?P<info>\w+[^\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_CHECKOUT = ("validators", "runtime_probe", "")


class Block(NamedTuple):
    """A block of a page: a file to write or to append to, or commands and what they print."""

    info: str
    body: str


def add_the_rest(copied: Tree, source: Tree) -> Path:
    """Make a copied tree a whole checkout; its root."""
    for name in ALSO:
        path, target = source.root / name, copied.root / name
        if path.is_dir():
            shutil.copytree(path, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(path, target)
    return copied.root


def follow(page: Path, checkout: Path, own: Path) -> int:
    """Do all that a page says in a checkout; how many commands that were.

    `own` is a folder for the program to run and for its cache.
    """
    ran = 0
    for block in blocks(page):
        kind, _, path = block.info.partition(" ")
        if kind == "console":
            for command, shown in commands(block.body):
                check(command, shown, checkout, own)
                ran += 1
        elif path.startswith(">> "):
            target = checkout / path.removeprefix(">> ")
            target.write_text(target.read_text(encoding="utf-8") + block.body, encoding="utf-8")
        elif path:
            target = checkout / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.body, encoding="utf-8")
    return ran


def blocks(page: Path) -> Iterator[Block]:
    """The blocks of a page, in order."""
    for found in _BLOCK.finditer(page.read_text(encoding="utf-8")):
        yield Block(found["info"], found["body"])


def commands(body: str) -> Iterator[tuple[str, list[str]]]:
    """Each command of a block, and the lines that it must print."""
    command = ""
    shown: list[str] = []
    for line in body.splitlines():
        if line.startswith("$ "):
            if command:
                yield command, shown
            command, shown = line.removeprefix("$ "), []
        else:
            shown.append(line)
    yield command, shown


def check(command: str, shown: list[str], checkout: Path, own: Path) -> None:
    """Run a command as a user does, and look for the lines in what it prints, in their order."""
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=checkout,
        env=_environment(checkout, own),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    printed = " ".join((done.stdout + done.stderr).split())
    assert done.returncode == 0, f"{command}: {printed}"
    assert "Traceback" not in printed, f"{command}: {printed}"
    rest = printed
    for line in shown:
        wanted = " ".join(line.split())
        assert wanted in rest, f"{command}: {line}\n{printed}"
        rest = rest.partition(wanted)[2]


def _environment(checkout: Path, own: Path) -> dict[str, str]:
    """The code of the checkout, under the names that an installation gives to its programs."""
    for name, arguments in (("genconform", "-m genconform"), ("python", "")):
        program = own / "bin" / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {arguments} "$@"\n')
        program.chmod(0o755)
    return os.environ | {
        "PATH": f"{own / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(str(checkout / folder) for folder in _CHECKOUT),
        "XDG_CACHE_HOME": str(own / "cache"),
    }
