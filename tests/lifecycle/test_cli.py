"""`genconform lifecycle` as a user meets it: what it prints, and its exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest

from genconform.lifecycle.machine import ACCEPTING, Route, step
from genconform.lifecycle.packet import Case, State
from genconform.lifecycle.reading import MAX_LINE_BYTES
from genconform.lifecycle.space import spaces
from genconform.spec.table import TABLE_PATH
from genconform.tree import Tree
from tests.conftest import CommandLine

CASES = [
    space.case(index) for space in spaces() for index in range(0, space.size, 1 + space.size // 40)
]
LINES = "".join(msgspec.json.encode(case).decode() + "\n" for case in CASES)


def test_routes_lists_sixty_of_which_nine_accept(genconform: CommandLine) -> None:
    done = genconform("lifecycle", "routes", "--format", "json")
    assert done.returncode == 0
    listed = json.loads(done.stdout)
    assert listed["counts"] == {"routes": 60, "accepting": 9, "rejecting": 51}
    assert [one["route"] for one in listed["routes"]] == [route.value for route in Route]
    accepting = {one["route"] for one in listed["routes"] if one["kind"] == "accepting"}
    assert accepting == {route.value for route in ACCEPTING}
    assert all(one["condition"] and one["at"] for one in listed["routes"])
    override = next(one for one in listed["routes"] if one["route"] == "requireRiskOverride")
    assert (override["stage"], override["line"]) == ("contextBound", 11)
    assert override["condition"] == "highRisk is true and riskOverride is false"
    assert "in spite of the risk" in override["meaning"]


def test_routes_are_listed_for_people_too(genconform: CommandLine) -> None:
    done = genconform("lifecycle", "routes")
    assert done.returncode == 0
    rows = [line.split() for line in done.stdout.splitlines()]
    for route in Route:
        assert any(route in row for row in rows)
    assert "\x1b" not in done.stdout


def test_route_answers_line_by_line(genconform: CommandLine, tmp_path: Path) -> None:
    done = genconform("lifecycle", "route", stdin=LINES)
    assert (done.returncode, done.stderr) == (0, "")
    for case, line in zip(CASES, done.stdout.splitlines(), strict=True):
        after, taken = step(case.state, case.event)
        assert json.loads(line)["route"] == taken
        assert msgspec.convert(json.loads(line)["state"], State) == after
    file = tmp_path / "cases.jsonl"
    file.write_text(LINES)
    assert genconform("lifecycle", "route", file).stdout == done.stdout


def test_route_answers_before_the_input_ends() -> None:
    command = [sys.executable, "-m", "genconform", "lifecycle", "route"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        for line in LINES.splitlines(keepends=True)[:3]:
            running.stdin.write(line.encode())
            running.stdin.flush()
            assert running.stdout.readline().startswith(b'{"route":"')
        running.stdin.close()
        assert running.wait(60) == 0


@pytest.mark.parametrize(
    ("stdin", "code", "says"),
    [
        ("", 4, "there is no input"),
        ("\n", 3, "<stdin>:1: the line is blank"),
        (LINES + "\n", 3, f"<stdin>:{len(CASES) + 1}: the line is blank"),
        (LINES + "{}\n" + LINES, 3, f"<stdin>:{len(CASES) + 1}: object missing"),
        (LINES[:-20], 3, f"<stdin>:{len(CASES)}: not JSON"),
        (LINES.replace('"taskVersion":1', '"taskVersion":NaN', 1), 3, "<stdin>:1: not JSON"),
        (LINES.replace('"rights":', '"rights":3,"x":', 1), 3, "at /event/packet/rights"),
        (LINES.replace('"event":{', '"event":{},"event":{', 1), 3, "<stdin>:1 at /event"),
        ("x" * (MAX_LINE_BYTES + 1), 3, "<stdin>:1: the line is too long"),
    ],
    ids=["empty", "blank", "blank at end", "no case", "cut", "NaN", "type", "twice", "long"],
)
def test_route_names_the_line_that_is_no_case(
    genconform: CommandLine, stdin: str, code: int, says: str
) -> None:
    done = genconform("lifecycle", "route", stdin=stdin)
    assert done.returncode == code
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_lines_before_a_malformed_one_are_answered(genconform: CommandLine) -> None:
    done = genconform("lifecycle", "route", stdin=LINES + "nope\n")
    assert done.returncode == 3
    assert len(done.stdout.splitlines()) == len(CASES)


def test_a_counter_that_cannot_be_written_is_malformed(genconform: CommandLine) -> None:
    case = spaces()[0].case(spaces()[0].plain)
    line = msgspec.json.encode(case).decode().replace('"receipts":0', '"receipts":' + "9" * 4300)
    done = genconform("lifecycle", "route", stdin=line)
    assert done.returncode == 3
    assert "<stdin>:1" in done.stderr


def test_route_refuses_what_is_no_file(genconform: CommandLine, tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing.jsonl"):
        done = genconform("lifecycle", "route", path)
        assert done.returncode == 2
        assert str(path) in done.stderr


def test_explain_shows_every_line_and_all_that_is_unmet(genconform: CommandLine) -> None:
    verified = spaces()[4]
    values = verified.values(verified.plain) | {"verifierCost": False, "outputDigest": False}
    case = msgspec.json.encode(verified.case(verified.index(values))).decode()
    done = genconform("lifecycle", "route", "--explain", stdin=case)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "case 1: accountOutcome at verified"
    assert sum("taken if" in line for line in lines) == 7 + 8
    by_route = {str(route): line for line in lines for route in Route if f" {route} " in line}
    assert by_route["rejectEventReplay"].split()[0] == "met"
    assert by_route["requireVerifierCost"].split()[0] == "unmet"
    assert by_route["requireTaskSuccess"].startswith(" not asked, met ")
    assert by_route["requireOutputDigest"].startswith(" not asked, unmet ")
    assert by_route["acceptAccounting"].startswith(" not asked  ")
    assert "  route requireVerifierCost" in lines
    assert "  unmet requireVerifierCost, requireOutputDigest" in lines


def test_enumerate_visits_every_route(genconform: CommandLine) -> None:
    done = genconform("lifecycle", "enumerate", "--format", "json")
    assert done.returncode == 0
    counted = json.loads(done.stdout)
    assert counted["cases"] == sum(one["cases"] for one in counted["stages"]) == 2_187_392
    assert [one["route"] for one in counted["routes"]] == [route.value for route in Route]
    assert sum(one["hits"] for one in counted["routes"]) == 2_187_392
    assert all(one["hits"] > 0 and one["shortestRun"] for one in counted["routes"])
    text = genconform("lifecycle", "enumerate").stdout
    assert text.splitlines()[-1] == "2,187,392 cases visited; 60 of 60 routes hit and reached"


def test_enumerate_fails_if_a_route_is_not_reached(
    genconform: CommandLine, copied_tree: Tree
) -> None:
    table = copied_tree.path(TABLE_PATH)
    table.write_text(table.read_text().replace("next: modeSelected", "next: draftGenerated"))
    done = genconform("lifecycle", "enumerate", "--root", copied_tree.root)
    assert done.returncode == 1
    assert "54 of 60 routes hit and reached" in done.stdout


@pytest.mark.parametrize(
    ("form", "begins"), [("dot", "digraph"), ("mermaid", "stateDiagram-v2"), ("svg", "<svg")]
)
def test_graph_draws(genconform: CommandLine, tmp_path: Path, form: str, begins: str) -> None:
    done = genconform("lifecycle", "graph", "--to", form)
    assert done.returncode == 0
    assert done.stdout.startswith(begins)
    file = tmp_path / "picture"
    assert genconform("lifecycle", "graph", "--to", form, "--output", file).stdout == ""
    assert file.read_text() == done.stdout
    if form == "svg":
        ElementTree.fromstring(done.stdout)


def test_a_witness_can_be_piped_into_route(genconform: CommandLine) -> None:
    witness = genconform("lifecycle", "witness", "requireFallbackCost")
    assert witness.returncode == 0
    answers = genconform("lifecycle", "route", stdin=witness.stdout).stdout.splitlines()
    assert [json.loads(line)["route"] for line in answers][-2:] == [
        "activateFallback",
        "requireFallbackCost",
    ]


def test_a_case_is_printed_by_its_number(genconform: CommandLine) -> None:
    done = genconform("lifecycle", "case", "contextBound", "2097151")
    assert done.returncode == 0
    case = msgspec.json.decode(done.stdout, type=Case)
    assert spaces()[1].index_of(case) == 2097151


@pytest.mark.parametrize(
    "arguments",
    [
        ["routes", "--format", "xml"],
        ["route", "--nope"],
        ["graph"],
        ["graph", "--to", "png"],
        ["graph", "--to", "svg", "--output", "no/such/folder/x.svg"],
        ["witness", "nope"],
        ["case", "nope", "0"],
        ["case", "closed", "128"],
        ["case", "closed", "-1"],
        ["enumerate", "--root", "no/such/tree"],
    ],
)
def test_wrong_usage_exits_2(genconform: CommandLine, arguments: list[str]) -> None:
    done = genconform("lifecycle", *arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.strip()
