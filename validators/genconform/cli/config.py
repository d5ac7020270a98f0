"""Settings of `validate-all` from the table [tool.genconform] of a pyproject.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any

import click
from msgspec import UNSET, Meta, Struct, UnsetType, structs

from genconform.document import Document, decode, read_bytes
from genconform.errors import MalformedInput, UsageError
from genconform.finding import Level, Location

FILE = "pyproject.toml"
TABLE = "genconform"


class Config(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab", omit_defaults=True):
    """The table [tool.genconform]. An option on the command line wins over it.

    Args:
        only: run these checks alone.
        skip: leave these checks out; they are listed as skipped.
        strict: a check left out makes the result incomplete.
        jobs: checks to run side by side.
        fail_level: the lowest level of finding that fails a check.
        cache: whether results of earlier runs may be used.
        format: how the report is written.
        root: the tree to check, relative to the file.
    """

    only: tuple[str, ...] | UnsetType = UNSET
    skip: tuple[str, ...] | UnsetType = UNSET
    strict: bool | UnsetType = UNSET
    jobs: Annotated[int, Meta(ge=1)] | UnsetType = UNSET
    fail_level: Level | UnsetType = UNSET
    cache: bool | UnsetType = UNSET
    format: str | UnsetType = UNSET
    root: str | UnsetType = UNSET


def load_config(path: Path) -> Config:
    """The settings in a TOML file; none where it has no table [tool.genconform].

    Raises:
        UsageError: the file cannot be read, is not TOML, or has a setting that is not one.
    """
    return parse_config(read_bytes(path, path.name), path.name)


def parse_config(data: bytes, name: str) -> Config:
    """The settings in the bytes of a TOML file.

    Raises:
        UsageError: as `load_config`.
    """
    try:
        value = tomllib.loads(data.decode("utf-8"))
        tool = value.get("tool")
        table = tool.get(TABLE, {}) if isinstance(tool, dict) else {}
        return decode(Document(name, value, {}), Config, table, f"/tool/{TABLE}")
    except (ValueError, RecursionError) as error:
        raise UsageError(f"not TOML: {error}", location=Location(name)) from error
    except MalformedInput as error:
        known = ", ".join(field.encode_name for field in structs.fields(Config))
        raise UsageError(
            error.message, location=error.location, expected=f"only the settings {known}"
        ) from error


def find_config(start: Path) -> Path | None:
    """The nearest pyproject.toml in a folder or above it."""
    found = (folder / FILE for folder in (start, *start.parents))
    return next((path for path in found if path.is_file()), None)


def use_config(ctx: click.Context, _: click.Parameter, value: Path | None) -> None:
    """Make the settings the defaults of the command's options."""
    path = value or find_config(Path.cwd())
    if path is None:
        return
    settings = structs.asdict(load_config(path))
    defaults: dict[str, Any] = {name: set_ for name, set_ in settings.items() if set_ is not UNSET}
    renamed = {"format": "format_", "root": "tree"}
    ctx.default_map = {renamed.get(name, name): set_ for name, set_ in defaults.items()}
    if "cache" in defaults:
        ctx.default_map["no_cache"] = not defaults["cache"]
    if "root" in defaults:
        ctx.default_map["tree"] = str(path.parent / defaults["root"])
