"""`genconform probe run` as a user runs it."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from genconform.finding import Verdict
from genconform.trace.judge import judge_file
from genconform_probe.checkpoints import CHECKPOINTS
from tests.conftest import CommandLine


def test_a_run_writes_traces_and_a_summary(genconform: CommandLine, out: Path) -> None:
    done = genconform("probe", "run", "--out", out, "--prompts", "2", "--format", "json")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    summary = json.loads(done.stdout)
    assert summary["runs"] == 4
    assert {mode["mode"] for mode in summary["modes"]} == {"autoregressive", "speculative"}
    for mode in summary["modes"]:
        assert mode["tokenIdentical"] == mode["prompts"] == 2
        assert mode["baselineSeconds"] > 0
    assert [path.name for path in sorted(out.iterdir())] == [
        "0000-addition-autoregressive.trace.jsonl",
        "0000-addition-speculative.trace.jsonl",
        "0001-brackets-autoregressive.trace.jsonl",
        "0001-brackets-speculative.trace.jsonl",
    ]


def test_a_fault_names_its_traces(genconform: CommandLine, out: Path) -> None:
    done = genconform("probe", "run", "--out", out, "--prompts", "1", "--fault", "corrupted-draft")
    assert done.returncode == 0, done.stderr
    assert "speculative, fault corrupted-draft: 1 prompts" in done.stdout
    assert "1 fallbacks" in done.stdout
    assert [path.name for path in out.iterdir()] == [
        "0000-addition-speculative-corrupted-draft.trace.jsonl"
    ]


def test_one_mode_alone_still_has_its_baseline(genconform: CommandLine, out: Path) -> None:
    options = ("--prompts", "1", "--mode", "speculative", "--format", "json")
    done = genconform("probe", "run", "--out", out, *options)
    (mode,) = json.loads(done.stdout)["modes"]
    assert mode["baselinePasses"] > mode["verifierPasses"]
    assert len(list(out.iterdir())) == 1


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--mode", "telepathy"], "'telepathy' is not one of 'autoregressive', 'speculative'"),
        (["--fault", "gremlins"], "'gremlins' is not"),
        (["--fault", "corrupted-draft", "--mode", "autoregressive"], "nothing would run"),
        (["--prompts", "0"], "--prompts"),
        (["--seed", "x"], "--seed"),
        (["--nonsense"], "--nonsense"),
    ],
)
def test_wrong_usage_exits_2(
    genconform: CommandLine, out: Path, arguments: list[str], text: str
) -> None:
    done = genconform("probe", "run", "--out", out, *arguments)
    assert done.returncode == 2, done.stderr
    assert text in done.stderr
    assert done.stdout == ""
    assert not list(out.glob("*"))


def test_out_is_required(genconform: CommandLine) -> None:
    done = genconform("probe", "run")
    assert done.returncode == 2
    assert "--out" in done.stderr


def test_a_folder_with_traces_is_refused(genconform: CommandLine, out: Path) -> None:
    out.mkdir()
    (out / "earlier.jsonl").write_text("kept\n")
    done = genconform("probe", "run", "--out", out, "--prompts", "1")
    assert done.returncode == 2
    assert "earlier.jsonl" in done.stderr
    assert (out / "earlier.jsonl").read_text() == "kept\n"


@pytest.mark.parametrize("inside", ["", "folder"])
def test_an_out_that_is_a_file_is_refused(
    genconform: CommandLine, tmp_path: Path, inside: str
) -> None:
    (tmp_path / "file").write_text("")
    done = genconform("probe", "run", "--out", tmp_path / "file" / inside, "--prompts", "1")
    assert done.returncode == 2, done.stderr
    assert str(tmp_path / "file") in done.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_is_refused(genconform: CommandLine, out: Path) -> None:
    out.mkdir(mode=0o500)
    done = genconform("probe", "run", "--out", out, "--prompts", "1")
    assert done.returncode == 2
    assert str(out) in done.stderr


def test_a_flipped_bit_exits_1_and_names_the_file(genconform: CommandLine, tmp_path: Path) -> None:
    copy = shutil.copytree(CHECKPOINTS, tmp_path / "copy")
    path = copy / "target" / "model.safetensors"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    done = genconform("probe", "run", "--out", tmp_path / "out", "--checkpoints", copy)
    assert done.returncode == 1
    assert str(path) in done.stderr
    assert "expected SHA-256" in done.stderr
    assert not list((tmp_path / "out").glob("*"))


def test_missing_checkpoints_exit_4(genconform: CommandLine, tmp_path: Path) -> None:
    options = ("--out", tmp_path / "out", "--checkpoints", tmp_path / "none")
    done = genconform("probe", "run", *options)
    assert done.returncode == 4
    assert str(tmp_path / "none" / "digests.json") in done.stderr


@pytest.mark.parametrize("missing", ["torch", "transformers", "tokenizers", "safetensors"])
def test_a_missing_library_exits_4_and_says_how_to_install_it(missing: str, out: Path) -> None:
    program = (
        "import sys, importlib.util as u\n"
        "find = u.find_spec\n"
        f"u.find_spec = lambda name, *rest: None if name == {missing!r} else find(name, *rest)\n"
        "from genconform.cli import main\n"
        f"sys.argv = ['genconform', 'probe', 'run', '--out', {str(out)!r}]\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 4, done.stderr
    assert f"no {missing}" in done.stderr
    assert "genconform[probe]" in done.stderr
    assert "Traceback" not in done.stderr
    assert not out.exists()


def test_help_imports_no_model_library() -> None:
    program = (
        "import sys\n"
        "import genconform_probe.cli, genconform_probe.check\n"
        "assert not {'torch', 'transformers', 'tokenizers'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def verdicts(folder: Path) -> list[Verdict]:
    """The judge's verdict on each trace, in order."""
    judged = []
    for path in sorted(folder.iterdir()):
        with path.open("rb") as stream:
            judged.append(judge_file(stream, path.name).verdict)
    return judged


def test_a_killed_run_leaves_traces_that_read_as_complete_or_incomplete(out: Path) -> None:
    command = [sys.executable, "-m", "genconform", "probe", "run", "--out", str(out)]
    process = subprocess.Popen([*command, "--prompts", "500"], stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while not out.is_dir() or len(list(out.iterdir())) < 5:
            assert time.monotonic() < deadline
            time.sleep(0.01)
    finally:
        process.kill()
        process.wait()
    *complete, last = verdicts(out)
    assert set(complete) == {Verdict.PASS}
    assert last in (Verdict.PASS, Verdict.INCOMPLETE)


def test_a_disk_without_room_exits_4_and_leaves_an_incomplete_trace(out: Path) -> None:
    command = [sys.executable, "-m", "genconform", "probe", "run", "--out", str(out)]
    done = subprocess.run(
        [*command, "--prompts", "1"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000)),
    )
    assert done.returncode == 4, done.stderr
    assert "0000-addition-autoregressive.trace.jsonl" in done.stderr
    assert "could not be written to its end" in done.stderr
    assert verdicts(out) == [Verdict.INCOMPLETE]
