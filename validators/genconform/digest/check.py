"""The check `digests`: every bound file is as the manifest says, and no other file is there."""

from __future__ import annotations

from genconform.context import Context
from genconform.digest.manifest import (
    MANIFEST_PATH,
    Difference,
    compare,
    load_manifest,
    survey,
)
from genconform.errors import GenconformError
from genconform.finding import CheckResult, Finding, Level, Location, verdict_of

REMEDY = "If the change is meant, bind it with `genconform digest bind`."


def run(context: Context) -> CheckResult:
    """Compare the tree with its manifest."""
    try:
        expected = load_manifest(context.tree)
    except GenconformError as error:
        return _unreadable(error)
    found = survey(context.tree)
    differences = compare(expected, found.manifest)
    findings = (
        *(_undigested(path, fault) for path, fault in found.faults.items()),
        *(_finding(one) for one in differences if one.path not in found.faults),
    )
    bound = len(expected.files)
    changed = sum(difference.expected is not None for difference in differences)
    return CheckResult(
        "digests",
        verdict_of(findings, bound),
        {"bound": bound, "unchanged": bound - changed, "differences": len(findings)},
        findings,
        details={"files": {file.path: file.sha256 for file in expected.files}},
    )


def _unreadable(error: GenconformError) -> CheckResult:
    finding = Finding(
        "digest.manifest.unreadable",
        Level.ERROR,
        f"{error.message}; nothing is bound. {REMEDY}",
        error.location or Location(MANIFEST_PATH),
    )
    return CheckResult("digests", verdict_of([finding], 0), {"bound": 0}, (finding,))


def _undigested(path: str, fault: GenconformError) -> Finding:
    return Finding(
        "digest.file.unreadable",
        Level.ERROR,
        f"{fault.message}, so it has no digest",
        Location(path),
        expected=fault.expected,
        actual=fault.actual,
    )


def _finding(difference: Difference) -> Finding:
    if difference.actual is None:
        rule, message = "digest.file.missing", "a bound file is missing"
    elif difference.expected is None:
        rule, message = "digest.file.extra", "the file is not bound by the manifest"
    elif difference.only_layout:
        rule, message = (
            "digest.file.changed",
            "its layout or a comment changed, its content did not",
        )
    else:
        rule, message = "digest.file.changed", "the file changed"
    return Finding(
        rule,
        Level.ERROR,
        f"{message}. {REMEDY}",
        Location(difference.path),
        expected=difference.expected.sha256 if difference.expected else "no such file",
        actual=difference.actual.sha256 if difference.actual else "no such file",
    )
