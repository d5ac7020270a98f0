"""The check `spec`: the files of spec/ can be read and hold together."""

from __future__ import annotations

from genconform.context import Context
from genconform.errors import MalformedInput
from genconform.finding import CheckResult, Finding, Level, Location, verdict_of
from genconform.spec.rules import load_rules
from genconform.spec.table import TABLE_PATH, load_table


def run(context: Context) -> CheckResult:
    """Read the table and the rules; a broken file is a finding that names its line."""
    counts = {"routes": 0, "fields": 0, "rules": 0}
    findings = []
    try:
        table = load_table(context.tree)
        counts |= {"routes": len(table.routes()), "fields": len(table.fields)}
        counts["rules"] = len(load_rules(context.tree))
    except MalformedInput as error:
        findings.append(
            Finding(
                "spec.table.broken",
                Level.ERROR,
                error.message,
                error.location or Location(TABLE_PATH),
                error.expected,
                error.actual,
            )
        )
    return CheckResult("spec", verdict_of(findings, counts["routes"]), counts, tuple(findings))
