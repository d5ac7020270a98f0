"""The report as SARIF 2.1.0, for code scanning.

A check that could not be done is a notification of a run that did not succeed, so that no reader
takes silence for a pass.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any
from urllib.parse import quote

from genconform.digest.canonical import canonical_digest
from genconform.document import indented_json
from genconform.errors import GenconformError
from genconform.finding import CheckResult, Finding, Report, Verdict
from genconform.spec.rules import RULES_PATH, Rule, load_rules
from genconform.tree import find_tree

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_ROOT = "%SRCROOT%"
_FINGERPRINT = "genconformFinding/v1"
_CONCLUDED = {Verdict.PASS, Verdict.FAIL, Verdict.SKIPPED, Verdict.NOT_APPLICABLE}


def render(report: Report) -> str:
    """SARIF with one run; the same report gives the same bytes."""
    run = {
        "tool": {"driver": _driver(report)},
        "invocations": [_invocation(report)],
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The folder that was checked."}}},
        "columnKind": "unicodeCodePoints",
        "results": _results(report),
        "properties": {
            "verdict": report.verdict.value,
            "checks": {check.id: check.verdict.value for check in report.checks},
        },
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return indented_json(log)


def _driver(report: Report) -> dict[str, Any]:
    return {
        "name": report.tool.name,
        "version": report.tool.version,
        "rules": [_rule(rule_id) for rule_id in _rule_ids(report)],
    }


def _rule_ids(report: Report) -> list[str]:
    return sorted({finding.rule for check in report.checks for finding in check.findings})


def _rule(rule_id: str) -> dict[str, Any]:
    rule = _known_rules().get(rule_id)
    if rule is None:
        return {"id": rule_id}
    return {
        "id": rule_id,
        "shortDescription": {"text": rule.text},
        "help": {
            "text": f"{rule.text} Explained in {rule.page}; broken on purpose by {rule.broken_by}. "
            f"See `genconform explain {rule_id}`."
        },
        "defaultConfiguration": {"level": rule.level.value},
    }


@cache
def _known_rules() -> dict[str, Rule]:
    """The rules of this program; none where its spec/ is broken, which must hide no finding."""
    try:
        return load_rules(find_tree())
    except GenconformError:
        return {}


def _results(report: Report) -> list[dict[str, Any]]:
    index = {rule_id: number for number, rule_id in enumerate(_rule_ids(report))}
    seen: Counter[str] = Counter()
    results = []
    for check in report.checks:
        for finding in check.findings:
            fingerprint = _fingerprint(check, finding)
            seen[fingerprint] += 1
            results.append(
                {
                    "ruleId": finding.rule,
                    "ruleIndex": index[finding.rule],
                    "level": finding.level.value,
                    "message": {"text": _text(finding)},
                    "locations": [_location(finding)],
                    "partialFingerprints": {_FINGERPRINT: f"{fingerprint}:{seen[fingerprint]}"},
                    "properties": {"check": check.id},
                }
            )
    return results


def _fingerprint(check: CheckResult, finding: Finding) -> str:
    """What a finding is about, without line or message, so that it survives edits around it."""
    place = finding.location
    return canonical_digest([check.id, finding.rule, place.file, place.pointer])[:32]


def _text(finding: Finding) -> str:
    text = finding.message
    if finding.expected is not None:
        text += f"\nexpected: {finding.expected}"
    if finding.actual is not None:
        text += f"\nfound: {finding.actual}"
    return text


def _location(finding: Finding) -> dict[str, Any]:
    """Where it is. A finding about no file stands at the rules, as code scanning wants a file."""
    place = finding.location
    uri = quote(place.file or RULES_PATH)
    physical: dict[str, Any] = {"artifactLocation": {"uri": uri, "uriBaseId": _ROOT}}
    if place.line is not None:
        physical["region"] = {"startLine": place.line}
    location: dict[str, Any] = {"physicalLocation": physical}
    if place.pointer is not None:
        location["logicalLocations"] = [{"fullyQualifiedName": place.pointer or "/"}]
    return location


def _invocation(report: Report) -> dict[str, Any]:
    unfinished = [check for check in report.checks if check.verdict not in _CONCLUDED]
    notifications = [
        {
            "descriptor": {"id": f"genconform.{check.verdict.value}"},
            "level": "error",
            "message": {
                "text": ": ".join(filter(None, (check.id, check.verdict.value, check.note)))
            },
        }
        for check in unfinished
    ]
    succeeded = report.verdict in {Verdict.PASS, Verdict.FAIL} and not unfinished
    return {"executionSuccessful": succeeded, "toolExecutionNotifications": notifications}
