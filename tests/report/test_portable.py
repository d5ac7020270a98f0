"""Reports say nothing of the machine, and are the same bytes in every folder, run and locale."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genconform.finding import CheckResult, Finding, Level, Location, Report, Verdict, report_of
from genconform.report import FORMATS
from genconform.report.portable import portable
from genconform.tree import Tree

ROOT, CWD, HOME = Path("/srv/zaphod/tree"), Path("/srv/zaphod"), Path("/home/zaphod")
ELSEWHERE = "/mnt/zaphod/runs/one.trace.jsonl"
PATHS = st.sampled_from([*map(str, [ROOT, CWD, HOME, ROOT / "spec/a.yaml", HOME / "b"]), ELSEWHERE])
MESSAGES = st.lists(
    PATHS | st.sampled_from(["the file ", " at ", "'", ":3: ", "\n", "/pointer/0", "x"]),
    max_size=5,
).map("".join)


def report_with(message: str, file: str | None) -> Report:
    finding = Finding("r", Level.ERROR, message, Location(file), message, [message])
    elsewhere = Finding("r", Level.ERROR, f"see {ELSEWHERE}", Location(ELSEWHERE))
    check = CheckResult("a", Verdict.FAIL, {}, (finding, elsewhere), note=message)
    return report_of([check])


@settings(max_examples=30)
@given(message=PATHS.map("cannot read {}: no".format) | st.just("x"), file=st.none() | PATHS)
def test_no_format_holds_an_absolute_path(message: str, file: str | None) -> None:
    clean = portable(report_with(message, file), [ROOT, CWD], HOME)
    for render in FORMATS.values():
        assert "zaphod" not in render(clean)


def test_a_check_that_is_named_after_a_file_elsewhere_has_its_own_name() -> None:
    report = report_of([CheckResult(ELSEWHERE, Verdict.PASS, {})])
    assert portable(report, [ROOT]).checks[0].id == "one.trace.jsonl"


def test_files_of_one_name_elsewhere_can_be_told_apart() -> None:
    files = ["/mnt/zaphod/a/x.jsonl", "/mnt/zaphod/b/c/x.jsonl", "/var/y.jsonl"]
    finding = Finding("r", Level.ERROR, f"{files[1]}: no", Location(files[1]))
    report = report_of(
        [CheckResult(file, Verdict.FAIL, {}, (finding,)) for file in files],
    )
    clean = portable(report, [Path("/")])
    assert [check.id for check in clean.checks] == ["a/x.jsonl", "b/c/x.jsonl", "y.jsonl"]
    assert clean.checks[0].findings[0].location.file == "b/c/x.jsonl"
    assert clean.checks[0].findings[0].message == "b/c/x.jsonl: no"


@given(message=MESSAGES)
def test_what_is_not_below_a_root_is_left_as_it_is(message: str) -> None:
    finding = Finding("r", Level.ERROR, message, Location("spec/a.yaml"), message, [message])
    report = report_of([CheckResult("a", Verdict.FAIL, {}, (finding,), note=message)])
    assert portable(report, [Path("/nowhere")]) == report


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/srv/zaphod/tree/spec/a.yaml", "spec/a.yaml"),
        ("/srv/zaphod/tree", "."),
        ("/srv/zaphod/more", "more"),
        ("/srv/zaphod/treetop", "treetop"),
        ("/home/zaphod/b", "~/b"),
        ("/home/zaphod", "~"),
        (ELSEWHERE, "one.trace.jsonl"),
        ("/items/0", "/items/0"),
        ("/x/srv/zaphod/tree/a", "/x/srv/zaphod/tree/a"),
    ],
)
def test_a_path_is_shown_relative_to_its_root(path: str, shown: str) -> None:
    clean = portable(report_with(f"at {path}: no", None), [ROOT, CWD], HOME)
    assert clean.checks[0].findings[0].message == f"at {shown}: no"


# The whole command


def run(tree: Path, format_: str, **environment: str) -> bytes:
    command = [sys.executable, "-m", "genconform", "validate-all", "--root", str(tree)]
    command += ["--only", "spec", "--only", "digests", "--no-cache", "--format", format_]
    done = subprocess.run(
        command, cwd=tree, env={**os.environ, **environment}, capture_output=True, check=False
    )
    assert done.returncode == 1, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def broken_trees(tree: Tree, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two trees with the same faults in different folders; one fault's name is not ASCII."""
    trees = []
    for name in ("one", "zaphod/other"):
        root = tmp_path_factory.mktemp("broken") / name
        shutil.copytree(tree.path("spec"), root / "spec")
        (root / "manifest.json").write_text('{"version": 1, "files": []}')
        (root / "spec" / "0-ünbound.yaml").write_text("a: 1\n", encoding="utf-8")
        trees.append(root)
    return trees


@pytest.mark.parametrize("format_", FORMATS)
def test_reports_are_the_same_bytes_everywhere(broken_trees: list[Path], format_: str) -> None:
    one, other = broken_trees
    plain = run(one, format_, PYTHONHASHSEED="1", LC_ALL="C.UTF-8", TZ="UTC")
    ascii_locale = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    odd = {"HOME": "/home/zaphod", "USER": "zaphod", "PYTHONHASHSEED": "2", "TZ": "Asia/Tokyo"}
    assert run(other, format_, **ascii_locale, **odd) == plain
    text = plain.decode("utf-8")
    assert "0-ünbound.yaml" in text or "0-%C3%BCnbound.yaml" in text
    for private in (str(one), str(Path.home()) + "/", socket.gethostname(), "/tmp"):
        assert private not in text
