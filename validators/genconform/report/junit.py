"""The report as JUnit XML: a suite a check, a case a finding, and one case that says it ran."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from genconform.finding import CheckResult, Finding, Level, Report, Verdict

# XML 1.0 has no way at all to write these.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NOT_RUN = {Verdict.SKIPPED, Verdict.NOT_APPLICABLE}


def render(report: Report) -> str:
    """JUnit XML as GitLab and Jenkins read it; test case names are unique within a suite."""
    root = ElementTree.Element("testsuites", name=report.tool.name)
    for check in report.checks:
        _add_suite(root, check)
    ElementTree.indent(root)
    written = ElementTree.tostring(root, encoding="unicode")
    legal = _NOT_XML.sub(lambda found: ascii(found[0])[1:-1], written)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{legal}\n'


def _add_suite(root: ElementTree.Element, check: CheckResult) -> None:
    failures = [finding for finding in check.findings if finding.level is Level.ERROR]
    not_run = check.verdict in _NOT_RUN
    errored = not failures and not not_run and check.verdict is not Verdict.PASS
    suite = ElementTree.SubElement(
        root,
        "testsuite",
        name=check.id,
        tests=str(len(failures) + 1),
        failures=str(len(failures)),
        errors=str(int(errored)),
        skipped=str(int(not_run)),
    )
    case = ElementTree.SubElement(suite, "testcase", classname=check.id, name="verdict")
    counts = ", ".join(f"{name} {count}" for name, count in check.counts.items())
    if not_run:
        ElementTree.SubElement(case, "skipped", message=check.note or check.verdict.value)
    elif errored:
        ElementTree.SubElement(case, "error", message=check.verdict.value).text = check.note
    said = "; ".join(filter(None, (counts, check.note)))
    ElementTree.SubElement(case, "system-out").text = f"{check.verdict.value}: {said}"
    for index, finding in enumerate(failures, 1):
        _add_failure(suite, check.id, index, finding)


def _add_failure(suite: ElementTree.Element, check_id: str, index: int, finding: Finding) -> None:
    case = ElementTree.SubElement(
        suite, "testcase", classname=check_id, name=f"{finding.rule} [{index}]"
    )
    failure = ElementTree.SubElement(case, "failure", type=finding.rule, message=finding.message)
    lines = [str(finding.location)]
    if finding.expected is not None:
        lines.append(f"expected: {finding.expected}")
    if finding.actual is not None:
        lines.append(f"actual: {finding.actual}")
    failure.text = "\n".join(lines)
