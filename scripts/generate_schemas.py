"""Write spec/schemas/*.schema.json, the JSON Schemas (2020-12) of the types that read documents.

Run it after a change to such a type; a test fails while a schema is stale.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from genconform.catalogue.entries import CATALOGUES
from genconform.cli.config import Config
from genconform.cli.lifecycle import Answer, Enumeration, ListedRoutes
from genconform.cli.modes import Selected
from genconform.cli.roof import RoofAnswer
from genconform.digest.manifest import Manifest
from genconform.explain.topic import Topic
from genconform.finding import Report
from genconform.lifecycle.packet import Event, State
from genconform.mutation.author import AuthorSuite
from genconform.spec.modes import Mode, ModeRegistry
from genconform.suites import all_suites
from genconform.suites.freetext import Conversion
from genconform.suites.generation_mode import GenerationModeRecord, ResourceBudgetRecord
from genconform.suites.record import RecordSuite
from genconform.trace.format import EVENTS, Header, TraceEvent
from genconform.trace.observed.stored import ObservationHeader
from genconform.tree import find_tree
from genconform_probe.summary import Recorded

FOLDER = "spec/schemas"
_DIALECT = "https://json-schema.org/draft/2020-12/schema"

TYPES: dict[str, Any] = {
    "state": State,
    "event": Event,
    "trace-header": Header,
    "trace-event": TraceEvent,
    "trace-observation": ObservationHeader,
    "mutation-suite": AuthorSuite,
    "manifest": Manifest,
    "report": Report,
    "timings": dict[str, float],
    "config": Config,
    "routes": ListedRoutes,
    "route-answer": Answer,
    "enumeration": Enumeration,
    "topics": tuple[Topic, ...],
    "conversion": Conversion,
    "roof": RoofAnswer,
    "mode-list": tuple[Mode, ...],
    "mode-answer": Selected,
    "recorded": Recorded,
    "generation-mode": GenerationModeRecord,
    "resource-budget": ResourceBudgetRecord,
    "modes": ModeRegistry,
    **{f"entry-of-{catalogue.name}": catalogue.entry for catalogue in CATALOGUES},
}
"""The type that reads a document, by the name of its schema. Those of suites follow from them."""


def types() -> dict[str, Any]:
    """Every type that has a schema, by the schema's name."""
    suites = (suite for suite in all_suites() if isinstance(suite, RecordSuite))
    return TYPES | evidence() | {suite.name: suite.rules.record for suite in suites}


def evidence() -> dict[str, Any]:
    """The type of each event kind's evidence in a trace."""
    fields = {kind: msgspec.structs.fields(kind) for kind in EVENTS}
    return {
        f"evidence-{kind.kind.value}": next(f.type for f in own if f.name == "evidence")
        for kind, own in fields.items()
    }


def schemas() -> dict[str, str]:
    """The text of each schema, by its path in a checkout."""
    return {f"{FOLDER}/{name}.schema.json": schema(name, type_) for name, type_ in types().items()}


def schema(name: str, type_: Any) -> str:
    """The schema of one type."""
    head = {
        "$schema": _DIALECT,
        "$id": f"urn:genconform:schema:{name}",
        "title": name,
    }
    written = msgspec.json.encode(head | _standard(msgspec.json.schema(type_)))
    return msgspec.json.format(written, indent=1).decode() + "\n"


def _standard(schema: Any) -> Any:
    """Without what says nothing to a validator: OpenAPI's `discriminator`, and empty defaults."""
    if isinstance(schema, dict):
        said = {key: value for key, value in schema.items() if (key, value) != ("default", {})}
        return {key: _standard(value) for key, value in said.items() if key != "discriminator"}
    return [_standard(item) for item in schema] if isinstance(schema, list) else schema


def main() -> None:
    """Write the schemas."""
    root = Path(find_tree().root)
    for path, text in schemas().items():
        (root / path).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
