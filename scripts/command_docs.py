"""The reference of the commands, docs/commands.md, from what the commands say of themselves."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import click

from genconform.catalogue.pages import NOTICE
from genconform.cli import genconform

PATH = "docs/commands.md"


def page() -> Iterator[str]:
    """The page: every command with its usage, arguments, options and exit codes."""
    yield "# Commands\n"
    yield NOTICE.replace("from spec/", "from the commands' own help") + "\n"
    yield (
        "`validate-all` is `genconform validate-all`. Data goes to standard output and everything "
        "else to standard error. Exit codes: 0 pass, 1 does not conform, 2 wrong usage or "
        "configuration, 3 malformed input, 4 incomplete or unsupported. `--traceback` may be added "
        "to any command that failed.\n"
    )
    found = list(_commands(genconform, "genconform"))
    yield "| command | does |\n|---|---|"
    for name, command in found:
        yield f"| [{name}](#{_anchor(name)}) | {_cell(command.get_short_help_str(200))} |"
    for name, command in found:
        yield from _command(name, command)


def _commands(group: click.Group, prefix: str) -> Iterator[tuple[str, click.Command]]:
    """Every command below a group that is no group itself, by its full name."""
    context = click.Context(group, info_name=prefix)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from _commands(command, f"{prefix} {name}")
        else:
            yield f"{prefix} {name}", command


def _command(name: str, command: click.Command) -> Iterator[str]:
    context = click.Context(command, info_name=name)
    yield f"\n## {name}\n"
    usage = " ".join(command.collect_usage_pieces(context))
    yield f"    {name} {usage}\n"
    yield f"{_paragraphs(command.help or '')}\n"
    options = [one for one in command.params if isinstance(one, click.Option) and not one.hidden]
    if options:
        yield "| option | |\n|---|---|"
        for option in options:
            yield _option(option, context)


def _option(option: click.Option, context: click.Context) -> str:
    record = option.get_help_record(context)
    assert record is not None
    names, said = record
    return f"| `{_cell(names)}` | {_cell(said)} |"


def _paragraphs(text: str) -> str:
    """Help as Markdown: what looks like markup there is none."""
    return inspect.cleandoc(text).replace("\b\n", "").replace("<", "&lt;")


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _anchor(name: str) -> str:
    return name.replace(" ", "-")
