"""The report as JSON, by spec/schemas/report.schema.json."""

from __future__ import annotations

import msgspec

from genconform.finding import Report


def render(report: Report) -> str:
    """Indented JSON; the same report gives the same bytes."""
    return msgspec.json.format(msgspec.json.encode(report), indent=2).decode() + "\n"
