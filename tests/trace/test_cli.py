"""`genconform trace` as a user runs it: exit codes, errors, the report, the story."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree

import pytest

from tests.conftest import CommandLine
from tests.trace.building import Trace, build

MEGABYTE = 1 << 20


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with traces of every verdict."""
    rejected = build(run_id="rejected")
    rejected.evidence("selectMode")["baseline"]["dtype"] = "int8"
    files = {
        "good.jsonl": build("autoregressive", run_id="one").data() + build(run_id="two").data(),
        "below/fallback.jsonl": build(fallback=True).data(),
        "rejected.jsonl": rejected.rebind_identity().data(),
        "malformed.jsonl": b"{\n",
        "cut.jsonl": build().data()[:-20],
        "notes.txt": b"no trace",
    }
    for name, data in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    return tmp_path


def write(path: Path, trace: Trace) -> Path:
    path.write_bytes(trace.data())
    return path


class TestExitCodes:
    """One subprocess each: what a script in CI sees."""

    def test_0_when_all_conform(self, genconform: CommandLine, folder: Path) -> None:
        done = genconform("trace", "check", "good.jsonl", "below", cwd=folder)
        assert done.returncode == 0, done.stdout
        assert done.stdout.splitlines()[-1] == (
            "pass: 2 of 2 passed (good.jsonl, below/fallback.jsonl)"
        )
        assert done.stderr == ""

    def test_1_when_one_does_not(self, genconform: CommandLine, folder: Path) -> None:
        done = genconform("trace", "check", "good.jsonl", "rejected.jsonl", cwd=folder)
        assert done.returncode == 1
        assert "route.requireMatchedBaseline" in done.stdout
        assert "rejected.jsonl:3 at /evidence/baseline/dtype" in done.stdout

    def test_3_when_one_is_malformed(self, genconform: CommandLine, folder: Path) -> None:
        done = genconform("trace", "check", "good.jsonl", "malformed.jsonl", cwd=folder)
        assert done.returncode == 3

    def test_4_when_one_is_cut(self, genconform: CommandLine, folder: Path) -> None:
        done = genconform("trace", "check", "good.jsonl", "cut.jsonl", cwd=folder)
        assert done.returncode == 4
        assert "trace.incomplete.truncated" in done.stdout

    def test_4_for_a_folder_without_traces(self, genconform: CommandLine, tmp_path: Path) -> None:
        done = genconform("trace", "check", tmp_path)
        assert done.returncode == 4
        assert "the folder holds no traces" in done.stdout

    def test_4_for_an_empty_folder_beside_good_traces(
        self, genconform: CommandLine, folder: Path
    ) -> None:
        (folder / "empty").mkdir()
        assert genconform("trace", "check", "good.jsonl", "empty", cwd=folder).returncode == 4

    def test_2_for_no_paths(self, genconform: CommandLine) -> None:
        assert genconform("trace", "check").returncode == 2

    def test_2_for_a_missing_file(self, genconform: CommandLine, folder: Path) -> None:
        done = genconform("trace", "check", "good.jsonl", "nowhere.jsonl", cwd=folder)
        assert_one_paragraph(done)
        assert done.returncode == 2
        assert "nowhere.jsonl" in done.stderr

    def test_3_for_binary_input(self, genconform: CommandLine, tmp_path: Path) -> None:
        (tmp_path / "noise.jsonl").write_bytes(bytes(range(256)) * 64)
        done = genconform("trace", "check", "noise.jsonl", cwd=tmp_path)
        assert done.returncode == 3
        assert "trace.malformed.json" in done.stdout

    def test_3_for_a_line_of_200_megabytes(self, genconform: CommandLine, tmp_path: Path) -> None:
        with (tmp_path / "long.jsonl").open("wb") as file:
            for _ in range(200):
                file.write(b"x" * MEGABYTE)
        done = genconform("trace", "check", "long.jsonl", cwd=tmp_path)
        assert done.returncode == 3
        assert "trace.malformed.oversized-line" in done.stdout
        assert len(done.stdout) < 1000

    @pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs users")
    @pytest.mark.parametrize("name", ["closed", "folder", "closed.jsonl"])
    def test_2_for_what_may_not_be_read(self, name: str) -> None:
        """As another user, where this one may read everything."""
        with TemporaryDirectory() as folder:
            Path(folder).chmod(0o755)
            closed = Path(folder, "folder/closed")
            closed.mkdir(parents=True)
            Path(folder, "closed").mkdir()
            Path(folder, "closed.jsonl").write_bytes(build().data())
            for path in (closed, Path(folder, "closed"), Path(folder, "closed.jsonl")):
                path.chmod(0)
            done = run_without_privileges("trace", "check", f"{folder}/{name}")
            closed.chmod(0o700)
            Path(folder, "closed").chmod(0o700)
        assert "permission denied" in done.stderr
        assert done.returncode == 2
        assert_one_paragraph(done)


def run_without_privileges(*arguments: str) -> subprocess.CompletedProcess[str]:
    """`genconform` by a user for whom permissions hold."""
    drop = (
        "import os, sys\n"
        "from genconform.cli import main, trace, options, progress\n"
        "import genconform.report, genconform.trace.files, genconform.checks\n"
        "if os.geteuid() == 0: os.setuid(65534)\n"
        f"sys.argv = {['genconform', *arguments]!r}\n"
        "main()\n"
    )
    command = [sys.executable, "-c", drop]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def assert_one_paragraph(done: subprocess.CompletedProcess[str]) -> None:
    assert done.stdout == ""
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr


class TestReport:
    def test_lists_every_file_in_order(self, genconform_here: CommandLine, folder: Path) -> None:
        done = genconform_here("trace", "check", ".", "--format", "json", cwd=folder)
        report = json.loads(done.stdout)
        assert [(check["id"], check["verdict"]) for check in report["checks"]] == [
            ("below/fallback.jsonl", "pass"),
            ("cut.jsonl", "incomplete"),
            ("good.jsonl", "pass"),
            ("malformed.jsonl", "malformed"),
            ("rejected.jsonl", "fail"),
        ]
        assert report["verdict"] == "fail"
        assert done.returncode == 1

    def test_details_each_run(self, genconform_here: CommandLine, folder: Path) -> None:
        done = genconform_here("trace", "check", "good.jsonl", "--format", "json", cwd=folder)
        (check,) = json.loads(done.stdout)["checks"]
        assert check["counts"] == {"runs": 2, "passed": 2, "events": 14}
        assert [run["id"] for run in check["details"]["runs"]] == ["one", "two"]
        assert check["details"]["runs"][0]["routes"][1] == "selectSlowBaseline"

    @pytest.mark.parametrize("format_", ["text", "json", "junit", "sarif", "github"])
    def test_is_the_same_bytes_each_time(
        self, genconform_here: CommandLine, folder: Path, format_: str
    ) -> None:
        first, second = (
            genconform_here("trace", "check", ".", "--format", format_, cwd=folder)
            for _ in range(2)
        )
        assert first.stdout == second.stdout
        assert str(folder) not in first.stdout

    def test_as_junit_fails_where_a_run_does(
        self, genconform_here: CommandLine, folder: Path
    ) -> None:
        done = genconform_here("trace", "check", ".", "--format", "junit", cwd=folder)
        suites = {suite.get("name"): suite for suite in ElementTree.fromstring(done.stdout)}
        assert suites["rejected.jsonl"].get("failures") == "1"
        assert suites["good.jsonl"].get("failures") == "0"

    def test_of_many_files_ends_in_one_short_line(
        self, genconform_here: CommandLine, tmp_path: Path
    ) -> None:
        for number in range(30):
            write(tmp_path / f"{number:02d}.jsonl", build(run_id=str(number)))
        done = genconform_here("trace", "check", ".", cwd=tmp_path)
        last = done.stdout.splitlines()[-1]
        assert last.startswith("pass: 30 of 30 passed (00.jsonl,")
        assert last.endswith("… and 18 more)")

    def test_does_not_let_an_input_steer_the_terminal(
        self, genconform_here: CommandLine, tmp_path: Path
    ) -> None:
        trace = build()
        trace.evidence("selectMode")["riskTier"] = "\x1b[2J\x07high[bold]"
        write(tmp_path / "trace.jsonl", trace.rebind())
        for command in ("check", "explain"):
            done = genconform_here("trace", command, "trace.jsonl", cwd=tmp_path)
            assert "\x1b" not in done.stdout
            assert "\\x1b[2J\\x07high[bold]" in done.stdout


class TestExplain:
    def test_tells_a_run_to_its_end(self, genconform: CommandLine, tmp_path: Path) -> None:
        write(tmp_path / "run.jsonl", build(fallback=True, run_id="the-run"))
        done = genconform("trace", "explain", "run.jsonl", cwd=tmp_path)
        assert done.returncode == 0
        assert done.stdout == (Path(__file__).parent / "story.txt").read_text(encoding="utf-8")

    def test_says_what_was_missing(self, genconform_here: CommandLine, folder: Path) -> None:
        done = genconform_here("trace", "explain", "rejected.jsonl", cwd=folder)
        assert done.returncode == 1
        assert "requireMatchedBaseline" in done.stdout
        assert "expected the header's environment.dtype; found int8" in done.stdout
        assert "not asked: generateDraft, verifyDraft" in done.stdout

    def test_tells_what_there_is_of_a_cut_run(
        self, genconform_here: CommandLine, folder: Path
    ) -> None:
        done = genconform_here("trace", "explain", "cut.jsonl", cwd=folder)
        assert done.returncode == 4
        assert "acceptDecision" in done.stdout
        assert "trace.incomplete.truncated" in done.stdout
        assert "not there: close" in done.stdout

    def test_says_what_is_malformed(self, genconform_here: CommandLine, folder: Path) -> None:
        done = genconform_here("trace", "explain", "malformed.jsonl", cwd=folder)
        assert "None" not in done.stdout  # nothing can be said of what was found
        assert "malformed.jsonl:1: input data was truncated\n" in done.stdout
        assert done.returncode == 3
        assert "trace.malformed.json" in done.stdout

    def test_asks_which_of_several_runs(self, genconform_here: CommandLine, folder: Path) -> None:
        done = genconform_here("trace", "explain", "good.jsonl", cwd=folder)
        assert done.returncode == 2
        assert "one, two" in done.stderr
        told = genconform_here("trace", "explain", "good.jsonl", "--run", "two", cwd=folder)
        assert told.returncode == 0
        assert told.stdout.startswith("speculative run two: pass")

    def test_knows_no_other_run(self, genconform_here: CommandLine, folder: Path) -> None:
        done = genconform_here("trace", "explain", "good.jsonl", "--run", "six", cwd=folder)
        assert done.returncode == 2
        assert "no run six" in done.stderr

    def test_tells_a_run_that_shows_nothing(
        self, genconform_here: CommandLine, tmp_path: Path
    ) -> None:
        trace = build()
        for event in trace.events:
            event["evidence"] = {}
        write(tmp_path / "empty.jsonl", trace.rebind())
        done = genconform_here("trace", "explain", "empty.jsonl", cwd=tmp_path)
        assert done.returncode == 1
        assert "prompt ? of ? tokens" in done.stdout
