"""The registry of modes is true of the probe, and its selector routes to what is routable."""

from __future__ import annotations

import json

import pytest

from genconform.errors import UsageError
from genconform.spec.modes import Status, load_modes
from genconform.suites.mode_selections import REFUSED_BY, rules, select
from genconform.trace.format import GENERATION_MODES
from genconform.tree import Tree
from tests.conftest import CommandLine


@pytest.mark.parametrize("name", GENERATION_MODES)
def test_what_serves_is_routable_whatever_was_asked_for(name: str, tree: Tree) -> None:
    registry = load_modes(tree)
    served = select(registry, name)
    assert served.status is Status.ROUTABLE
    assert (served.name == name) == (registry.mode(name).status is Status.ROUTABLE)


def test_a_mode_that_does_not_exist_is_refused(tree: Tree) -> None:
    with pytest.raises(UsageError, match="telepathy"):
        select(load_modes(tree), "telepathy")


def test_every_ground_has_a_rule() -> None:
    assert set(REFUSED_BY.values()) < set(rules.ids)


def test_the_command_refuses_what_is_not_routable(genconform: CommandLine) -> None:
    selected = genconform("modes", "select", "autoregressive", "--format", "json")
    assert (selected.returncode, json.loads(selected.stdout)["outcome"]) == (0, "select")
    refused = genconform("modes", "select", "diffusion", "--format", "json")
    answer = json.loads(refused.stdout)
    assert (refused.returncode, answer["outcome"], answer["serves"]) == (
        1,
        "refuse",
        "autoregressive",
    )
    assert genconform("modes", "select", "telepathy").returncode == 2


def test_the_command_lists_every_mode(genconform: CommandLine) -> None:
    listed = genconform("modes", "list")
    assert [line.split()[0] for line in listed.stdout.splitlines()] == list(GENERATION_MODES)
    names = [
        mode["name"] for mode in json.loads(genconform("modes", "list", "--format", "json").stdout)
    ]
    assert names == list(GENERATION_MODES)
