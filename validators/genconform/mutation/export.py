"""The table's mutants in the mutation-testing-elements schema, version 2.

Viewers and dashboards of mutation tests read it. The file is spec/lifecycle.yaml, and each mutant
stands at the lines that it changes. An equivalent mutant is `Ignored`, with its proof as reason.
The schema: https://github.com/stryker-mutator/mutation-testing-elements, packages/report-schema.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from genconform import __version__
from genconform.document import Document, indented_json, read_bytes, read_document
from genconform.mutation.score import Judged, Outcome, Test
from genconform.spec.table import TABLE_PATH
from genconform.tree import Tree

SCHEMA_VERSION = "2"
_STATUS = {
    Outcome.KILLED: "Killed",
    Outcome.EQUIVALENT: "Ignored",
    Outcome.SURVIVED: "Survived",
}


def render_export(
    tree: Tree, judged: Sequence[Judged], tests: Iterable[Test], threshold: float
) -> str:
    """The report as JSON; `threshold`, in percent, is the score below which it counts as low."""
    path = tree.path(TABLE_PATH)
    source = read_bytes(path, TABLE_PATH).decode()
    places = _Places(source, read_document(path, TABLE_PATH))
    exported = {
        "schemaVersion": SCHEMA_VERSION,
        "thresholds": {"high": 100, "low": int(threshold)},
        "framework": {"name": "genconform", "version": __version__},
        "files": {
            TABLE_PATH: {
                "language": "yaml",
                "source": source,
                "mutants": [_mutant(one, places) for one in judged],
            }
        },
        "testFiles": _test_files(tests),
    }
    return indented_json(exported)


class _Places:
    """Where the values of a YAML file begin and end."""

    def __init__(self, source: str, document: Document) -> None:
        self._text = source.splitlines()
        self._first = document.lines
        self._last: dict[str, int] = defaultdict(int)
        for pointer, line in document.lines.items():
            while pointer:
                self._last[pointer] = max(line, self._last[pointer])
                pointer = pointer.rpartition("/")[0]

    def of(self, pointer: str) -> dict[str, dict[str, int]]:
        """The first and last place of a value, lines and columns from 1, the end exclusive."""
        first, last = self._first[pointer], self._last[pointer]
        begins = self._text[first - 1]
        column = len(begins) - len(begins.lstrip()) + 1
        return {
            "start": {"line": first, "column": column},
            "end": {"line": last, "column": len(self._text[last - 1]) + 1},
        }


def _mutant(one: Judged, places: _Places) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "id": one.mutant.id,
        "mutatorName": one.mutant.operator,
        "description": one.mutant.description,
        "location": places.of(one.mutant.pointer),
        "status": _STATUS[one.outcome],
    }
    if one.kill is not None:
        shown["killedBy"] = [one.kill.test]
        shown["statusReason"] = f"expected {one.kill.expected}, got {one.kill.actual}"
    if one.proof is not None:
        shown["statusReason"] = f"equivalent: {one.proof.cases} cases visited, all the same"
    return shown


def _test_files(tests: Iterable[Test]) -> dict[str, dict[str, Any]]:
    files: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for test in tests:
        shown: dict[str, Any] = {"id": test.id, "name": test.id}
        if test.location.line is not None:
            shown["location"] = {"start": {"line": test.location.line, "column": 1}}
        files[test.location.file or ""].append(shown)
    return {name: {"tests": shown} for name, shown in files.items()}
