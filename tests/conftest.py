"""What all tests share: the command line as a user runs it, and trees to break."""

from __future__ import annotations

import contextlib
import io
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from genconform.cli import main
from genconform.digest.manifest import BOUND_FOLDERS, MANIFEST_PATH
from genconform.document import Document, read_document
from genconform.spec.table import TABLE_PATH, Table, parse_table
from genconform.tree import Tree, find_tree

# A machine that many share is slow now and then; that is no fault of what is tested.
settings.register_profile("shared", deadline=None)
settings.load_profile("shared")

CommandLine = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def tree() -> Tree:
    """The tree that the tests stand in."""
    return find_tree()


@pytest.fixture(scope="session")
def document(tree: Tree) -> Document:
    """The file of the lifecycle table."""
    return read_document(tree.path(TABLE_PATH), TABLE_PATH)


@pytest.fixture(scope="session")
def table(document: Document) -> Table:
    """The lifecycle table."""
    return parse_table(document)


@pytest.fixture(scope="session")
def genconform() -> CommandLine:
    """Runs `genconform` with arguments; gives its exit code and what it printed."""

    def run(
        *arguments: str | Path, stdin: str = "", cwd: Path | None = None, timeout: float = 120
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", "genconform", *map(str, arguments)],
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            cwd=cwd,
            timeout=timeout,
            check=False,
        )
        assert "Traceback" not in done.stderr, done.stderr
        return done

    return run


@pytest.fixture(scope="session")
def genconform_here() -> CommandLine:
    """Runs `genconform` in this process: the same code, many times faster, for many cases."""

    def run(*arguments: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        stdout, stderr = io.StringIO(), io.StringIO()
        command = ["genconform", *map(str, arguments)]
        code: object = 0
        with (
            contextlib.redirect_stdout(stdout),
            contextlib.redirect_stderr(stderr),
            contextlib.chdir(cwd or Path.cwd()),
            pytest.MonkeyPatch.context() as patch,
        ):
            patch.setattr(sys, "argv", command)
            try:
                main()
            except SystemExit as ended:
                code = ended.code or 0
        assert isinstance(code, int)
        return subprocess.CompletedProcess(command, code, stdout.getvalue(), stderr.getvalue())

    return run


@pytest.fixture
def copied_tree(tree: Tree, tmp_path: Path) -> Tree:
    """A copy of the bound folders and the manifest, for a test to break."""
    ignored = shutil.ignore_patterns("__pycache__", "_tree", ".*")
    for folder in BOUND_FOLDERS:
        if tree.path(folder).is_dir():
            shutil.copytree(tree.path(folder), tmp_path / folder, ignore=ignored)
    shutil.copy(tree.path(MANIFEST_PATH), tmp_path / MANIFEST_PATH)
    return find_tree(tmp_path)
