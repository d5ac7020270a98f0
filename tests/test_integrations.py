"""What maintainers copy: the pre-commit hooks and the composite action do what they say."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from genconform.document import read_document
from genconform.tree import Tree
from tests.conftest import CommandLine

ROOT = Path(__file__).parents[1]
HOOKS: list[dict[str, Any]] = read_document(ROOT / ".pre-commit-hooks.yaml").value
ACTION: dict[str, Any] = read_document(ROOT / ".github/actions/validate/action.yml").value
SCRIPTS = {step["name"]: step["run"] for step in ACTION["runs"]["steps"] if "run" in step}


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_a_hook_runs_a_command_that_there_is(
    genconform_here: CommandLine, hook: dict[str, Any]
) -> None:
    program, *arguments = hook["entry"].split()
    assert program in {"genconform", "validate-all"}
    words = [*(["validate-all"] if program == "validate-all" else []), *arguments]
    done = genconform_here(*words, "--help")
    assert done.returncode == 0
    assert hook["language"] == "python"


def run_action(tmp_path: Path, tree: Tree, arguments: str) -> tuple[int, str]:
    """The action's own scripts, one after another as a runner does; its exit code and log."""
    output = tmp_path / "output"
    output.write_text("")
    programs = Path(sys.executable).parent
    environment = {
        **os.environ,
        "PATH": f"{programs}:{os.environ['PATH']}",
        "GITHUB_OUTPUT": str(output),
        "ARGUMENTS": f"--root {tree.root} {arguments}",
    }
    log = ""
    for name in ("Run every check", "Annotate", "Conclude"):
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", SCRIPTS[name]],
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        log += done.stdout
        environment |= {"EXIT_CODE": output.read_text().strip().removeprefix("exit-code=")}
        assert name == "Conclude" or done.returncode == 0, log
    return done.returncode, log


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "workspace").mkdir()
    return tmp_path / "workspace"


def test_the_action_passes_and_keeps_the_reports(tree: Tree, workspace: Path) -> None:
    code, log = run_action(workspace, tree, "--only spec")
    assert code == 0
    assert "::notice title=genconform%3A pass::" in log
    kept = {path.name for path in workspace.iterdir()}
    assert {"genconform.json", "genconform.xml", "genconform.sarif"} <= kept


def test_the_action_annotates_and_fails(tree: Tree, workspace: Path, tmp_path: Path) -> None:
    shutil.copytree(tree.path("spec"), tmp_path / "broken" / "spec")
    code, log = run_action(workspace, Tree(tmp_path / "broken"), "--only digests")
    assert code == 1
    assert "::error file=manifest.json,title=digest.manifest.unreadable::" in log
    assert (workspace / "genconform.sarif").is_file()


def test_the_action_gives_the_code_of_wrong_usage(tree: Tree, workspace: Path) -> None:
    code, _ = run_action(workspace, tree, "--only nope")
    assert code == 2
    assert not (workspace / "genconform.json").exists()


def test_no_input_of_the_action_stands_in_a_script() -> None:
    """An expression in a script would run what somebody wrote into the name of a branch."""
    for script in SCRIPTS.values():
        assert "${{" not in script
