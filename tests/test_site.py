"""The docs site builds without a warning, has a page for every name, and every link leads on."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest

from genconform.explain.library import Library
from genconform.explain.topic import Kind
from genconform.tree import Tree

pytest.importorskip("mkdocs", reason="the site needs the extra docs")

ROOT = Path(__file__).parents[1]
_TARGET = re.compile(r'(?:href|src)="([^"]+)"')
_ID = re.compile(r'\bid="([^"]+)"')
_FETCHED = re.compile(r'<(?:script|link|img|iframe)\b[^>]*(?:href|src)="(?:https?:)?//')
_ELSEWHERE = ("https://", "data:", "javascript:")


def build(config: Path, site: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", str(config), "-d", site],
        cwd=config.parent,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_site(tmp_path: Path, tree: Tree) -> None:
    """One test, for it is built once: what is said of it stands below."""
    done = build(ROOT / "mkdocs.yml", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    every_name_has_a_page(tmp_path, tree)
    every_link_leads_somewhere(tmp_path)
    nothing_is_fetched_from_elsewhere(tmp_path)


def every_name_has_a_page(site: Path, tree: Tree) -> None:
    from scripts.site import page_of

    topics = Library(tree).topics
    pages = {page_of(reference) for reference in topics}
    assert len(pages) == len(topics)
    for reference, topic in topics.items():
        text = (site / page_of(reference)).with_suffix(".html").read_text(encoding="utf-8")
        assert f">{topic.name}<a" in text
    text = (site / "docs/formats/manifest.html").read_text(encoding="utf-8")
    assert "<td><code>canonicalSha256</code></td>" in text
    assert set(Kind) == {reference.kind for reference in topics}


def every_link_leads_somewhere(site: Path) -> None:
    ids: dict[Path, set[str]] = {}
    for page in site.rglob("*.html"):
        ids[page] = set(_ID.findall(page.read_text(encoding="utf-8")))
    for page in ids:
        if page.name == "404.html":  # stands for any path, so that its links are absolute
            continue
        for target in _TARGET.findall(page.read_text(encoding="utf-8")):
            if target.startswith(_ELSEWHERE):
                continue
            path, anchor = urldefrag(unquote(target))
            assert not re.match(r"\w+:|/", path), f"{page}: {target}"
            linked = (page.parent / path).resolve() if path else page
            linked = linked / "index.html" if linked.is_dir() else linked
            assert linked.exists(), f"{page}: {target}"
            assert not anchor or anchor.startswith("__") or anchor in ids.get(linked, ()), target


def nothing_is_fetched_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        assert not _FETCHED.search(page.read_text(encoding="utf-8")), page


def test_a_link_that_leads_nowhere_breaks_the_build(tmp_path: Path) -> None:
    """With the smallest project that uses the hooks' validation: the settings are what counts."""
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    kept = settings[settings.index("validation:") : settings.index("nav:")]
    (tmp_path / "mkdocs.yml").write_text(f"site_name: broken\n{kept}", encoding="utf-8")
    pages = tmp_path / "docs"
    pages.mkdir()
    for link, code in {"index.md": 0, "no-such.md": 1, "#no-such": 1, "no-such/": 1}.items():
        (pages / "index.md").write_text(f"# Title\n\n[link]({link})\n", encoding="utf-8")
        assert build(tmp_path / "mkdocs.yml", tmp_path / "site").returncode == code, link
        shutil.rmtree(tmp_path / "site", ignore_errors=True)
