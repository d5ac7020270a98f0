"""The wheel holds what the checks need, so that they work outside a checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from genconform.tree import Tree


@pytest.fixture(scope="module")
def unpacked(tree: Tree, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, built and unpacked as an installer would."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=tree.root,
        check=True,
        capture_output=True,
    )
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def test_the_light_checks_pass_in_an_installed_wheel(unpacked: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-P",
            "-m",
            "genconform",
            "validate-all",
            "--only",
            "spec",
            "--only",
            "fixtures",
            "--only",
            "digests",
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(unpacked)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 of 3 passed (spec, fixtures, digests)" in done.stdout


def test_an_installed_wheel_attests_and_verifies_itself(unpacked: Path, tmp_path: Path) -> None:
    def genconform(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "genconform", *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(unpacked)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    report = ["--format", "json", "--output", "report.json"]
    genconform("validate-all", "--only", "digests", *report)
    genconform("digest", "attest", "report.json", "--out", "report.dsse.json")
    said = genconform("digest", "verify", "report.dsse.json", "report.json", "--installed")
    assert "PASSED  subject validators/genconform/cli/__init__.py" in said
    assert " 0 failed" in said.splitlines()[-1]


def test_the_wheel_holds_the_tree_and_no_more(unpacked: Path) -> None:
    tops = {path.name for path in unpacked.iterdir() if not path.name.endswith(".dist-info")}
    assert tops == {"genconform", "genconform_probe"}
    held = {path.name for path in (unpacked / "genconform" / "_tree").iterdir()}
    assert held == {"spec", "lean", "fixtures", "mutations", "manifest.json"}
