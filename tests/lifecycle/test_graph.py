"""The graph: what runs reach, a shortest run to every route, and the pictures."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import msgspec
import pytest

from genconform.lifecycle.drawing import DRAWINGS, accepted, common, dot, mermaid, rejected, svg
from genconform.lifecycle.graph import START, Search, picture
from genconform.lifecycle.machine import ACCEPTING, Route, step
from genconform.lifecycle.packet import NO_COUNTS, Stage
from genconform.spec.table import StageRow, Table

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def search(table: Table) -> Search:
    return Search(table)


def redirected(table: Table, stage: str, to: str) -> Table:
    """The table with one stage that leads to another than it should."""
    rows = tuple(
        StageRow(row.name, row.event, to) if row.name == stage else row for row in table.stages
    )
    changed: Table = msgspec.structs.replace(table, stages=rows)
    return changed


# Each route's stage is that of its line; a run has an event a stage up to it. A replay needs one
# accepted event first, and a fallback's cost a fallback.
SHORTEST = {"rejectEventReplay": 2}


@pytest.mark.parametrize("route", Route)
def test_every_route_has_a_witness_that_the_machine_replays(
    search: Search, table: Table, route: Route
) -> None:
    witness = search.witness(route)
    assert witness is not None
    assert witness.cases[0].state.stage is Stage.REQUESTED
    assert witness.cases[0].state.counters == NO_COUNTS
    state, routes = witness.cases[0].state, []
    for case in witness.cases:
        assert case.state == state
        state, taken = step(state, case.event)
        routes.append(taken)
    assert routes[-1] is route
    assert set(routes[:-1]) <= ACCEPTING
    own = next((s for s, ls in table.stage_lines.items() if route in {x.route for x in ls}), None)
    at = 0 if route in {line.route for line in table.common_lines} or own is None else 1
    shortest = list(Stage).index(Stage(own)) + 1 if at and own else SHORTEST.get(route, 1)
    assert len(witness.cases) == shortest


def test_the_plainest_of_the_shortest_runs_is_chosen(search: Search) -> None:
    witness = search.witness(Route.ACCEPT_CLOSURE)
    assert witness is not None
    state = witness.cases[0].state
    for case in witness.cases:
        state, _ = step(state, case.event)
    assert state.stage is Stage.CLOSED
    assert state.counters.fallbacks == 0


def test_the_table_has_nothing_unreached_and_no_dead_end(search: Search) -> None:
    assert search.unreached_stages() == []
    assert search.dead_ends() == []
    assert START in search.graph
    assert len(list(search.witnesses())) == 60


def test_a_skipped_stage_is_not_reached_and_its_routes_have_no_witness(table: Table) -> None:
    skipping = Search(redirected(table, "contextBound", "draftGenerated"))
    assert skipping.unreached_stages() == ["modeSelected"]
    missing = set(Route) - {witness.route for witness in skipping.witnesses()}
    assert missing == {line.route for line in table.stage_lines["modeSelected"]}


def test_a_stage_that_leads_back_is_a_dead_end(table: Table) -> None:
    turning = Search(redirected(table, "accounted", "verified"))
    assert turning.unreached_stages() == ["decided", "closed"]
    assert turning.dead_ends() == [row.name for row in table.stages[:6]]


def test_the_picture_has_an_edge_a_line(table: Table) -> None:
    graph = picture(table)
    assert list(graph) == [stage.value for stage in Stage]
    assert common(graph) == list(Route)[:7]
    edges = [route for stage in graph for route, _ in accepted(graph, stage)]
    assert edges == [route for route in Route if route in ACCEPTING]
    assert {route for stage in graph for route in rejected(graph, stage)} == set(Route) - ACCEPTING


def named(text: str) -> set[str]:
    return {route for route in Route if re.search(rf"\b{route}\b", text)}


def test_every_drawing_names_every_route(table: Table) -> None:
    for draw in DRAWINGS.values():
        assert named(draw(picture(table))) == set(Route)
        assert draw(picture(table)) == draw(picture(table))


def test_dot_counts_rejections_and_names_acceptances(table: Table) -> None:
    text = dot(picture(table))
    assert '  contextBound -> modeSelected [label="selectSlowBaseline"];' in text
    assert '  requested -> requested [style=dashed, label="13 rejections"' in text
    assert text.count("{") == text.count("}") == 1


def test_mermaid_is_a_state_diagram(table: Table) -> None:
    lines = mermaid(picture(table)).splitlines()
    assert lines[0] == "stateDiagram-v2"
    assert "  [*] --> requested" in lines
    assert "  draftGenerated --> verified: activateFallback" in lines
    assert lines.count("  end note") == sum(line.startswith("  note ") for line in lines) == 8


def test_svg_draws_eight_boxes_in_a_row(table: Table) -> None:
    root = ElementTree.fromstring(svg(picture(table)))
    boxes = root.findall(f"{SVG}rect")
    assert len(boxes) == 8
    assert len({box.get("y") for box in boxes}) == 1
    width = float(root.get("viewBox", "").split()[2])
    assert all(float(box.get("x", "")) + float(box.get("width", "")) <= width for box in boxes)
    arrows = root.findall(f"{SVG}path")
    assert len(arrows) == 8 + 7
    assert "prefers-color-scheme: dark" in (root.findtext(f"{SVG}style") or "")


def test_svg_bows_over_a_stage_that_is_skipped(table: Table) -> None:
    graph = picture(redirected(table, "contextBound", "draftGenerated"))
    arrows = ElementTree.fromstring(svg(graph)).findall(f"{SVG}path")
    bows = [way for arrow in arrows if " -" in (way := arrow.get("d", ""))]
    assert len(bows) == 1
