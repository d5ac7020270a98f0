"""Reports, one module a format. Each renders the same `Report`, and none decides anything."""

from __future__ import annotations

from collections.abc import Callable

from genconform.finding import Report
from genconform.report import github, json, junit, sarif, text


def _html(report: Report) -> str:
    from genconform.report.html import render  # knows every meaning, which takes a while to import

    return render(report)


FORMATS: dict[str, Callable[[Report], str]] = {
    "text": text.render,
    "json": json.render,
    "junit": junit.render,
    "sarif": sarif.render,
    "github": github.render,
    "html": _html,
}
