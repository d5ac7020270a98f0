"""The check `fixtures`: every valid fixture passes, every other is caught by the rule it names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass

from msgspec import UNSET

from genconform.context import Context
from genconform.digest.canonical import canonical_digest, sha256_hex
from genconform.document import read_bytes
from genconform.errors import GenconformError
from genconform.finding import (
    CheckResult,
    Finding,
    Level,
    Location,
    combine,
    verdict_of,
)
from genconform.spec.rules import ROUTE_PREFIX, load_rules
from genconform.suites import FOLDER, INVALID, VALID, Fixture, Suite, all_suites
from genconform.tree import Tree

UNREADABLE = "fixture.file.unreadable"
_COUNTED = ("valid", "passed", "expected_invalid", "caught", "bound")


@dataclass(frozen=True)
class Judgement:
    """A fixture and the findings of level error in it."""

    fixture: Fixture
    findings: tuple[Finding, ...]

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules that catch it, each once, by name."""
        return tuple(sorted({finding.rule for finding in self.findings}))

    @property
    def passes(self) -> bool:
        """Whether no rule catches it."""
        return not self.findings

    @property
    def said(self) -> str:
        """What the rules say, for a person."""
        return "; ".join(f"{one.rule} ({one.message})" for one in self.findings) or "no rule"


def run(context: Context) -> CheckResult:
    """Replay every suite."""
    results = [replay(suite, context.tree) for suite in all_suites()]
    return CheckResult(
        "fixtures",
        combine(result.verdict for result in results),
        {"suites": len(results), **summed(results)},
        tuple(finding for result in results for finding in result.findings),
        details={result.id: result.details for result in results if result.details is not UNSET},
    )


def replay(suite: Suite, tree: Tree) -> CheckResult:
    """Judge every fixture of a suite, and compare with what its folder and name say.

    The note holds the digest of the result: of each fixture's bytes and the rules that caught it.
    Fixtures that the suite cannot even gather fail it, and it alone. One that was to be made of
    another and cannot be is a finding like any other.
    """
    rules = load_rules(tree).keys()
    try:
        return _replayed(suite, tree, rules)
    except GenconformError as error:
        findings = (_unreadable(error, f"{FOLDER}/{suite.name}"),)
        counts = dict.fromkeys(_COUNTED, 0)
        return CheckResult(suite.name, verdict_of(findings, 0), counts, findings)


def _replayed(suite: Suite, tree: Tree, rules: Set[str]) -> CheckResult:
    valid = [judged(suite, fixture, tree) for fixture in suite.fixtures(tree, VALID)]
    invalid = [judged(suite, fixture, tree) for fixture in suite.fixtures(tree, INVALID)]
    findings = [
        *(finding for one in valid for finding in _refused(one)),
        *(finding for one in invalid for finding in _missed(one, rules)),
    ]
    digest = _digest([*valid, *invalid])
    wrong = {finding.location.file for finding in findings}
    passed = sum(one.fixture.name not in wrong for one in valid)
    caught = sum(one.fixture.name not in wrong for one in invalid)
    artifacts = _artifacts(suite, tree, valid)
    counts = (len(valid), passed, len(invalid), caught, len(artifacts) + len(invalid))
    return CheckResult(
        suite.name,
        verdict_of(findings, min(len(valid), len(invalid))),
        dict(zip(_COUNTED, counts, strict=True)),
        tuple(findings),
        f"result {digest}",
        {
            "result": digest,
            "byRule": _by_rule(invalid, wrong, rules),
            "artifacts": artifacts,
            "carries": {
                one.fixture.stem: suite.carried(one.fixture) for one in valid if one.passes
            },
        },
    )


def summed(results: Iterable[CheckResult]) -> dict[str, int]:
    """The counts of several results, added up by name in the order of their first mention."""
    total: dict[str, int] = {}
    for result in results:
        for name, count in result.counts.items():
            total[name] = total.get(name, 0) + count
    return total


def judged(suite: Suite, fixture: Fixture, tree: Tree) -> Judgement:
    """What catches a fixture; one that its suite cannot read is caught by a rule for that."""
    try:
        found = tuple(one for one in suite.judge(fixture, tree) if one.level is Level.ERROR)
    except GenconformError as error:
        found = (_unreadable(error, fixture.name),)
    return Judgement(fixture, found)


def _unreadable(error: GenconformError, name: str) -> Finding:
    place = error.location or Location(name)
    return Finding(UNREADABLE, Level.ERROR, error.message, place, error.expected, error.actual)


def named_rule(fixture: Fixture, rules: Set[str]) -> str | None:
    """The rule that an expected-invalid fixture is named after; a route stands for its rule."""
    parts = fixture.name.rpartition("/")[2].split(".")
    for end in range(len(parts) - 1, 0, -1):
        name = ".".join(parts[:end])
        for rule in (name, ROUTE_PREFIX + name):
            if rule in rules:
                return rule
    return None


def _artifacts(suite: Suite, tree: Tree, valid: Iterable[Judgement]) -> list[dict[str, str]]:
    """Each file that the verdict on valid fixtures rests on: its role, path and digest."""
    files = [("fixture", one.fixture.name, one.fixture.data) for one in valid]
    for role, path in suite.artifacts(tree).items():
        files.append((role, path, read_bytes(tree.path(path), path)))
    return [{"role": role, "path": path, "sha256": sha256_hex(data)} for role, path, data in files]


def _by_rule(
    invalid: Iterable[Judgement], wrong: Set[str | None], rules: Set[str]
) -> dict[str, dict[str, int]]:
    """For each rule that fixtures are named after, how many it must catch and how many it does."""
    expected: Counter[str] = Counter()
    caught: Counter[str] = Counter()
    for one in invalid:
        rule = named_rule(one.fixture, rules)
        if rule is not None:
            expected[rule] += 1
            caught[rule] += one.fixture.name not in wrong
    return {rule: {"expected": expected[rule], "caught": caught[rule]} for rule in sorted(expected)}


def _refused(one: Judgement) -> Iterator[Finding]:
    """What is wrong with a valid fixture."""
    if one.findings:
        yield _finding(
            "fixture.valid.refused",
            "the fixture must pass, and is caught",
            one,
            "no rule",
        )


def _missed(one: Judgement, rules: Set[str]) -> Iterator[Finding]:
    """What is wrong with an expected-invalid fixture. To have none is not what its name is for."""
    rule = named_rule(one.fixture, rules)
    if one.fixture.unmade is not None:
        yield from one.findings
    elif rule is None:
        yield _finding(
            "fixture.name.unknown",
            "the name of the file does not start with a rule or a route",
            one,
            "RULE.json, ROUTE.json, or either with a dot and more words before the ending",
        )
    elif not one.findings:
        yield _finding(
            "fixture.invalid.passed", "the fixture must be caught, and passes", one, rule
        )
    elif one.rules != (rule,):
        yield _finding(
            "fixture.invalid.misattributed",
            "the fixture must be caught by the rule it is named after, and by no other",
            one,
            rule,
        )


def _finding(rule: str, message: str, one: Judgement, expected: str) -> Finding:
    return Finding(rule, Level.ERROR, message, Location(one.fixture.name), expected, one.said)


def _digest(judgements: Iterable[Judgement]) -> str:
    return canonical_digest(
        [[one.fixture.name, sha256_hex(one.fixture.data), list(one.rules)] for one in judgements]
    )
