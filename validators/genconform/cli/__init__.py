"""The command line: `genconform` and `validate-all`. Errors are printed here, and only here."""

from __future__ import annotations

import io
import os
import signal
import sys
import traceback
from importlib import import_module
from importlib.metadata import entry_points

import click

from genconform import __version__
from genconform.errors import GenconformError, UsageError

COMMANDS = {
    "convert": "genconform.cli.convert:convert_command",
    "digest": "genconform.cli.digest:digest",
    "doctor": "genconform.cli.doctor:doctor",
    "explain": "genconform.cli.explain:explain",
    "lean": "genconform.cli.lean:lean",
    "lifecycle": "genconform.cli.lifecycle:lifecycle",
    "modes": "genconform.cli.modes:modes",
    "mutate": "genconform.cli.mutate:mutate",
    "replay": "genconform.cli.replay:replay_command",
    "report": "genconform.cli.report:report",
    "roof": "genconform.cli.roof:roof",
    "trace": "genconform.cli.trace:trace",
    "validate-all": "genconform.cli.validate:validate_all",
}
_INTERNAL_ERROR = 4
_INTERRUPTED = 130
_PIPE_CLOSED = 141  # what a shell says of a program that SIGPIPE ended


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
@click.option(
    "--traceback", is_flag=True, help="Show the Python traceback of an error; may stand anywhere."
)
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
    _prepare_streams()
    signal.signal(signal.SIGTERM, _terminated)
    output = sys.stdout
    # Taken wherever it stands, so that it can be added to the end of a command that failed.
    show_traceback = "--traceback" in arguments
    arguments = [argument for argument in arguments if argument != "--traceback"]
    try:
        sys.exit(
            command.main(
                arguments, prog_name="genconform", standalone_mode=False, obj=show_traceback
            )
        )
    except SystemExit:
        # click wraps an output that nobody reads any more, and exits with 1, which here means
        # "does not conform".
        if sys.stdout is not output:
            sys.exit(_PIPE_CLOSED)
        raise
    except Exception as error:
        if show_traceback:
            traceback.print_exc()
        sys.exit(_explain(error))


def _terminated(*_: object) -> None:
    """End as after an interrupt, with everything cleaned up; the code is what a shell says."""
    sys.exit(128 + signal.SIGTERM)


def _prepare_streams() -> None:
    """The same bytes in every locale. A closed stream gives no input, or swallows its output."""
    if sys.stdin is None:
        sys.stdin = open(os.devnull)  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _explain(error: Exception) -> int:
    """Print an error for a person; the exit code that it stands for."""
    if isinstance(error, click.exceptions.Abort):
        click.echo("genconform: interrupted", err=True)
        return _INTERRUPTED
    if isinstance(error, click.ClickException):
        error.show()
        return error.exit_code
    if isinstance(error, GenconformError):
        click.echo(f"genconform: {error.diagnostics()}", err=True)
        return error.exit_code
    if isinstance(error, OSError):
        place = f" {error.filename}" if error.filename is not None else ""
        reason = (error.strerror or str(error)).lower()
        click.echo(f"genconform: cannot read or write{place}: {reason}.", err=True)
        return UsageError.exit_code
    click.echo(
        f"genconform: internal error: {type(error).__name__}: {error}. Nothing was concluded. "
        "Run again with --traceback and report what it prints.",
        err=True,
    )
    return _INTERNAL_ERROR
