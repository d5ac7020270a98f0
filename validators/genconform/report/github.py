"""The report as workflow commands, which GitHub Actions shows as annotations of files."""

from __future__ import annotations

from collections.abc import Iterator

from genconform.finding import CheckResult, Finding, Level, Report, Verdict

_COMMANDS = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "notice"}
_QUIET = {Verdict.PASS, Verdict.NOT_APPLICABLE}


def render(report: Report) -> str:
    """One line an annotation, errors first, as only the first few of a step are shown."""
    findings = [finding for check in report.checks for finding in check.findings]
    lines = [*_of_checks(report.checks)]
    for level in _COMMANDS:
        lines += [_annotation(finding) for finding in findings if finding.level is level]
    ran = sum(check.verdict is not Verdict.SKIPPED for check in report.checks)
    passed = sum(check.verdict is Verdict.PASS for check in report.checks)
    summary = f"{passed} of {ran} passed; {ran} of {len(report.checks)} ran"
    level = Level.NOTE if report.verdict is Verdict.PASS else Level.ERROR
    title = f"genconform: {report.verdict.value}"
    return "\n".join([_command(level, {"title": title}, summary), *lines]) + "\n"


def _of_checks(checks: tuple[CheckResult, ...]) -> Iterator[str]:
    """What has no finding and still is no pass."""
    for check in checks:
        told = any(finding.level is Level.ERROR for finding in check.findings)
        if check.verdict in _QUIET or told:
            continue
        level = Level.NOTE if check.verdict is Verdict.SKIPPED else Level.ERROR
        title = f"{check.id}: {check.verdict.value}"
        yield _command(level, {"title": title}, check.note or check.verdict.value)


def _annotation(finding: Finding) -> str:
    properties = {}
    if finding.location.file is not None:
        properties["file"] = finding.location.file
        if finding.location.line is not None:
            properties["line"] = str(finding.location.line)
    text = finding.message
    if finding.location.pointer is not None:
        text = f"{finding.location.pointer or '/'}: {text}"
    if finding.expected is not None:
        text += f"\nexpected {finding.expected}"
    if finding.actual is not None:
        text += f"\nfound    {finding.actual}"
    return _command(finding.level, {**properties, "title": finding.rule}, text)


def _command(level: Level, properties: dict[str, str], text: str) -> str:
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{_COMMANDS[level]} {listed}::{_data(text)}"


def _data(text: str) -> str:
    """Escaped so that no text of a finding can end the line and begin a command of its own."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
