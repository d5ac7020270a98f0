"""What commands give as JSON is valid by a schema of spec/schemas."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import jsonschema
import pytest

from genconform.cli import genconform as root_command
from genconform.cli.config import Config, parse_config
from genconform.tree import Tree
from tests.conftest import CommandLine
from tests.fuzz.readers import ROOT

KEPT = ROOT / "fixtures/envelopes/0.1.0-ed25519"
ENGINES = ROOT / "fixtures/engine-observations/valid"
REPORTED: dict[str, list[str | Path]] = {
    "digest verify": [],
    "doctor": [],
    "mutate": [],
    "replay": [],
    "report": [KEPT / "root/report.json"],
    "trace check": [ROOT / "fixtures/traces/valid"],
    "trace import": [ENGINES / "example.openai.jsonl", "--out", os.devnull],
    "trace pair": [ENGINES / "llama_cpp.plain.jsonl", ENGINES / "llama_cpp.ngram.jsonl"],
    # Nobody listens there, which a report says as well.
    "trace record": [
        *("--base-url", "http://127.0.0.1:9", "--prompts", ROOT / "LICENSE", "--out", os.devnull)
    ],
    "validate-all": ["--only", "spec"],
}
"""Commands that give a report, with arguments for a quick one."""
OTHERS: dict[str, tuple[str, list[str]]] = {
    "explain": ("topics", []),
    "lifecycle routes": ("routes", []),
    "lifecycle enumerate": ("enumeration", []),
    "modes list": ("mode-list", []),
    "modes select": ("mode-answer", ["speculative"]),
    "probe run": ("recorded", ["--prompts", "1", "--mode", "autoregressive", "--out", "OUT"]),
    "roof": ("roof", ["14 GB", "3.5 GB/s"]),
    "convert": ("conversion", [str(ROOT / "tests/fuzz/freetext.json")]),
}
"""Other commands that can give JSON: the schema, and arguments."""
# Takes minutes; what it gives goes the way of every other report.
TOO_SLOW = {"lean check"}


def with_json(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[str]:
    """The names of all commands that can give JSON."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from with_json(below, (*path, name))
    else:
        types = (parameter.type for parameter in command.params)
        if any(isinstance(type_, click.Choice) and "json" in type_.choices for type_ in types):
            yield " ".join(path)


def validate(tree: Tree, schema: str, value: object) -> None:
    text = tree.path(f"spec/schemas/{schema}.schema.json").read_text(encoding="utf-8")
    validator = jsonschema.Draft202012Validator(json.loads(text))
    validator.check_schema(validator.schema)
    validator.validate(value)


def test_every_command_that_can_give_json_is_tried_here() -> None:
    assert set(with_json(root_command)) == {*REPORTED, *OTHERS, *TOO_SLOW}


@pytest.mark.parametrize("command", REPORTED)
def test_a_report_is_valid(genconform_here: CommandLine, tree: Tree, command: str) -> None:
    done = genconform_here(*command.split(), *REPORTED[command], "--format", "json")
    validate(tree, "report", json.loads(done.stdout))


def test_the_report_of_a_verification_is_valid(genconform_here: CommandLine, tree: Tree) -> None:
    done = genconform_here(
        *("digest", "verify", KEPT / "statement.dsse.json", "--root", KEPT / "root"),
        *("--format", "json"),
    )
    validate(tree, "report", json.loads(done.stdout))


@pytest.mark.parametrize("command", OTHERS)
def test_what_is_no_report_is_valid_too(
    genconform_here: CommandLine, tree: Tree, command: str, tmp_path: Path
) -> None:
    schema, arguments = OTHERS[command]
    done = genconform_here(*command.split(), *arguments, "--format", "json", cwd=tmp_path)
    validate(tree, schema, json.loads(done.stdout))


def test_each_answer_of_lifecycle_route_is_valid(genconform: CommandLine, tree: Tree) -> None:
    cases = [path.read_text() for path in sorted((ROOT / "tests/fuzz/cases").iterdir())]
    done = genconform("lifecycle", "route", stdin="\n".join(cases))
    answers = done.stdout.splitlines()
    assert len(answers) == len(cases)
    for answer in answers:
        validate(tree, "route-answer", json.loads(answer))


def test_timings_are_valid(genconform_here: CommandLine, tree: Tree, tmp_path: Path) -> None:
    timings = tmp_path / "timings.json"
    genconform_here("validate-all", "--only", "spec", "--timings", timings)
    validate(tree, "timings", json.loads(timings.read_text()))


def test_settings_that_are_read_are_valid_and_others_are_not(tree: Tree) -> None:
    data = (ROOT / "tests/fuzz/configs/all.toml").read_bytes()
    assert parse_config(data, "c.toml") != Config()
    table = tomllib.loads(data.decode())["tool"]["genconform"]
    validate(tree, "config", table)
    with pytest.raises(jsonschema.ValidationError):
        validate(tree, "config", {**table, "more": 1})
