"""The HTML report holds what the report says, as text, in one file that needs nothing else."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genconform.explain.library import Library
from genconform.finding import (
    CheckResult,
    Finding,
    Level,
    Location,
    Report,
    Verdict,
    report_of,
)
from genconform.lifecycle.machine import Route
from genconform.report.html import render
from genconform.report.html.markup import Markup, prose, tag, text
from genconform.tree import Tree
from tests.conftest import CommandLine

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'&`\x00\x1b[2J\u202e"
VOID = {"meta", "input"}


class Reader(HTMLParser):
    """Reads a page strictly: every element closed, every id once; collects what is asked for."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.targets: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        self.ids += [value for name, value in attrs if name == "id" and value]
        self.targets += [value for name, value in attrs if name in {"href", "src"} and value]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in {"script", "style"}:
            self.text += data


def check(id_: str, verdict: Verdict = Verdict.PASS, **details: Any) -> CheckResult:
    return CheckResult(id_, verdict, {"things": 1}, details=details)


def run(**changes: Any) -> dict[str, Any]:
    plain = {
        "id": "one",
        "mode": "speculative",
        "verdict": "pass",
        "stage": "closed",
        "routes": ["acceptContext"],
        "timeline": {
            "events": [
                {
                    "kind": "bindContext",
                    "before": "requested",
                    "after": "contextBound",
                    "route": "acceptContext",
                    "accepted": True,
                    "says": ["a prompt"],
                }
            ],
            "tokens": {"proposed": [4, 4, 2], "accepted": [4, 1, 0]},
            "passes": {"generation": 10, "verification": 3},
            "seconds": {"generation": 0.5, "verification": 0.25, "baseline": 1.5},
        },
    }
    return plain | changes


HITS = dict.fromkeys(map(str, Route), 7)
FINDING = Finding(
    "digest.file.changed",
    Level.ERROR,
    "the file changed",
    Location("spec/a.yaml", line=3),
    expected="one",
    actual="two",
)
REPORT = report_of(
    [
        check("lifecycle", hits=HITS | {"requireRights": 0}, shortestRuns={"requireRights": 1}),
        check("agreement", hits={"machine": HITS}),
        check("lean", hits=HITS),
        check(
            "mutations",
            table={
                "mutants": [
                    {"id": "drop.a", "outcome": "killed", "killedBy": "routes/x"},
                    {"id": "drop.b", "outcome": "equivalent", "casesVisited": 64},
                    {"id": "drop.c", "outcome": "survived"},
                ]
            },
            routes={
                "mutations": [
                    {
                        "id": "rights.missing",
                        "expected": "route.requireRights",
                        "caughtBy": ["route.requireRights"],
                    },
                    {"id": "idle", "expected": "route.requireRights", "caughtBy": []},
                ]
            },
            rules={"mutants": [{"suite": "s", "without": "speed.x", "passes": ["y"]}]},
        ),
        CheckResult(
            "digests",
            Verdict.FAIL,
            {"bound": 2},
            (FINDING,),
            details={"files": {"spec/a.yaml": "ab" * 32, "spec/b.yaml": "cd" * 32}},
        ),
        check("runs.jsonl", runs=[run(), run(id="two", verdict="fail")]),
        CheckResult("probe", Verdict.UNSUPPORTED, {}, note="torch is missing"),
    ]
)


@pytest.fixture(scope="module")
def page() -> Reader:
    return Reader(render(REPORT))


def test_the_same_report_gives_the_same_bytes() -> None:
    assert render(REPORT) == render(REPORT)


def test_it_names_the_verdict_and_every_check(page: Reader) -> None:
    assert "genconform fail" in page.text
    assert "5 of 7 passed" in page.text
    for check_ in REPORT.checks:
        assert check_.id in page.text
    for said in ("the file changed", "one", "two", "torch is missing", "spec/a.yaml:3"):
        assert said in page.text


def test_every_id_stands_once_and_every_link_leads_somewhere(page: Reader) -> None:
    assert len(page.ids) == len(set(page.ids))
    assert {target.removeprefix("#") for target in page.targets} <= set(page.ids)


def test_it_asks_for_nothing_from_anywhere() -> None:
    html = render(REPORT)
    assert "default-src &#x27;none&#x27;" in html
    assert not re.search(r"https?://|@import|url\(", html)
    assert html.count("<script>") == html.count("</script>") == 1


def test_every_route_has_its_page_with_mutation_and_theorems(page: Reader, tree: Tree) -> None:
    library = Library(tree)
    assert {f"route-{route}" for route in Route} <= set(page.ids)
    for claim in ("FirstLineDecides", "HighRiskCovered", "RawSpeedBlocked"):
        assert library.sources.claims[claim].claim.theorem in page.text
    assert "id: contextBound.matchedBaseline.missing" in page.text
    assert "routes/rights.missing: caught by it alone" in page.text


def test_coverage_says_where_a_route_was_never_taken() -> None:
    html = render(REPORT)
    start = html.index('href="#route-requireRights"', html.index('id="coverage"'))
    row = Reader(f"<table><tr><th><a {html[start : html.index('</tr>', start)]}</tr></table>").text
    assert row == "requireRightsnever77not seen"


def test_survivors_stand_first(page: Reader) -> None:
    places = [page.text.index(name) for name in ("drop.c", "drop.b", "drop.a")]
    assert places == sorted(places)
    assert "1 survived: no suite notices them" in page.text


def test_a_timeline_tells_tokens_passes_and_costs(page: Reader) -> None:
    assert "10 tokens proposed in 3 steps: 5 accepted, 5 rejected" in page.text
    for said in ("requested → contextBound", "a prompt", "0.250", "verification3"):
        assert said in page.text


def test_runs_that_fail_stand_first(page: Reader) -> None:
    assert page.text.index("speculative two") < page.text.index("speculative one")


def test_nothing_from_an_input_becomes_markup() -> None:
    finding = Finding(HOSTILE, Level.ERROR, HOSTILE, Location(HOSTILE), HOSTILE, [HOSTILE])
    timeline = run()["timeline"]
    timeline["events"][0] |= {"says": [HOSTILE], "route": HOSTILE, "kind": HOSTILE}
    timeline["passes"] = {HOSTILE: 1}
    timeline["seconds"] = {HOSTILE: 1.0}
    report = report_of(
        [
            CheckResult(HOSTILE, Verdict.FAIL, {HOSTILE: 1}, (finding,), HOSTILE),
            check("runs", runs=[run(id=HOSTILE, mode=HOSTILE, timeline=timeline)]),
            check("digests", files={f"{HOSTILE}/{HOSTILE}": HOSTILE}),
            check("suite", mutations=[{"id": HOSTILE, "expected": HOSTILE, "caughtBy": [HOSTILE]}]),
        ]
    )
    reader = Reader(render(report))
    assert reader.tags.count("script") == 1
    assert "img" not in reader.tags
    assert not [name for name, _ in reader.attributes if name.startswith("on")]
    assert "<script>alert(1)</script>" in reader.text
    assert not set("\x00\x1b\u202e") & set(reader.text)


@given(st.text(), st.text())
@settings(max_examples=200, deadline=None)
def test_text_reads_back_as_it_was_but_for_what_does_not_print(one: str, two: str) -> None:
    reader = Reader(tag("p", one, tag("b", two, title=one), two))
    assert reader.tags == ["p", "b"]
    shown = "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in one)
    assert reader.text.startswith(shown)
    assert dict(reader.attributes)["title"] == shown


def test_markup_that_is_joined_is_text_again() -> None:
    bold = tag("b", "x")
    assert tag("p", "a" + bold) == "<p>a&lt;b&gt;x&lt;/b&gt;</p>"
    assert tag("p", bold) == "<p><b>x</b></p>"
    assert isinstance(text("<"), Markup)


def test_names_in_a_sentence_are_code() -> None:
    assert prose("a `b` <c>") == "a <code>b</code> &lt;c&gt;"
    assert prose("one ` alone") == "one ` alone"


@pytest.mark.parametrize(
    "details",
    [
        {"hits": 3},
        {"hits": {"machine": "many"}, "runs": "none", "files": [1], "mutations": {"a": 1}},
        {"runs": [1, None, {"id": 1}, run(timeline={"events": "x"})], "mutants": [{}, 2]},
        {"files": {"a": {}}, "mutants": [{"id": "x", "outcome": "unheard-of"}]},
    ],
)
@pytest.mark.parametrize("id_", ["lifecycle", "agreement", "mutations", "digests", "other"])
def test_details_of_another_shape_hide_nothing_else(id_: str, details: dict[str, Any]) -> None:
    report: Report = report_of([check(id_, **details), CheckResult("last", Verdict.FAIL, {})])
    assert "last" in Reader(render(report)).text


def test_a_report_on_very_much_stays_small_and_shows_what_failed() -> None:
    many = [check(f"passed-{number}", runs=[run()]) for number in range(3000)]
    failed = check("the-one-that-failed", Verdict.FAIL, runs=[run(verdict="fail", id="its-run")])
    html = render(report_of([*many, failed]))
    assert len(html) < 3_000_000
    assert "the-one-that-failed" in html
    assert "speculative </b>its-run" in html
    assert "… and 2,500 more that are fine." in html


def test_a_trace_is_reported(genconform_here: CommandLine, tree: Tree, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    traces = tree.path("fixtures/traces/valid")
    done = genconform_here("trace", "check", traces, "--format", "html", "--output", out)
    assert done.returncode == 0
    reader = Reader(out.read_text(encoding="utf-8"))
    assert "124 tokens proposed in 19 steps: 0 accepted, 124 rejected" in reader.text
    assert str(tree.root) not in reader.text
