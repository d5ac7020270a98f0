"""docs/authoring.md, followed to the letter in a copy of the tree."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from genconform.tree import Tree

PAGE = Path(__file__).parents[1] / "docs/authoring.md"
_BLOCK = re.compile(r"^```(?P<info>\w+[^\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_ALSO = ("docs", "scripts", "tests", "pyproject.toml", "README.md")


class Block(NamedTuple):
    """A block of the page: a file to write or to append to, or commands and what they print."""

    info: str
    body: str


def blocks() -> Iterator[Block]:
    for found in _BLOCK.finditer(PAGE.read_text(encoding="utf-8")):
        yield Block(found["info"], found["body"])


@pytest.fixture
def checkout(copied_tree: Tree, tree: Tree) -> Path:
    for name in _ALSO:
        source, target = tree.root / name, copied_tree.root / name
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    return copied_tree.root


def test_the_page_does_what_it_says(checkout: Path) -> None:
    ran = 0
    for block in blocks():
        kind, _, path = block.info.partition(" ")
        if kind == "console":
            for command, shown in commands(block.body):
                check(command, shown, checkout)
                ran += 1
        elif path.startswith(">> "):
            target = checkout / path.removeprefix(">> ")
            target.write_text(target.read_text(encoding="utf-8") + block.body, encoding="utf-8")
        elif path:
            target = checkout / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.body, encoding="utf-8")
    assert ran == 8


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


def check(command: str, shown: list[str], checkout: Path) -> None:
    program, *arguments = command.split()
    module = ["-m", "genconform"] if program == "genconform" else []
    done = subprocess.run(
        [sys.executable, *module, *arguments],
        cwd=checkout,
        env=os.environ | {"PYTHONPATH": f"{checkout / 'validators'}{os.pathsep}{checkout}"},
        capture_output=True,
        text=True,
        check=False,
    )
    printed = done.stdout + done.stderr
    assert done.returncode == 0, f"{command}: {printed}"
    for line in shown:
        assert " ".join(line.split()) in " ".join(printed.split()), f"{command}: {line}\n{printed}"
