"""`genconform report`: the same report in another format, without running its checks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from genconform.finding import CheckResult, Finding, Level, Location, Verdict, report_of
from genconform.report import FORMATS
from tests.conftest import CommandLine

FINDING = Finding("spec.table.broken", Level.ERROR, "no such field", Location("spec/a.yaml", "/b"))
REPORT = report_of(
    [
        CheckResult("spec", Verdict.FAIL, {"routes": 60}, (FINDING,)),
        CheckResult("lean", Verdict.UNSUPPORTED, {}, note="no toolchain"),
    ]
)


@pytest.mark.parametrize("format_", FORMATS)
def test_each_format_is_what_the_run_would_have_written(
    genconform_here: CommandLine, tmp_path: Path, format_: str
) -> None:
    kept = tmp_path / "report.json"
    kept.write_text(FORMATS["json"](REPORT))
    done = genconform_here("report", kept, "--format", format_)
    assert (done.returncode, done.stdout) == (1, FORMATS[format_](REPORT))


@pytest.mark.parametrize(
    "change",
    [
        {"verdict": "pass"},
        {"verdict": "malformed"},
        {"verdict": "fine"},
        {"checks": 3},
        {"checks": [], "verdict": "pass"},
    ],
)
def test_a_report_whose_verdict_is_not_its_own_is_malformed(
    genconform_here: CommandLine, tmp_path: Path, change: dict[str, object]
) -> None:
    kept = tmp_path / "report.json"
    kept.write_text(json.dumps({**json.loads(FORMATS["json"](REPORT)), **change}))
    done = genconform_here("report", kept)
    assert (done.returncode, done.stdout) == (3, "")
