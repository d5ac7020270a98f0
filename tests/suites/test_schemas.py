"""The JSON Schemas of records are fresh, and refuse what the types refuse."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import msgspec
import pytest

from genconform.suites import VALID
from genconform.suites.record import RecordSuite
from genconform.tree import Tree
from scripts.generate_schemas import schemas
from tests.suites.test_rules import SUITES, changes, enums_of


def test_schemas_are_fresh(tree: Tree) -> None:
    for name, text in schemas().items():
        assert tree.path(name).read_text(encoding="utf-8") == text, (
            f"{name} is stale: run scripts/generate_schemas.py"
        )


@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.name)
def test_schema_and_type_refuse_the_same(suite: RecordSuite[Any], tree: Tree) -> None:
    path = tree.path(f"spec/schemas/{suite.name}.schema.json")
    schema = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    fixture = suite.fixtures(tree, VALID)[0]
    assert validator.is_valid(fixture.document.value)
    tried = [value for _, _, value in changes(fixture.document.value, enums_of(suite.rules.record))]
    step = max(1, len(tried) // 150)
    for value in tried[::step]:
        assert validator.is_valid(value) == fits(suite, value)


def fits(suite: RecordSuite[Any], value: Any) -> bool:
    try:
        msgspec.convert(value, suite.rules.record)
    except msgspec.ValidationError:
        return False
    return True
