"""Settings in pyproject.toml: they are defaults of the options, and a wrong one is refused."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from genconform.cli.config import Config, find_config, load_config
from genconform.errors import UsageError
from tests.conftest import CommandLine

Validate = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def validate(genconform_here: CommandLine, tmp_path: Path) -> Validate:
    """Runs validate-all in a folder whose pyproject.toml has these lines in [tool.genconform]."""

    def run(settings: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / "pyproject.toml").write_text(f"[tool.genconform]\n{settings}\n")
        (tmp_path / "deep").mkdir(exist_ok=True)
        return genconform_here("validate-all", *arguments, cwd=tmp_path / "deep")

    return run


def test_settings_are_defaults(validate: Validate) -> None:
    done = validate('only = ["spec"]\nformat = "github"')
    assert done.returncode == 0
    assert done.stdout.startswith("::notice title=genconform%3A pass::1 of 1 passed")


def test_an_option_wins_over_its_setting(validate: Validate) -> None:
    done = validate('only = ["digests"]\nformat = "json"', "--only", "spec", "--format", "text")
    assert done.stdout.splitlines()[-1].startswith("pass: 1 of 1 passed (spec)")


def test_every_setting_is_read(validate: Validate, copied_tree: object, tmp_path: Path) -> None:
    done = validate(
        'only = ["spec"]\nskip = []\nstrict = true\njobs = 1\nfail-level = "note"\n'
        'cache = false\nformat = "text"\nroot = "."'
    )
    assert done.returncode == 4  # strict minds what `only` left out
    assert "from the cache" not in done.stderr


def test_the_root_is_relative_to_the_file(validate: Validate, copied_tree: object) -> None:
    """The copied tree stands beside pyproject.toml, not in the folder that the command runs in."""
    assert validate('only = ["spec"]\nroot = "."').returncode == 0
    assert validate('only = ["spec"]\nroot = "deep"').returncode == 2


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ("onlyy = []", "onlyy"),
        ("fail_level = 'note'", "fail_level"),
        ("jobs = 0", "/tool/genconform/jobs"),
        ("jobs = true", "/tool/genconform/jobs"),
        ("strict = 1", "/tool/genconform/strict"),
        ("only = 'spec'", "/tool/genconform/only"),
        ("only = [1]", "/tool/genconform/only/0"),
        ("format = 'html5'", "--format"),
        ("only = ['nope']", "no check named 'nope'"),
        ("only = [", "not TOML"),
    ],
)
def test_a_wrong_setting_exits_2_and_is_named(validate: Validate, settings: str, says: str) -> None:
    done = validate(settings)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr


def test_a_file_can_be_named(genconform_here: CommandLine, tmp_path: Path) -> None:
    named = tmp_path / "other.toml"
    named.write_text('[tool.genconform]\nonly = ["spec"]\n')
    done = genconform_here("validate-all", "--config", named, cwd=tmp_path)
    assert "1 of 1 passed (spec)" in done.stdout
    assert genconform_here("validate-all", "--config", tmp_path / "no.toml").returncode == 2


@pytest.mark.parametrize("text", ["", "[tool.other]\na = 1\n", "tool = 3\n", "[tool]\n"])
def test_a_file_without_the_table_sets_nothing(tmp_path: Path, text: str) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text(text)
    assert load_config(path) == Config()


def test_a_table_that_is_no_table_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text("[tool]\ngenconform = 3\n")
    with pytest.raises(UsageError):
        load_config(path)


def test_the_nearest_file_counts(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "a" / "pyproject.toml").write_text("")
    assert find_config(tmp_path / "a" / "b") == tmp_path / "a" / "pyproject.toml"
