"""Docs match behaviour: generated pages are fresh, links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from genconform.checks import plan
from genconform.spec.rules import load_rules
from genconform.tree import Tree
from scripts.generate_docs import pages

LINK = re.compile(r"\]\((?!https?://|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
ROOT = Path(__file__).parents[1]
MARKDOWN = sorted(
    path
    for pattern in ("*.md", "docs/**/*.md", "spec/*.md", "lean/**/*.md", "fixtures/**/*.md")
    for path in ROOT.glob(pattern)
)


def anchors(path: Path) -> set[str]:
    """The anchors that GitHub gives the headings of a page."""
    headings = HEADING.findall(path.read_text(encoding="utf-8"))
    return {
        re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings
    }


def test_generated_pages_are_fresh(tree: Tree) -> None:
    for name, text in pages(tree).items():
        assert (tree.root / name).read_text(encoding="utf-8") == text, (
            f"{name} is stale: run python -m scripts.generate_docs"
        )


@pytest.mark.parametrize("path", MARKDOWN, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path: Path) -> None:
    for target, anchor in LINK.findall(path.read_text(encoding="utf-8")):
        linked = path.parent / target if target else path
        assert linked.exists(), f"{path}: {target}"
        if anchor and linked.suffix == ".md":
            assert anchor in anchors(linked), f"{path}: {target}#{anchor}"


def test_every_rule_has_its_section(tree: Tree) -> None:
    for rule in load_rules(tree).values():
        page, _, anchor = rule.page.partition("#")
        assert anchor in anchors(tree.root / page), rule.id


def test_the_readme_names_every_check() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    names = [check.id for check in plan()]
    assert f"pass: {len(names)} of {len(names)} passed ({', '.join(names)})" in readme
