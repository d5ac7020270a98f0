"""Reports that say nothing of the machine: paths are relative, and no home folder shows."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from functools import partial
from pathlib import Path, PurePath
from typing import Any

import msgspec

from genconform.finding import Report


def portable(report: Report, roots: Iterable[Path], home: Path | None = None) -> Report:
    """The report with every path below one of `roots` made relative to it, and `home` as ~.

    A file elsewhere keeps its own name alone, or from where it differs from another of that name.
    Texts are searched for these paths, too.
    """
    names = {str(root.absolute()): "" for root in roots}
    if home is not None:
        names.setdefault(str(home), "~")
    # Longest first: a root may stand in another, and all of them at home.
    patterns = [
        (_pattern(path), name)
        for path, name in sorted(names.items(), key=lambda item: -len(item[0]))
        if path != "/"
    ]
    elsewhere = _short_names(
        file
        for file in _absolute_files(report)
        if not any(pattern.match(file) for pattern, _ in patterns)
    )
    patterns += [
        (re.compile(_start(file)), name)
        for file, name in sorted(elsewhere.items(), key=lambda item: (-len(item[0]), item[0]))
    ]
    if not patterns:
        return report
    return msgspec.convert(_mapped(msgspec.to_builtins(report), patterns), Report)


def _absolute_files(report: Report) -> set[str]:
    """The files that checks are named after or findings stand in, where they are given in full."""
    named = [check.id for check in report.checks]
    found = [finding.location.file for check in report.checks for finding in check.findings]
    return {file for file in (*named, *found) if file and PurePath(file).is_absolute()}


def _short_names(files: Iterable[str]) -> dict[str, str]:
    """What each file is called that stands elsewhere."""
    by_name: dict[str, list[str]] = {}
    for file in files:
        by_name.setdefault(PurePath(file).name, []).append(file)
    return {
        file: os.path.relpath(file, os.path.commonpath([str(PurePath(f).parent) for f in alike]))
        for alike in by_name.values()
        for file in alike
    }


def _start(path: str) -> str:
    return rf"(?<![\w.~/-]){re.escape(path)}"


def _pattern(folder: str) -> re.Pattern[str]:
    return re.compile(_start(folder) + r"(?P<below>/|(?![\w.-]))")


def _mapped(value: Any, patterns: list[tuple[re.Pattern[str], str]]) -> Any:
    if isinstance(value, str):
        for pattern, name in patterns:
            value = pattern.sub(partial(_renamed, name), value)
        return value
    if isinstance(value, list | tuple):
        return [_mapped(item, patterns) for item in value]
    if isinstance(value, dict):
        return {_mapped(key, patterns): _mapped(item, patterns) for key, item in value.items()}
    return value


def _renamed(name: str, found: re.Match[str]) -> str:
    below = found.groupdict().get("below")
    if name or below is None:
        return name + (below or "")
    return "" if below else "."
