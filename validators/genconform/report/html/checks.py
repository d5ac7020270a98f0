"""The checks: verdict, counts, and what was found, with what it means and what to do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from genconform.explain.topic import Topic
from genconform.finding import CheckResult, Finding, Level, Report, Verdict
from genconform.report.html.markup import Markup, prose, tag, text, together

_CHECKS_AT_MOST = 500
_FINDINGS_AT_MOST = 200
_COUNTS_AT_A_GLANCE = 4
_CHARACTERS_AT_MOST = 2000
GOOD = frozenset({Verdict.PASS, Verdict.NOT_APPLICABLE})


def section(report: Report, topics: Mapping[str, Topic]) -> Markup:
    """All checks, those that did not pass open; of very many, the first and all that did not."""
    shown = [
        check
        for place, check in enumerate(report.checks)
        if place < _CHECKS_AT_MOST or check.verdict not in GOOD
    ]
    hidden = len(report.checks) - len(shown)
    return tag(
        "section",
        tag("h2", "Checks"),
        *(_check(check, topics) for check in shown),
        tag("p", f"… and {hidden:,} more that are fine.") if hidden else "",
        id="checks",
    )


def badge(verdict: str) -> Markup:
    """A verdict as a word in its colour."""
    return tag("span", verdict.replace("_", " "), class_=f"badge {verdict}")


def _check(check: CheckResult, topics: Mapping[str, Topic]) -> Markup:
    counts = [f"{_words(name)} {count:,}" for name, count in check.counts.items()]
    return tag(
        "details",
        tag(
            "summary",
            badge(check.verdict.value),
            tag("b", check.id),
            " ",
            tag("span", ", ".join(counts[:_COUNTS_AT_A_GLANCE]), class_="faint"),
        ),
        tag("p", ", ".join(counts)) if len(counts) > _COUNTS_AT_A_GLANCE else "",
        tag("p", check.note) if check.note else "",
        *_findings(check, topics),
        class_="card",
        open=check.verdict not in GOOD | {Verdict.SKIPPED},
        data_row=True,
        data_bad=check.verdict not in GOOD,
    )


def _words(name: str) -> str:
    """A count's name as words: snake_case and camelCase come apart."""
    apart = "".join(f" {char.lower()}" if char.isupper() else char for char in name)
    return apart.replace("_", " ").strip()


def _findings(check: CheckResult, topics: Mapping[str, Topic]) -> Iterator[Markup]:
    shown = check.findings[:_FINDINGS_AT_MOST]
    by_rule: dict[str, list[Finding]] = {}
    for finding in shown:
        by_rule.setdefault(finding.rule, []).append(finding)
    for rule, findings in by_rule.items():
        yield tag("h3", tag("span", findings[0].level.value, class_="level"), tag("code", rule))
        topic = topics.get(rule.removeprefix("route."))
        if topic is not None:
            yield tag("p", prose(topic.meaning))
        yield tag("p", "More: ", tag("code", f"genconform explain {rule}"), class_="faint")
        yield tag("ul", *map(_finding, findings), class_="findings")
    hidden = len(check.findings) - len(shown)
    if hidden > 0:
        yield tag("p", f"… and {hidden:,} more; the JSON report lists all.")


def _finding(finding: Finding) -> Markup:
    place = str(finding.location) if finding.location.file else ""
    return tag(
        "li",
        tag("code", place, class_="place") if place else "",
        tag("p", prose(finding.message), class_="message"),
        _compared(finding),
        data_row=True,
        data_bad=finding.level is Level.ERROR,
    )


def _compared(finding: Finding) -> Markup:
    pairs = [("expected", finding.expected), ("found", finding.actual)]
    given = [(name, value) for name, value in pairs if value is not None]
    if not given:
        return Markup()
    terms = (together((tag("dt", name), tag("dd", _value(value)))) for name, value in given)
    return tag("dl", *terms)


def _value(value: object) -> Markup:
    shown = str(value)
    if len(shown) > _CHARACTERS_AT_MOST:
        shown = f"{shown[:_CHARACTERS_AT_MOST]} …"
    return tag("code", text(shown))
