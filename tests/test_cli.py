"""The command line as a user meets it: help that teaches, clear errors, pinned exit codes."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from genconform.cli import COMMANDS
from tests.conftest import CommandLine

PROGRAM = [sys.executable, "-m", "genconform"]


def test_help_lists_every_command(genconform: CommandLine) -> None:
    done = genconform("--help")
    assert done.returncode == 0
    for command in COMMANDS:
        assert f"  {command} " in done.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(genconform: CommandLine, command: str) -> None:
    done = genconform(command, "--help")
    assert done.returncode == 0
    assert "Usage: genconform " + command in done.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["--nope"],
        ["nope"],
        ["validate-all", "--nope"],
        ["validate-all", "--only", "nope"],
        ["validate-all", "--jobs", "0"],
        ["validate-all", "--format", "nope"],
        ["validate-all", "--root", "nope"],
        ["explain", "nope"],
        ["digest", "explain", "nope.json", "nope.json"],
    ],
)
def test_wrong_usage_exits_2_and_says_why(genconform: CommandLine, arguments: list[str]) -> None:
    done = genconform(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.strip()


def test_an_error_is_one_paragraph(genconform: CommandLine, tmp_path: Path) -> None:
    done = genconform("digest", "explain", tmp_path, tmp_path)
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert str(tmp_path) in done.stderr


def test_malformed_input_exits_3_and_names_the_line(
    genconform: CommandLine, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text('{"a": 1,\n "b": }')
    done = genconform("digest", "explain", broken, broken)
    assert done.returncode == 3
    assert f"{broken}:2: not JSON" in done.stderr


def test_a_check_that_was_left_out_is_counted_and_strict_minds(genconform: CommandLine) -> None:
    done = genconform("validate-all", "--only", "spec")
    assert done.returncode == 0
    assert "1 of 1 passed (spec); 1 of " in done.stdout.splitlines()[-1]
    assert genconform("validate-all", "--only", "spec", "--strict").returncode == 4


def test_leaving_everything_out_is_no_pass(genconform: CommandLine) -> None:
    done = genconform("validate-all", "--only", "spec", "--skip", "spec")
    assert done.returncode == 4


def test_json_goes_to_the_file_named(genconform: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    done = genconform("validate-all", "--only", "spec", "--format", "json", "--output", path)
    assert (done.returncode, done.stdout) == (0, "")
    report = json.loads(path.read_text())
    assert report["verdict"] == "pass"
    assert report["tool"]["name"] == "genconform"


def test_an_output_that_cannot_be_written_exits_2(genconform: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "no" / "such" / "folder.json"
    done = genconform("validate-all", "--only", "spec", "--output", path)
    assert done.returncode == 2
    assert str(path) in done.stderr


def test_a_pipe_that_nobody_reads_ends_quietly_and_is_no_verdict() -> None:
    writer = subprocess.Popen(
        [sys.executable, "-m", "genconform", "lifecycle", "routes", "--format", "json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert writer.stdout is not None
    writer.stdout.close()
    _, stderr = writer.communicate()
    assert (writer.returncode, stderr) == (141, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("arguments", [["lifecycle", "routes"], ["lifecycle", "route"]])
def test_an_output_that_is_full_is_said_in_one_line(arguments: list[str]) -> None:
    case = subprocess.run([*PROGRAM, "lifecycle", "case", "requested", "0"], capture_output=True)
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*PROGRAM, *arguments], input=case.stdout, stdout=full, stderr=subprocess.PIPE
        )
    assert done.returncode == 2
    assert done.stderr.decode().lower().count("no space left on device") == 1
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("closed", "arguments", "code"),
    [
        ("<&-", "lifecycle route", 4),
        (">&-", "lifecycle routes", 0),
        (">&-", "validate-all --only spec --no-cache", 0),
        ("2>&-", "validate-all --only spec --no-cache", 0),
        ("2>&-", "lifecycle witness nope", 2),
        ("<&- >&- 2>&-", "validate-all --only spec --no-cache --jobs 2", 0),
    ],
)
def test_closed_streams_change_no_exit_code(closed: str, arguments: str, code: int) -> None:
    command = f"exec {shlex.join(PROGRAM)} {arguments} {closed}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
    assert done.returncode == code
    assert "internal error" not in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="needs a file that opens and cannot be read")
def test_an_input_that_cannot_be_read_is_said_in_one_line(genconform: CommandLine) -> None:
    done = genconform("lifecycle", "route", "/proc/self/mem")
    assert done.returncode == 2
    assert done.stderr == (
        "genconform: /proc/self/mem: cannot read the file: input/output error. "
        "Name an existing file that you may read.\n"
    )


def test_no_color_is_honoured_and_pipes_are_plain(genconform: CommandLine) -> None:
    assert "\x1b[" not in genconform("validate-all", "--only", "spec").stdout


def test_a_traceback_is_shown_only_when_asked_for(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "genconform", "--traceback", "digest", "explain", "no", "no"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ,
        check=False,
    )
    assert done.returncode == 2
    assert "Traceback" in done.stderr
