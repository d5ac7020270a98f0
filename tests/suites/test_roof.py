"""The I/O roof: its two bounds, its units, and what the command says of them."""

from __future__ import annotations

import json
import re
from math import isclose
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genconform.errors import UsageError
from genconform.suites.roof import Roof, parse_bandwidth, parse_bytes
from tests.conftest import CommandLine

PAGE = Path(__file__).parents[2] / "spec/policies.md"
SIZES = st.floats(1, 1e15)


@given(SIZES, SIZES)
def test_the_bounds_are_each_other_s_inverse(size: float, bandwidth: float) -> None:
    roof = Roof(size, bandwidth)
    assert roof.most_tokens_per_second is not None
    assert isclose(roof.least_seconds_per_token * roof.most_tokens_per_second, 1)


@given(SIZES, SIZES, st.floats(1.001, 1000))
def test_more_bytes_are_slower_and_more_bandwidth_is_faster(
    size: float, bandwidth: float, factor: float
) -> None:
    least = Roof(size, bandwidth).least_seconds_per_token
    assert Roof(size * factor, bandwidth).least_seconds_per_token > least
    assert Roof(size, bandwidth * factor).least_seconds_per_token < least


def test_nothing_reloaded_is_no_bound() -> None:
    assert Roof(0, 1e9).most_tokens_per_second is None
    assert Roof(0, 1e9).least_seconds_per_token == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("14 GB", 14e9),
        ("14GB", 14e9),
        ("1 GiB", 1024**3),
        ("512 MiB", 512 * 1024**2),
        ("1.5 kB", 1500),
        ("1 KiB", 1024),
        ("2 TB", 2e12),
        ("7 B", 7),
        ("0 B", 0),
    ],
)
def test_sizes_are_read_with_their_units(text: str, expected: float) -> None:
    assert parse_bytes(text) == expected
    if expected:
        assert parse_bandwidth(text + "/s") == expected


@pytest.mark.parametrize(
    "text", ["", "14", "GB", "14 gb", "14 G", "14 KB", "-1 GB", "14 GB/s", "1e3 GB"]
)
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_bytes(text)


@pytest.mark.parametrize("text", ["", "3.5 GB", "3.5/s", "0 GB/s", "3.5 Gb/s"])
def test_what_is_no_bandwidth_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_bandwidth(text)


def test_the_worked_example_comes_out_as_the_page_says(genconform: CommandLine) -> None:
    example = re.search(r"\$ genconform roof '(.+?)' '(.+?)'\n((?:.+\n)+?)```", PAGE.read_text())
    assert example is not None
    size, bandwidth, printed = example.groups()
    done = genconform("roof", size, bandwidth)
    assert (done.returncode, done.stdout) == (0, printed)


def test_the_command_answers_in_json_and_refuses_what_has_no_unit(genconform: CommandLine) -> None:
    done = genconform("roof", "14 GB", "3.5 GB/s", "--format", "json")
    assert json.loads(done.stdout)["leastSecondsPerToken"] == 4
    wrong = genconform("roof", "14", "3.5 GB/s")
    assert wrong.returncode == 2
    assert "14 GB" in wrong.stderr
