"""Which Lean is used, and which is refused."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from genconform.context import Context
from genconform.finding import Verdict
from genconform.lean import build as builds
from genconform.lean import toolchain as module
from genconform.lean.build import Build
from genconform.lean.check import run
from genconform.lean.package import Module
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


def stock(folder: Path, lake: str, lean: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a `lake` and a `lean` that say these versions at the front of the PATH."""
    folder.mkdir()
    for name, says in (
        ("lake", f"Lake version 5.0.0-src+0a1b2c3 (Lean version {lake})"),
        ("lean", f"Lean (version {lean}, x86_64-unknown-linux-gnu, commit 0a1b2c3, Release)"),
    ):
        program = folder / name
        program.write_text(f"#!/bin/sh\necho '{says}'\n", encoding="utf-8")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def test_stock_lean_of_the_pinned_version_comes_first(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stock(tmp_path / "bin", LEAN_VERSION, LEAN_VERSION, monkeypatch)
    found = find_toolchain(LEAN)
    assert found.command == (str(tmp_path / "bin" / "lean"),)
    assert not found.embedded
    assert "stock" in found.description


@pytest.mark.parametrize(
    ("lake", "lean"),
    [
        ("4.34.1", "4.34.1"),
        (f"{LEAN_VERSION}-rc1", f"{LEAN_VERSION}-rc1"),
        (f"{LEAN_VERSION}-nightly-2026-01-01", LEAN_VERSION),
        (LEAN_VERSION, "4.34.1"),
        (f"1{LEAN_VERSION}", LEAN_VERSION),
    ],
)
def test_stock_lean_of_another_version_is_left_aside(
    lake: str, lean: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stock(tmp_path / "bin", lake, lean, monkeypatch)
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


def test_a_library_with_its_time_of_change_set_back_is_seen(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    library = tmp_path / LIBRARY
    library.write_bytes(b"pinned")
    monkeypatch.setattr(module, "LIBRARY_SHA256", module._digest(library, use_cache=False))
    before = library.stat()
    library.write_bytes(b"forged")
    os.utime(library, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert library.stat().st_mtime_ns == before.st_mtime_ns
    with pytest.raises(ToolchainRefused):
        module._require_digest(library, use_cache=True)


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


def test_an_end_without_a_compiled_module_is_no_success(tmp_path: Path) -> None:
    build = program(tmp_path, "")
    modules = {"A": Module("A", "lean/A.lean", ""), "B": Module("B", "lean/B.lean", "import A\n")}
    first, second = build.compile(modules, 1, lambda _: None)
    assert first.outcome is not None
    assert (first.outcome.exit_code, first.outcome.clean) == (0, False)
    assert "no compiled module" in first.outcome.stray
    assert second.outcome is None


def test_a_run_that_does_not_end_is_ended(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(builds, "TIMEOUT_SECONDS", 0.5)
    outcome = program(tmp_path, "import time; time.sleep(60)").run_text("A", "")
    assert (outcome.exit_code, outcome.clean) == (1, False)
    assert "did not end within" in outcome.stray
