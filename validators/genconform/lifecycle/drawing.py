"""Draws the lifecycle's picture as DOT, Mermaid or SVG."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from xml.etree import ElementTree

import networkx as nx

_PITCH, _BOX, _HEIGHT, _TOP, _LINE = 215, 110, 34, 96, 15
_STYLE = """
svg { font-family: ui-sans-serif, system-ui, sans-serif; font-size: 10px; }
text { fill: #1f2328; } .faint { fill: #59636e; } .stage { font-size: 12px; font-weight: 600; }
rect { fill: #eaeef2; stroke: #59636e; } path { fill: none; stroke: #59636e; }
marker path { fill: #59636e; stroke: none; } .accepts { fill: #116329; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; } .faint { fill: #9198a1; } rect { fill: #262c36; stroke: #9198a1; }
  path { stroke: #9198a1; } marker path { fill: #9198a1; } .accepts { fill: #56d364; }
}
"""


def dot(graph: nx.MultiDiGraph) -> str:
    """Graphviz: accepting edges by name, the rejections of a stage as one dashed loop."""
    lines = [
        "digraph lifecycle {",
        "  rankdir=LR;",
        '  node [shape=box, style=rounded, fontname="sans-serif"];',
        '  edge [fontname="sans-serif", fontsize=10];',
    ]
    for stage in graph:
        lines += [
            f'  {stage} -> {target} [label="{route}"];' for route, target in accepted(graph, stage)
        ]
        rejecting = rejected(graph, stage)
        lines.append(
            f'  {stage} -> {stage} [style=dashed, label="{_counted(rejecting)}", '
            f'tooltip="{", ".join(rejecting)}"];'
        )
    return "\n".join([*lines, "}", ""])


def mermaid(graph: nx.MultiDiGraph) -> str:
    """Mermaid: the rejections of a stage are a note beneath it, less those of every stage."""
    everywhere = common(graph)
    first, *_, last = graph
    lines = ["stateDiagram-v2", "  direction LR", f"  [*] --> {first}"]
    for stage in graph:
        lines += [f"  {stage} --> {target}: {route}" for route, target in accepted(graph, stage)]
        lines.append(f"  {stage} --> {stage}: {_counted(rejected(graph, stage))}")
        own = [route for route in rejected(graph, stage) if route not in everywhere]
        if own:
            lines += [
                f"  note right of {stage}",
                *(f"    {route}" for route in own),
                "  end note",
            ]
    lines += [
        f"  {last} --> [*]",
        f"  note left of {first}",
        "    first, at every stage:",
        *(f"    {route}" for route in everywhere),
        "  end note",
    ]
    return "\n".join([*lines, ""])


def svg(graph: nx.MultiDiGraph) -> str:
    """SVG in one file, readable on light and dark: the stages in a row, rejections beneath."""
    everywhere, stages = common(graph), list(graph)
    own = {
        stage: [route for route in rejected(graph, stage) if route not in everywhere]
        for stage in stages
    }
    width = _PITCH * len(stages) - (_PITCH - _BOX) + 2 * _LINE
    height = _TOP + _HEIGHT + _LINE * (max(map(len, own.values())) + 5)
    root = ElementTree.Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": f"0 0 {width} {height}",
            "width": str(width),
            "role": "img",
            "aria-label": f"The lifecycle: {' to '.join(stages)}",
        },
    )
    ElementTree.SubElement(root, "style").text = _STYLE
    _add_arrowhead(root)
    for number, stage in enumerate(stages):
        left = _LINE + number * _PITCH
        _add_stage(root, left, stage, _counted(rejected(graph, stage)), own[stage])
    for number, stage in enumerate(stages):
        routes_to: dict[str, list[str]] = {}
        for route, target in accepted(graph, stage):
            routes_to.setdefault(target, []).append(route)
        for target, routes in routes_to.items():
            _add_acceptance(root, number, stages.index(target), routes)
    caption = "First, at every stage: " + ", ".join(everywhere) + "."
    _add_text(root, _LINE, height - _LINE, caption, "faint")
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


DRAWINGS: dict[str, Callable[[nx.MultiDiGraph], str]] = {"dot": dot, "mermaid": mermaid, "svg": svg}


def accepted(graph: nx.MultiDiGraph, stage: str) -> list[tuple[str, str]]:
    """The accepting routes of a stage, each with the stage that it leads to."""
    edges = graph.out_edges(stage, keys=True, data="accepts")
    return [(route, target) for _, target, route, accepts in edges if accepts]


def rejected(graph: nx.MultiDiGraph, stage: str) -> list[str]:
    """The rejecting routes of a stage, in order."""
    edges = graph.out_edges(stage, keys=True, data="accepts")
    return [route for _, _, route, accepts in edges if not accepts]


def common(graph: nx.MultiDiGraph) -> list[str]:
    """The routes that reject at every stage, in order."""
    everywhere = set.intersection(*(set(rejected(graph, stage)) for stage in graph))
    return [route for route in rejected(graph, next(iter(graph))) if route in everywhere]


def _counted(routes: list[str]) -> str:
    return f"{len(routes)} rejections"


def _add_arrowhead(root: ElementTree.Element) -> None:
    marker = ElementTree.SubElement(
        ElementTree.SubElement(root, "defs"),
        "marker",
        id="head",
        viewBox="0 0 8 8",
        refX="8",
        refY="4",
        markerWidth="8",
        markerHeight="8",
        orient="auto",
    )
    ElementTree.SubElement(marker, "path", d="M0 0 8 4 0 8z")


def _add_stage(
    root: ElementTree.Element, left: int, stage: str, rejections: str, own: Iterable[str]
) -> None:
    middle = left + _BOX // 2
    ElementTree.SubElement(
        root, "rect", x=str(left), y=str(_TOP), width=str(_BOX), height=str(_HEIGHT), rx="6"
    )
    _add_text(root, middle, _TOP + _HEIGHT // 2 + 4, stage, "stage", anchor="middle")
    loop = f"M{middle + 16} {_TOP} C{middle + 34} {_TOP - 40} {middle - 34} {_TOP - 40}"
    _add_arrow(root, f"{loop} {middle - 16} {_TOP}")
    _add_text(root, middle, _TOP - 36, rejections, "faint", anchor="middle")
    for number, route in enumerate(own, 1):
        _add_text(root, left, _TOP + _HEIGHT + _LINE * number + 6, route)


def _add_acceptance(root: ElementTree.Element, source: int, target: int, routes: list[str]) -> None:
    """An arrow through the gap to the next stage; to any other stage, one that bows above."""
    left, right = (_LINE + number * _PITCH for number in (source, target))
    if target == source + 1:
        height, way = _TOP + _HEIGHT // 2, f"M{left + _BOX} {_TOP + _HEIGHT // 2} H{right}"
    else:
        height, ends = 12, (left + _BOX // 2, right + _BOX // 2)
        way = f"M{ends[0]} {_TOP} C{ends[0]} {-height} {ends[1]} {-height} {ends[1]} {_TOP}"
    _add_arrow(root, way)
    for number, route in enumerate(reversed(routes)):
        middle = (left + _BOX + right) // 2
        _add_text(root, middle, height - 6 - 12 * number, route, "accepts", "middle")


def _add_arrow(root: ElementTree.Element, way: str) -> None:
    ElementTree.SubElement(root, "path", {"d": way, "marker-end": "url(#head)"})


def _add_text(
    root: ElementTree.Element, x: int, y: int, text: str, class_: str = "", anchor: str = "start"
) -> None:
    attributes = {"x": str(x), "y": str(y), "text-anchor": anchor} | (
        {"class": class_} if class_ else {}
    )
    ElementTree.SubElement(root, "text", attributes).text = text
