"""The HTML report in a real Chromium: it loads, answers, fits a phone, and can be read by all.

GENCONFORM_REPORT may name a JSON report of `validate-all`, to try the page of that instead.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from genconform.checks import PLAN
from genconform.context import Context
from genconform.document import read_bytes, read_report
from genconform.finding import CheckResult, Finding, Level, Location, Report, Verdict, report_of
from genconform.report.html import render
from genconform.trace.files import check_path
from genconform.tree import Tree
from tests.report.test_html import HITS, HOSTILE
from tests.report.test_html import REPORT as MADE_UP

pytest.importorskip("websockets", reason="drives Chromium, which needs the extra dev")

from tests.report.browser import Page, browse, find_chromium

PHONE = (360, 740)
DESKTOP = (1280, 900)
RUN = ("spec", "lifecycle", "digests")
# Every text and the nearest background that is not transparent, as their ratio of luminance.
CONTRAST = """
(() => {
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = numbers(getComputedStyle(at).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const worst = {};
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!own || !element.checkVisibility()) continue;
    const [a, b] = [light(numbers(getComputedStyle(element).color)), light(behind(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const name = `${element.tagName}.${element.className}`;
    worst[name] = Math.min(worst[name] ?? 99, ratio);
  }
  return worst;
})()
"""
OPEN_ALL = "document.querySelectorAll('details').forEach((details) => { details.open = true; })"
SHOWN = "[...document.querySelectorAll('[data-row]')].filter((row) => row.checkVisibility()).length"


@pytest.fixture(scope="module")
def report(tree: Tree) -> Report:
    """Real results, as far as they are quick, beside every trace of the fixtures."""
    if given := os.environ.get("GENCONFORM_REPORT"):
        return read_report(read_bytes(Path(given), given), given)
    quick = [check.run(Context(tree)) for check in PLAN if check.id in RUN]
    taken: dict[str, Any] = {"hits": {"machine": HITS, "table": HITS}}
    agreement = CheckResult("agreement", Verdict.PASS, {"cases": 420}, details=taken)
    lean = CheckResult("lean", Verdict.UNSUPPORTED, {}, note="no toolchain")
    folder = tree.path("fixtures/traces")
    traces = [check_path(path) for path in sorted(folder.glob("*/*.jsonl"))]
    (mutations,) = (check for check in MADE_UP.checks if check.id == "mutations")
    return report_of([*quick, agreement, lean, mutations, *traces])


@pytest.fixture(scope="module")
def file(report: Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(render(report), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    program = find_chromium()
    if program is None:
        pytest.skip("there is no Chromium on the PATH")
    with browse(program, tmp_path_factory.mktemp("profile")) as page:
        yield page


@pytest.fixture
def page(browser: Page, file: Path) -> Iterator[Page]:
    """The report, freshly loaded at desktop size; nothing may have been complained of after."""
    browser.problems.clear()
    browser.resize(*DESKTOP)
    browser.prefer("light")
    browser.load(Path("/dev/null"))
    browser.load(file)
    yield browser
    assert browser.problems == []


def test_a_whole_report_is_small(file: Path) -> None:
    assert file.stat().st_size < 3_000_000


def test_it_loads_with_nothing_to_complain_of(page: Page, report: Report) -> None:
    assert page.run("document.title") == f"genconform: {report.verdict.value}"
    assert page.run("document.querySelectorAll('#graph a.route').length") == 60
    assert page.run("document.querySelectorAll('svg.chart rect').length") > 0


class TestGraph:
    def test_a_route_that_is_clicked_shows_its_page(self, page: Page) -> None:
        link = "document.querySelector('#graph a[href=\"#route-requireMatchedBaseline\"]')"
        before = page.run("(document.getElementById('lifecycle').scrollIntoView(), scrollY)")
        page.run(f"{link}.click()")
        shown = page.run(
            "[...document.querySelectorAll('.pages article')]"
            ".filter((article) => article.checkVisibility()).map((article) => article.innerText)"
        )
        assert len(shown) == 1
        assert "id: contextBound.matchedBaseline.missing" in shown[0]
        assert "firstLineDecides" in shown[0]
        assert page.run(f"{link}.getAttribute('aria-current')") == "true"
        assert page.run("document.activeElement.innerText") == "requireMatchedBaseline"
        assert page.run("scrollY") == before

    def test_arrow_keys_go_from_route_to_route(self, page: Page) -> None:
        page.run("document.querySelector('#graph a.route').focus()")
        page.press("ArrowRight")
        assert "rejectTaskSubstitution" in page.run("document.activeElement.innerText")
        page.press("ArrowLeft")
        page.press("ArrowUp")
        assert "acceptClosure" in page.run("document.activeElement.innerText")

    def test_it_answers_without_the_script(self, page: Page, file: Path) -> None:
        page.ask("Emulation.setScriptExecutionDisabled", value=True)
        page.load(file)
        page.run("location.hash = 'route-requireRights'")
        page.ask("Emulation.setScriptExecutionDisabled", value=False)
        shown = page.run("document.querySelector('.pages article:target').checkVisibility()")
        assert shown is True
        assert page.run("document.getElementById('filters').checkVisibility()") is False


class TestFilter:
    def type(self, page: Page, text: str) -> None:
        page.run("document.getElementById('filter').focus()")
        page.run("document.getElementById('filter').select()")
        page.ask("Input.insertText", text=text)

    def test_words_filter_rows(self, page: Page) -> None:
        self.type(page, "requireRights missing")
        rows = page.run(
            "[...document.querySelectorAll('[data-row]')].filter((row) => row.checkVisibility())"
            ".map((row) => row.textContent)"
        )
        assert rows
        assert all("requireRights" in row and "missing" in row for row in rows)
        assert page.run("document.getElementById('shown').value").startswith(f"{len(rows)} of ")

    def test_what_needs_attention_is_left(self, page: Page, report: Report) -> None:
        page.run("document.getElementById('attention').click()")
        rows = page.run(
            "[...document.querySelectorAll('[data-row]')].filter((row) => row.checkVisibility())"
            ".map((row) => 'bad' in row.dataset)"
        )
        assert all(rows)
        assert bool(rows) == (report.verdict is not Verdict.PASS)

    def test_nothing_in_the_field_shows_all_again(self, page: Page) -> None:
        before = page.run(SHOWN)
        self.type(page, "no such thing anywhere")
        assert page.run(SHOWN) == 0
        self.type(page, " ")
        assert page.run(SHOWN) == before


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_overflows_on_a_phone(page: Page, scheme: str) -> None:
    page.prefer(scheme)
    page.resize(*PHONE)
    page.run(OPEN_ALL)
    for target in ("", "route-requireComputeMemoryBudget", "route-blockRawSpeedProxy"):
        page.run(f"location.hash = {target!r}")
        assert page.run("document.documentElement.scrollWidth") <= PHONE[0]
        beyond = page.run(
            "[...document.querySelectorAll('main *')].filter((element) => element.checkVisibility()"
            " && element.closest('thead') === null"
            " && element.getBoundingClientRect().right > innerWidth + 1).length"
        )
        assert beyond == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_what_is_behind_it(page: Page, scheme: str) -> None:
    page.prefer(scheme)
    page.run("location.hash = 'route-requireRights'")
    page.run("document.querySelectorAll('main details.card').forEach((d) => { d.open = true; })")
    worst = page.run(CONTRAST)
    assert len(worst) > 20
    assert {name: ratio for name, ratio in worst.items() if ratio < 4.5} == {}


def test_the_schemes_differ(page: Page) -> None:
    colours = []
    for scheme in ("light", "dark"):
        page.prefer(scheme)
        colours.append(page.run("getComputedStyle(document.body).backgroundColor"))
    assert colours[0] != colours[1]


def test_a_screen_reader_finds_names_and_landmarks(page: Page) -> None:
    page.run("document.querySelectorAll('main details').forEach((d) => { d.open = true; })")
    nodes = page.ask("Accessibility.getFullAXTree")["nodes"]
    told = [
        (node["role"]["value"], node.get("name", {}).get("value", ""))
        for node in nodes
        if not node.get("ignored")
    ]
    roles = {role for role, _ in told}
    assert {"main", "navigation", "banner", "heading", "table", "list", "searchbox"} <= roles
    unnamed = {"link", "heading", "searchbox", "checkbox", "image", "DisclosureTriangle"}
    assert [role for role, name in told if role in unnamed and not name] == []
    assert ("searchbox", "Filter") in told


def test_it_prints(page: Page) -> None:
    assert page.printed().startswith(b"%PDF")


def test_a_hostile_report_does_nothing(browser: Page, tmp_path: Path) -> None:
    finding = Finding(HOSTILE, Level.ERROR, HOSTILE, Location(HOSTILE), HOSTILE, HOSTILE)
    report = report_of([CheckResult(HOSTILE, Verdict.FAIL, {HOSTILE: 1}, (finding,), HOSTILE)])
    file = tmp_path / "hostile.html"
    file.write_text(render(report), encoding="utf-8")
    browser.problems.clear()
    browser.load(file)
    assert browser.problems == []
    assert browser.run("document.images.length + document.scripts.length") == 1
    assert "<script>alert(1)</script>" in browser.run("document.body.innerText")
