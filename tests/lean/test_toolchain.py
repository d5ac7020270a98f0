"""Which Lean is used, and which is refused."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from genconform.context import Context
from genconform.finding import Verdict
from genconform.lean import toolchain as module
from genconform.lean.build import Build
from genconform.lean.check import run
from genconform.lean.toolchain import (
    LEAN_VERSION,
    LIBRARY,
    Toolchain,
    ToolchainMissing,
    ToolchainRefused,
    find_toolchain,
)
from genconform.tree import Tree, find_tree

LEAN = find_tree().path("lean")


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def stock(folder: Path, version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a `lake` that says this version, and a `lean`, at the front of the PATH."""
    folder.mkdir()
    for name, says in (("lake", f"Lake version 5.0.0 (Lean version {version})"), ("lean", "Lean")):
        program = folder / name
        program.write_text(f"#!/bin/sh\necho '{says}'\n", encoding="utf-8")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def test_stock_lean_of_the_pinned_version_comes_first(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stock(tmp_path / "bin", LEAN_VERSION, monkeypatch)
    found = find_toolchain(LEAN)
    assert found.command == (str(tmp_path / "bin" / "lean"),)
    assert not found.embedded
    assert "stock" in found.description


def test_stock_lean_of_another_version_is_left_aside(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stock(tmp_path / "bin", "4.34.1", monkeypatch)
    assert find_toolchain(LEAN).embedded


def test_no_lean_at_all_is_unsupported_and_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tree: Tree
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    with pytest.raises(ToolchainMissing, match=r"genconform\[lean\]"):
        find_toolchain(LEAN)
    result = run(Context(tree))
    assert result.verdict is Verdict.UNSUPPORTED
    assert [finding.rule for finding in result.findings] == ["lean.toolchain.missing"]


def test_another_version_of_the_wheel_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "version", lambda name: "0.3.4")
    with pytest.raises(ToolchainRefused, match=r"0\.3\.4"):
        find_toolchain(LEAN)


def test_another_library_in_the_wheel_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tree: Tree
) -> None:
    (tmp_path / LIBRARY).write_bytes(b"not the pinned one")

    class Spec:
        origin = str(tmp_path / "__init__.py")

    monkeypatch.setattr(module, "find_spec", lambda name: Spec)
    result = run(Context(tree))
    assert result.verdict is Verdict.UNSUPPORTED
    assert [finding.rule for finding in result.findings] == ["lean.toolchain.refused"]
    assert module.LIBRARY_SHA256 in result.findings[0].message


def test_the_digest_of_a_library_is_remembered_only_while_the_file_stays_the_same(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    library = tmp_path / LIBRARY
    library.write_bytes(b"one")
    first = module._digest(library, use_cache=True)
    assert module._digest(library, use_cache=True) == first
    library.write_bytes(b"another")
    assert module._digest(library, use_cache=True) != first


def program(tmp_path: Path, text: str) -> Build:
    """A build whose Lean is a Python program."""
    path = tmp_path / "lean.py"
    path.write_text(text, encoding="utf-8")
    return Build(Toolchain((sys.executable, str(path)), "test", embedded=False), tmp_path)


def test_output_that_is_no_message_is_read_too(tmp_path: Path) -> None:
    outcome = program(tmp_path, "import sys; print('hello'); sys.stderr.write('oh')").run_text(
        "A", ""
    )
    assert (outcome.exit_code, outcome.stray, outcome.clean) == (0, "hellooh", False)


def test_an_exit_code_counts_without_any_message(tmp_path: Path) -> None:
    outcome = program(tmp_path, "raise SystemExit(3)").run_text("A", "")
    assert (outcome.exit_code, outcome.clean) == (3, False)


def test_lean_is_not_led_elsewhere_by_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LEAN_PATH", "/elsewhere")
    monkeypatch.setenv("LEAN_SYSROOT", "/elsewhere")
    says = "import os; print({n: v for n, v in os.environ.items() if n.startswith('LEAN')})"
    assert program(tmp_path, says).run_text("A", "").stray == str({"LEAN_PATH": str(tmp_path)})
