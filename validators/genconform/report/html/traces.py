"""The timeline of each recorded run: its events, its tokens a step, its passes and its seconds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from genconform.report.html.checks import badge
from genconform.report.html.details import Event, Run, Timeline, Tokens
from genconform.report.html.markup import Markup, tag

_TIMELINES_AT_MOST = 200
_RUNS_AT_MOST = 1000
_OPEN_AT_MOST = 3


def section(runs: Iterable[tuple[str, Run]]) -> Markup:
    """Every run; those that do not pass first."""
    listed = sorted(runs, key=lambda one: one[1].verdict == "pass")
    return tag(
        "section",
        tag("h2", "Recorded runs"),
        *(_run(number, file, run) for number, (file, run) in enumerate(listed[:_RUNS_AT_MOST])),
        _rest(len(listed) - _RUNS_AT_MOST),
        id="traces",
    )


def _rest(hidden: int) -> Markup:
    return (
        tag("p", f"… and {hidden:,} more; the JSON report lists all.") if hidden > 0 else Markup()
    )


def _run(number: int, file: str, run: Run) -> Markup:
    told = run.timeline if number < _TIMELINES_AT_MOST else None
    return tag(
        "details",
        tag("summary", badge(run.verdict), tag("b", f"{run.mode} "), run.id),
        tag("p", tag("code", file), f", ends at {run.stage}", class_="faint"),
        *(_timeline(told) if told else [_routes(run)]),
        class_="card",
        open=number < _OPEN_AT_MOST,
        data_row=True,
        data_bad=run.verdict != "pass",
    )


def _routes(run: Run) -> Markup:
    return tag("p", " → ".join(run.routes) or "no event")


def _timeline(told: Timeline) -> Iterator[Markup]:
    yield tag("ol", *map(_event, told.events), class_="timeline")
    if told.tokens.proposed:
        yield from _tokens(told.tokens)
    if told.passes:
        yield tag("h4", "Forward passes")
        yield _numbers({name: f"{count:,}" for name, count in told.passes.items()})
    if told.seconds:
        yield tag("h4", "Seconds")
        yield from _seconds(told.seconds)


def _event(event: Event) -> Markup:
    moved = f"{event.before} → {event.after}" if event.accepted else f"stays at {event.before}"
    return tag(
        "li",
        tag("b", event.kind),
        " ",
        tag("span", moved, class_="faint"),
        " ",
        tag("span", "accepted" if event.accepted else "rejected", class_="level"),
        " by ",
        tag("a", event.route, href=f"#route-{event.route}"),
        tag("ul", *(tag("li", sentence) for sentence in event.says)),
        tag("p", f"found: {', '.join(event.rules)}", class_="missed") if event.rules else "",
        class_="accepted" if event.accepted else "rejected",
    )


def _tokens(tokens: Tokens) -> Iterator[Markup]:
    steps = [
        (proposed, tokens.accepted[place] if place < len(tokens.accepted) else 0)
        for place, proposed in enumerate(tokens.proposed)
    ]
    proposed, accepted = sum(step[0] for step in steps), sum(step[1] for step in steps)
    said = (
        f"{proposed:,} tokens proposed in {len(steps):,} steps: {accepted:,} accepted, "
        f"{proposed - accepted:,} rejected"
    )
    yield tag("h4", "Tokens a step")
    yield tag("p", said)
    yield _chart(steps, said)
    heads = ("step", "proposed", "accepted", "rejected")
    yield tag(
        "details",
        tag("summary", "The numbers"),
        tag(
            "table",
            tag("thead", tag("tr", *(tag("th", head, scope="col") for head in heads))),
            tag("tbody", *(_step(number, *step) for number, step in enumerate(steps, 1))),
            class_="steps",
        ),
    )


def _step(number: int, proposed: int, accepted: int) -> Markup:
    cells = (proposed, accepted, proposed - accepted)
    return tag(
        "tr", tag("th", str(number), scope="row"), *(tag("td", f"{cell:,}") for cell in cells)
    )


def _chart(steps: list[tuple[int, int]], said: str) -> Markup:
    """A bar a step: accepted tokens full, rejected ones hollow above them."""
    height = max(1, *(proposed for proposed, _ in steps))
    bars = []
    for place, (proposed, accepted) in enumerate(steps):
        kept = max(0, min(accepted, proposed))
        left = place + 0.1
        bars.append(_bar(left, height - kept, 0.8, kept, "kept"))
        bars.append(_bar(left, height - proposed, 0.8, proposed - kept, "lost"))
    return tag(
        "svg",
        *bars,
        viewBox=f"0 0 {max(len(steps), 16)} {height}",
        preserveAspectRatio="none",
        class_="chart",
        role="img",
        aria_label=said,
    )


def _seconds(seconds: dict[str, float]) -> Iterator[Markup]:
    own = {name: max(0.0, value) for name, value in seconds.items() if name != "baseline"}
    total = sum(own.values())
    longest = max(total, seconds.get("baseline", 0.0)) or 1.0
    bars, left = [], 0.0
    for name, value in own.items():
        bars.append(_bar(left, 0, value / longest, 0.45, name))
        left += value / longest
    if "baseline" in seconds:
        bars.append(_bar(0, 0.55, seconds["baseline"] / longest, 0.45, "baseline"))
    said = ", ".join(f"{name} {value:.3f} s" for name, value in seconds.items())
    yield tag(
        "svg",
        *bars,
        viewBox="0 0 1 1",
        preserveAspectRatio="none",
        class_="costs",
        role="img",
        aria_label=f"Wall time: {said}",
    )
    yield _numbers({name: f"{value:.3f}" for name, value in seconds.items()})


def _bar(x: float, y: float, width: float, height: float, class_: str) -> Markup:
    at = {"x": x, "y": y, "width": width, "height": height}
    return tag("rect", **{name: f"{value:.4g}" for name, value in at.items()}, class_=class_)


def _numbers(values: dict[str, str]) -> Markup:
    pairs = (
        tag("div", tag("dt", name, class_=f"key {name}"), tag("dd", value))
        for name, value in values.items()
    )
    return tag("dl", *pairs, class_="numbers")
