"""The lifecycle as a graph, a page for each route, and where each route was taken."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from genconform.explain.library import Library
from genconform.explain.lifecycle import claims_of
from genconform.explain.topic import Kind, Reference, Topic
from genconform.explain.written import by_kind, holds_heading, plural
from genconform.report.html.details import Authored, Place
from genconform.report.html.markup import Markup, prose, tag, together
from genconform.spec.table import Line, StageRow

_PRESENT = {"table", "machine", "Lean"}
"""The places in which every route must be taken; what runs took is what was recorded."""


class Lifecycle(NamedTuple):
    """What the sections about the lifecycle show."""

    library: Library
    places: tuple[Place, ...]
    shortest: Mapping[str, int]
    caught: Mapping[str, list[tuple[str, Authored]]]


def graph(lifecycle: Lifecycle) -> Markup:
    """Stages from top to bottom, the routes that lead on, and those that lead back."""
    table = lifecycle.library.sources.table
    common = _routes(lifecycle, table.common_lines)
    return tag(
        "section",
        tag("h2", "Lifecycle"),
        tag(
            "p",
            "A request passes the stages from top to bottom. An arrow is a route that accepts; the "
            "others reject, and the request stays. The number is how often it was taken in the "
            "whole input space, or else in what was recorded. Choose a route for what it means, "
            "its mutation and its theorems; arrow keys go from route to route.",
        ),
        tag(
            "div",
            tag(
                "div",
                tag(
                    "div",
                    tag("h3", "Asked first, at every stage"),
                    tag("ul", *common, class_="rejects"),
                    class_="stage common",
                ),
                tag(
                    "ol",
                    *(_stage(lifecycle, row) for row in table.stages),
                    class_="spine",
                ),
                class_="graph",
                id="graph",
            ),
            tag("div", _hint(), *_pages(lifecycle), class_="pages", id="pages"),
            class_="split",
        ),
        id="lifecycle",
    )


def _hint() -> Markup:
    return tag("p", "No route is chosen.", class_="hint")


def _stage(lifecycle: Lifecycle, row: StageRow) -> Markup:
    lines = lifecycle.library.sources.table.stage_lines[row.name]
    accepting = [line for line in lines if line.accepts]
    last = row.next == row.name
    known = lifecycle.library.sources.lines
    rejecting = [line for line in lines if not line.accepts and known[line.route].stage]
    event = "nothing leaves it" if last else f"left by {row.event}"
    return tag(
        "li",
        tag(
            "div",
            tag("h3", row.name),
            tag("p", event, class_="faint"),
            tag("ul", *_routes(lifecycle, rejecting), class_="rejects") if rejecting else "",
            class_="stage",
        ),
        tag("ul", *_routes(lifecycle, accepting), class_="accepts") if accepting else "",
    )


def _routes(lifecycle: Lifecycle, lines: Iterable[Line]) -> Iterator[Markup]:
    for line in lines:
        taken = _first(lifecycle.places, line.route)
        missed = bool(_missing(lifecycle.places, line.route))
        yield tag(
            "li",
            tag(
                "a",
                line.route,
                tag("span", "" if taken is None else f"{taken:,}", class_="hits"),
                href=f"#route-{line.route}",
                class_="route accepting" if line.accepts else "route rejecting",
            ),
            data_row=True,
            data_bad=missed,
        )


def _first(places: Iterable[Place], route: str) -> int | None:
    counts = (place.of(route) for place in places)
    return next((count for count in counts if count is not None), None)


def _missing(places: Iterable[Place], route: str) -> list[str]:
    """The places in which the route should have been taken, and was not."""
    return [place.name for place in places if place.name in _PRESENT and place.of(route) == 0]


# --- pages of routes


def _pages(lifecycle: Lifecycle) -> Iterator[Markup]:
    for route in lifecycle.library.sources.table.routes():
        topic = lifecycle.library.topics[Reference(Kind.ROUTE, route)]
        yield tag(
            "article",
            tag("h3", route, tabindex="-1", id=f"about-{route}"),
            *_page(lifecycle, topic),
            tag("p", tag("a", "Back to the graph", href="#graph"), class_="screen"),
            id=f"route-{route}",
            aria_labelledby=f"about-{route}",
        )


def _page(lifecycle: Lifecycle, topic: Topic) -> Iterator[Markup]:
    line = lifecycle.library.sources.lines[topic.name].line
    yield tag("p", prose(topic.meaning))
    yield tag("h4", holds_heading(topic.kind))
    yield together(tag("p", prose(sentence)) for sentence in (topic.holds, *topic.broken_by))
    yield tag("h4", "Where it was taken")
    yield tag("dl", *_counts(lifecycle, topic.name), class_="numbers")
    if not line.accepts:
        yield tag("h4", "Mutation")
        yield from _mutation(lifecycle, topic)
    yield tag("h4", "Theorems")
    yield tag("ul", *_theorems(lifecycle, line))
    others = {
        kind: names
        for kind, names in by_kind(topic).items()
        if kind in {Kind.FIELD, Kind.FACT, Kind.INVARIANT, Kind.FAILURE}
    }
    if others:
        yield tag("h4", "Related")
        yield tag(
            "ul",
            *(tag("li", f"{plural(kind)}: {', '.join(names)}") for kind, names in others.items()),
        )


def _counts(lifecycle: Lifecycle, route: str) -> Iterator[Markup]:
    for place in lifecycle.places:
        count = place.of(route)
        said = "not in this report" if count is None else f"{count:,} {place.unit}"
        yield together((tag("dt", place.name), tag("dd", said)))
    if route in lifecycle.shortest:
        events = lifecycle.shortest[route]
        said = f"{events} event{'' if events == 1 else 's'}"
        yield together((tag("dt", "shortest run"), tag("dd", said)))


def _mutation(lifecycle: Lifecycle, topic: Topic) -> Iterator[Markup]:
    example = topic.examples[0]
    yield tag("pre", tag("code", example.code))
    for suite, one in lifecycle.caught.get(topic.name, [])[:3]:
        said = "caught by it alone" if one.caught else f"caught by {', '.join(one.caught_by)}"
        yield tag("p", tag("code", f"{suite}/{one.id}"), f": {said}")


def _theorems(lifecycle: Lifecycle, line: Line) -> Iterator[Markup]:
    sources = lifecycle.library.sources
    for name in claims_of(sources, line):
        proved = sources.claims[name]
        yield tag("li", tag("code", proved.claim.theorem), f": {proved.sentence}")


# --- coverage


def coverage(lifecycle: Lifecycle) -> Markup:
    """Every route at the four places. Of what nobody recorded nothing follows."""
    heads = ("route", *(place.name for place in lifecycle.places))
    return tag(
        "section",
        tag("h2", "Route coverage"),
        tag(
            "p",
            "How often each route was taken: in the table and by the machine over all inputs, in "
            "Lean over the cases of the certificate, which by a theorem stand for all, and at run "
            "time in the runs of this report. A run that conforms is rejected nowhere.",
        ),
        tag(
            "table",
            tag("thead", tag("tr", *(tag("th", head, scope="col") for head in heads))),
            tag("tbody", *_coverage_rows(lifecycle)),
            class_="coverage",
        ),
        id="coverage",
    )


def _coverage_rows(lifecycle: Lifecycle) -> Iterator[Markup]:
    for route in lifecycle.library.sources.table.routes():
        link = tag("a", route, href=f"#route-{route}")
        yield tag(
            "tr",
            tag("th", link, scope="row"),
            *(_cell(place, route) for place in lifecycle.places),
            data_row=True,
            data_bad=bool(_missing(lifecycle.places, route)),
        )


def _cell(place: Place, route: str) -> Markup:
    count = place.of(route)
    if count is None:
        said, class_ = "not here", "faint"
    elif count == 0:
        said, class_ = ("never", "missed") if place.name in _PRESENT else ("not seen", "faint")
    else:
        said, class_ = f"{count:,}", None
    return tag("td", said, class_=class_, data_label=place.name)
