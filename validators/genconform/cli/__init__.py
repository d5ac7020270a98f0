"""The command line: `genconform` and `validate-all`. Errors are printed here, and only here."""

from __future__ import annotations

import os
import sys
import traceback
from importlib import import_module
from importlib.metadata import entry_points

import click

from genconform import __version__
from genconform.errors import GenconformError

COMMANDS = {
    "digest": "genconform.cli.digest:digest",
    "explain": "genconform.cli.explain:explain",
    "lifecycle": "genconform.cli.lifecycle:lifecycle",
    "validate-all": "genconform.cli.validate:validate_all",
}
_INTERNAL_ERROR = 4
_INTERRUPTED = 130


class _LazyGroup(click.Group):
    """Imports a command's module when it is asked for, so that `--help` and errors are quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*COMMANDS, *_registered()})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        target = COMMANDS.get(cmd_name) or _registered().get(cmd_name)
        if target is None:
            return None
        module, _, name = target.partition(":")
        command = getattr(import_module(module), name)
        assert isinstance(command, click.Command)
        return command


def _registered() -> dict[str, str]:
    return {point.name: point.value for point in entry_points(group="genconform.commands")}


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="genconform")
@click.option("--traceback", is_flag=True, help="Show the Python traceback of an error.")
def genconform(traceback: bool) -> None:
    """Check that accelerated text generation kept its obligations.

    Exit codes: 0 pass, 1 does not conform, 2 wrong usage or configuration, 3 malformed input,
    4 incomplete or unsupported.
    """


def main() -> None:
    """Run `genconform`."""
    _run(genconform, sys.argv[1:])


def validate_all_main() -> None:
    """Run `validate-all`, which is `genconform validate-all`."""
    _run(genconform, ["validate-all", *sys.argv[1:]])


def _run(command: click.Command, arguments: list[str]) -> None:
    show_traceback = "--traceback" in arguments
    arguments = [argument for argument in arguments if argument != "--traceback"]
    try:
        sys.exit(command.main(arguments, prog_name="genconform", standalone_mode=False))
    except GenconformError as error:
        code, text = error.exit_code, error.diagnostics()
    except click.ClickException as error:
        error.show()
        code, text = error.exit_code, ""
    except click.exceptions.Abort:
        code, text = _INTERRUPTED, "interrupted"
    except BrokenPipeError:
        # Nobody reads on. Python would complain again when it flushes standard output at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code, text = 0, ""
    except Exception as error:
        code = _INTERNAL_ERROR
        text = (
            f"internal error: {type(error).__name__}: {error}. Nothing was concluded. "
            "Run again with --traceback and report what it prints."
        )
        if show_traceback:
            traceback.print_exc()
    if show_traceback and isinstance(sys.exc_info()[1], GenconformError):
        traceback.print_exc()
    if text:
        click.echo(f"genconform: {text}", err=True)
    sys.exit(code)
