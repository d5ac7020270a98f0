"""The benchmark compares like with like: whatever it is measured against gives the same routes."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given

from genconform.lifecycle.machine import route
from genconform.lifecycle.packet import Case
from genconform.spec.table import Table
from scripts import rivals
from scripts.bench import metric, sample
from tests.lifecycle.strategies import CASES

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def chain(table: Table) -> Callable[[dict[str, Any]], str]:
    return rivals.if_chain(table)


@given(CASES)
def test_the_if_chain_gives_the_same_routes(
    chain: Callable[[dict[str, Any]], str], case: Case
) -> None:
    assert chain(msgspec.to_builtins(case)) == route(case.state, case.event)


def test_the_case_expression_gives_the_same_routes(table: Table) -> None:
    """In SQLite, which reads it as DuckDB does but has no lists; the bench itself asks DuckDB."""
    cases = sample(600)
    columns = rivals.columns([msgspec.to_builtins(case) for case in cases])
    columns["consumed"] = [json.dumps(digests) for digests in columns["consumed"]]
    database = sqlite3.connect(":memory:")
    database.create_function("list_contains", 2, lambda held, one: one in json.loads(held))
    names = ", ".join(f'"{name}"' for name in columns)
    database.execute(f"CREATE TABLE cases ({names})")
    places = ", ".join("?" * len(columns))
    rows = zip(*columns.values(), strict=True)
    database.executemany(f"INSERT INTO cases VALUES ({places})", rows)
    taken = database.execute(f"SELECT {rivals.sql_case(table)} FROM cases ORDER BY rowid")
    assert [one for (one,) in taken] == [route(case.state, case.event) for case in cases]


def test_the_policy_gives_the_same_routes(table: Table) -> None:
    engine = pytest.importorskip("regorus").Engine()
    engine.add_policy("lifecycle.rego", rivals.rego(table))
    for case in sample(300):
        engine.set_input_json(msgspec.json.encode(case).decode())
        assert engine.eval_rule("data.lifecycle.route") == route(case.state, case.event)


def test_the_sample_takes_most_routes() -> None:
    cases = sample(4000)
    assert cases == sample(4000) != sample(4000, seed=2)
    assert len({route(case.state, case.event) for case in cases}) > 50


def test_a_metric_says_whether_its_target_is_met() -> None:
    assert metric(2.0, "x", at_least=1.0).met is True
    assert metric(2.0, "x", at_most=1.0).met is False
    assert metric("not installed", "x", at_least=1.0).met is False
    assert metric(2.0, "x").met is msgspec.UNSET


def test_it_prints_json() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "scripts.bench", "--only", "scalar"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
        timeout=120,
    )
    printed = json.loads(done.stdout)
    measured = printed["sections"]["scalar"]
    assert set(measured) == {"fromDict", "fromJson", "ifChainOverDicts"}
    for one in measured.values():
        assert one["value"] > 0
        assert one.get("met") == (one["value"] >= one["atLeast"] if "atLeast" in one else None)
    missed = [f"scalar.{name}" for name, one in measured.items() if one.get("met") is False]
    assert printed["missed"] == missed
