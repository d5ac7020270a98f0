"""The report as JSON, by spec/schemas/report.schema.json."""

from __future__ import annotations

from genconform.document import indented_json
from genconform.finding import Report


def render(report: Report) -> str:
    """Indented JSON; the same report gives the same bytes."""
    return indented_json(report)
