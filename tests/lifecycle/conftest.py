"""What the tests of the lifecycle share: the table, and ways to ask about any case."""

from __future__ import annotations

import pytest

from genconform.document import Document, read_document
from genconform.spec.table import TABLE_PATH, Table, parse_table
from genconform.tree import Tree


@pytest.fixture(scope="session")
def document(tree: Tree) -> Document:
    return read_document(tree.path(TABLE_PATH), TABLE_PATH)


@pytest.fixture(scope="session")
def table(document: Document) -> Table:
    return parse_table(document)
