"""Every name has its topic, every topic says all it should, and what it says to type works."""

from __future__ import annotations

import shlex

import click
import pytest

from genconform.cli import genconform as root_command
from genconform.errors import UsageError
from genconform.explain.library import Library
from genconform.explain.topic import Kind, Topic
from genconform.explain.written import as_markdown, as_text
from genconform.lean.claims import load_registry
from genconform.lifecycle.machine import ACCEPTING, Route
from genconform.lifecycle.packet import BOOLEAN_NAMES, IDENTITY_NAMES, Counters, Stage
from genconform.spec.modes import load_modes
from genconform.spec.rules import load_rules
from genconform.tree import Tree
from tests.conftest import CommandLine


@pytest.fixture(scope="module")
def library(tree: Tree) -> Library:
    return Library(tree)


def names(library: Library, kind: Kind) -> set[str]:
    return {topic.name for topic in library.kind(kind)}


def test_everything_that_has_a_name_has_a_topic(library: Library, tree: Tree) -> None:
    assert names(library, Kind.ROUTE) == set(Route)
    assert names(library, Kind.STAGE) == set(Stage)
    assert names(library, Kind.FIELD) == set(BOOLEAN_NAMES)
    assert names(library, Kind.IDENTITY) == set(IDENTITY_NAMES)
    assert names(library, Kind.COUNTER) == set(Counters.__struct_encode_fields__)
    assert names(library, Kind.MODE) == {mode.name for mode in load_modes(tree).modes}
    assert names(library, Kind.CLAIM) == {claim.name for claim in load_registry().claims}
    rules = names(library, Kind.RULE) | {f"route.{name}" for name in names(library, Kind.ROUTE)}
    assert set(load_rules(tree)) <= rules
    schemas = {path.name.partition(".")[0] for path in (tree.path("spec/schemas")).iterdir()}
    assert names(library, Kind.FORMAT) == schemas


def test_every_topic_says_all_that_it_should(library: Library) -> None:
    for topic in library.topics.values():
        said = (topic.meaning, topic.holds, *topic.broken_by)
        assert all(sentence[-1] in ".)" for sentence in said), topic
        assert topic.broken_by, topic.name
        assert topic.examples, topic.name


def test_what_is_related_has_a_topic(library: Library) -> None:
    missing = {
        (topic.name, reference)
        for topic in library.topics.values()
        for reference in topic.related
        if reference not in library.topics
    }
    assert not missing


def test_where_it_is_defined_exists(library: Library, tree: Tree) -> None:
    for topic in library.topics.values():
        path, _, line = topic.at.partition("#")[0].partition(":")
        text = (tree.root / path).read_text(encoding="utf-8")
        if line:
            assert topic.name in text.splitlines()[int(line) - 1], topic


def test_a_rejecting_route_shows_a_change_that_it_catches(library: Library) -> None:
    for route in set(Route) - ACCEPTING:
        (topic,) = library.named(f"route.{route}")
        assert f"expect: {route}" in topic.examples[0].code
        assert any(reference.kind is Kind.CLAIM for reference in topic.related)


def commands(topic: Topic) -> list[str]:
    shown = (line for example in topic.examples for line in example.code.splitlines())
    return [
        part.strip()
        for line in shown
        if line.startswith("$ ")
        for part in line.removeprefix("$ ").split("|")
    ]


def check_command(part: str) -> None:
    """Parse a command of `genconform` without running it; a fault of usage is raised."""
    program, *words = shlex.split(part)
    assert program == "genconform", part
    command: click.Command = root_command
    while isinstance(command, click.Group):
        name = words.pop(0)
        found = command.get_command(click.Context(command), name)
        assert found is not None, part
        command = found
    command.make_parser(click.Context(command)).parse_args(words)


def test_what_is_shown_to_type_is_a_command(library: Library, tree: Tree) -> None:
    shown = {part for topic in library.topics.values() for part in commands(topic)}
    assert len(shown) > 100
    for part in shown:
        if part.startswith("python -m pytest "):
            assert (tree.root / part.split()[-1]).exists(), part
        else:
            check_command(part)


def test_the_page_and_the_terminal_say_the_same(library: Library) -> None:
    (topic,) = library.named("requireMatchedBaseline")
    text = as_text(topic)
    page = as_markdown(topic, lambda reference: f"{reference.name}.md")
    for sentence in (topic.meaning, topic.holds, *topic.broken_by):
        assert sentence in text
        assert sentence in page
    assert "# requireMatchedBaseline\n" in page
    assert "[matchedBaseline](matchedBaseline.md)" in page
    assert "\x1b" not in text


def test_a_name_that_is_none_suggests_others(library: Library) -> None:
    with pytest.raises(UsageError) as error:
        library.named("requireMatchedBasline")
    assert "requireMatchedBaseline" in error.value.diagnostics()


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("digest.file.changed",), 0, "digest.file.changed: rule"),
        (("route.requireRights",), 0, "requireRights: route"),
        (("RawSpeedBlocked",), 0, "The theorem `rawSpeedBlocked`"),
        (("nonsense",), 2, "nothing named 'nonsense'"),
        ((), 0, "counters: receipts, drafts"),
    ],
)
def test_the_command(
    genconform_here: CommandLine, arguments: tuple[str, ...], code: int, said: str
) -> None:
    done = genconform_here("explain", *arguments)
    assert done.returncode == code
    assert said in done.stdout + done.stderr
