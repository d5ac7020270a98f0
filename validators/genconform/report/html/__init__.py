"""The report as one HTML file: no network, nothing to build, readable anywhere.

It is whole without its script, which only filters rows, moves between routes and opens what is
closed before it is printed. A content security policy lets that one script run and nothing else,
and nothing be fetched.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files as resources

from genconform.errors import GenconformError
from genconform.explain.library import Library
from genconform.explain.topic import Topic
from genconform.finding import Report, Verdict
from genconform.report.html import checks, details, digests, lifecycle, mutants, traces
from genconform.report.html.markup import Markup, tag
from genconform.spec.rules import ROUTE_PREFIX
from genconform.tree import find_tree


def render(report: Report) -> str:
    """The whole page; the same report gives the same bytes."""
    style, script = _asset("style.css"), _asset("script.js")
    sections = list(_sections(report))
    verdict = report.verdict.value
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", http_equiv="Content-Security-Policy", content=_policy(style, script)),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", f"genconform: {verdict}"),
        tag("style", style),
    )
    body = tag(
        "body",
        tag("a", "To the checks", href="#checks", class_="skip"),
        _header(report),
        _navigation(section for section, _ in sections),
        tag("main", *(content for _, content in sections)),
        tag("footer", tag("p", f"{report.tool.name} {report.tool.version}")),
        tag("script", script),
    )
    return f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"


def _sections(report: Report) -> Iterator[tuple[str, Markup]]:
    """The sections that the report has something for, by the id of each."""
    library = _library()
    topics = _topics(library)
    yield "checks", checks.section(report, topics)
    shown = _lifecycle(report, library) if library else None
    if shown is not None and any(place.hits is not None for place in shown.places):
        yield "lifecycle", lifecycle.graph(shown)
        yield "coverage", lifecycle.coverage(shown)
    mutations = details.mutations(report)
    if any(mutations):
        yield "mutations", mutants.section(mutations)
    runs = list(details.runs(report))
    if runs:
        yield "traces", traces.section(runs)
    bound = details.files(report)
    if bound:
        yield "digests", digests.section(bound, report)


def _lifecycle(report: Report, library: Library) -> lifecycle.Lifecycle:
    caught: dict[str, list[tuple[str, details.Authored]]] = {}
    for suite, rows in details.mutations(report).authored.items():
        for one in rows:
            route = one.expected.removeprefix(ROUTE_PREFIX)
            caught.setdefault(route, []).append((suite, one))
    return lifecycle.Lifecycle(
        library, details.places(report), details.shortest_runs(report), caught
    )


@cache
def _library() -> Library | None:
    """The meanings that this program knows; none where its spec/ is broken, which hides nothing."""
    library = Library(find_tree())
    try:
        return library if library.topics else None
    except GenconformError:
        return None


def _topics(library: Library | None) -> Mapping[str, Topic]:
    return {} if library is None else {topic.name: topic for topic in library.topics.values()}


def _header(report: Report) -> Markup:
    ran = [check for check in report.checks if check.verdict is not Verdict.SKIPPED]
    passed = sum(check.verdict is Verdict.PASS for check in ran)
    said = f"{passed} of {len(ran)} passed"
    if len(ran) < len(report.checks):
        said += f"; {len(ran)} of {len(report.checks)} ran"
    others = [check for check in report.checks if check.verdict is not Verdict.PASS]
    return tag(
        "header",
        tag("h1", "genconform ", checks.badge(report.verdict.value)),
        tag("p", said),
        tag(
            "ul",
            *(
                tag("li", checks.badge(check.verdict.value), " ", check.id)
                for check in others[:_OTHERS_AT_MOST]
            ),
            class_="others",
        )
        if others
        else "",
    )


_OTHERS_AT_MOST = 20


def _navigation(sections: Iterator[str]) -> Markup:
    return tag(
        "nav",
        tag("ul", *(tag("li", tag("a", name, href=f"#{name}")) for name in sections)),
        tag(
            "form",
            tag("label", "Filter", for_="filter"),
            tag("input", type="search", id="filter", autocomplete="off"),
            tag(
                "label",
                tag("input", type="checkbox", id="attention"),
                " only what needs attention",
            ),
            tag("output", id="shown", for_="filter attention", aria_live="polite"),
            class_="screen",
            hidden=True,
            id="filters",
        ),
        aria_label="Sections and filter",
    )


def _policy(style: Markup, script: Markup) -> str:
    return (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(source: Markup) -> str:
    return f"'sha256-{b64encode(sha256(source.encode()).digest()).decode()}'"


@cache
def _asset(name: str) -> Markup:
    return Markup(resources(__package__).joinpath(name).read_text(encoding="utf-8"))
