"""What MkDocs is told about this project: its hooks, named in mkdocs.yml.

Pages stand in the site under their path in a checkout, so that links between them are those that a
checkout has. A file that is no page and is linked comes along as text, a folder as the list of its
files. Every topic gets a page of its own, the words of `genconform explain`: it is made when the
site is built, and so is never stale.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page

from genconform.explain.library import Library
from genconform.explain.registries import SCHEMAS
from genconform.explain.topic import Kind, Reference, Topic
from genconform.explain.written import as_markdown, plural
from genconform.tree import find_tree

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/**/*.md", "spec/*.md")
PICTURES = ("docs/*.svg", "docs/*.png")
_SHOWN_BYTES_AT_MOST = 1024 * 1024
_LINK = re.compile(r"(\]\()(?!https?://|mailto:|#)([^)#\s]+)")
_FENCE_WITH_PATH = re.compile(r"^```(\w+) ((?:>> )?\S+)$", re.MULTILINE)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Every page, the page of every topic, and what any of them links to; the theme's as it is."""
    found = {path: File.generated(config, path, content=text) for path, text in _topic_pages()}
    waiting = [*_existing((*PAGES, *PICTURES)), *_linked(found)]
    while waiting:
        path = waiting.pop()
        place = ROOT / path
        target = f"{path}/index.md" if place.is_dir() else path
        if target in found or not place.exists():
            continue
        if place.is_dir():
            found[target] = File.generated(config, target, content=_listing(place))
        else:
            found[target] = _placed(target, config)
        waiting += _linked({target: found[target]})
    theme = (file for file in files if file.src_dir != config.docs_dir)
    return Files([*found.values(), *theme])


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links to folders lead to their lists; a fenced file has its path for a title."""
    base = PurePosixPath(page.file.src_uri).parent

    def lead(found: re.Match[str]) -> str:
        path = _resolved(base, found[2])
        return f"{found[1]}{found[2].rstrip('/')}/index.md" if (ROOT / path).is_dir() else found[0]

    titled = _FENCE_WITH_PATH.sub(r'```\1 title="\2"', markdown)
    return _outside_code(titled, lambda text: _LINK.sub(lead, text))


# --- files


def _existing(patterns: tuple[str, ...]) -> Iterator[str]:
    for pattern in patterns:
        for path in sorted(ROOT.glob(pattern)):
            yield path.relative_to(ROOT).as_posix()


def _linked(files: Mapping[str, File]) -> Iterator[str]:
    """The paths that pages among the files link to."""
    for path, file in files.items():
        if file.is_documentation_page():
            base = PurePosixPath(path).parent
            for _, target in _LINK.findall(file.content_string):
                yield _resolved(base, target)


def _placed(path: str, config: MkDocsConfig) -> File:
    """A file of the checkout. What is not shown by a browser as it is comes as text."""
    dest = None
    if PurePosixPath(path).suffix not in {".md", ".svg", ".png"}:
        dest = f"files/{path}.txt"
    return File(
        path,
        str(ROOT),
        config.site_dir,
        config.use_directory_urls,
        dest_uri=dest,
        inclusion=InclusionLevel.INCLUDED,  # one whose name begins with a dot, too
    )


def _resolved(base: PurePosixPath, target: str) -> str:
    return normpath(str(base / target))


def _listing(folder: Path) -> str:
    """A folder as a page: the list of what it holds, with links but to what is large."""
    names = sorted(
        path.name + "/" * path.is_dir()
        for path in folder.iterdir()
        if not path.name.startswith((".", "__"))
    )
    title = f"# {folder.relative_to(ROOT).as_posix()}/"
    return "\n".join([title, "", *(f"- {_entry(folder / name, name)}" for name in names), ""])


def _entry(path: Path, name: str) -> str:
    large = path.is_file() and path.stat().st_size > _SHOWN_BYTES_AT_MOST
    return f"`{name}`" if large else f"[{name}]({name})"


def _outside_code(markdown: str, change: Callable[[str], str]) -> str:
    """Change Markdown, but not what stands in fenced code."""
    parts = re.split(r"(^```.*?^```$)", markdown, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if place % 2 else change(part) for place, part in enumerate(parts))


# --- topics


@cache
def _library() -> Library:
    return Library(find_tree())


def page_of(reference: Reference) -> str:
    """The path of a topic's page."""
    return f"docs/{reference.kind.folder}/{reference.name}.md"


def _topic_pages() -> Iterator[tuple[str, str]]:
    """The page of each topic, and the list of them all."""
    for topic in _library().topics.values():
        yield page_of(topic.reference), _page(topic)
    yield "docs/topics.md", "\n".join(_list())


def _page(topic: Topic) -> str:
    here = PurePosixPath(page_of(topic.reference)).parent

    def link(reference: Reference) -> str:
        return relpath(page_of(reference), here)

    text = as_markdown(topic, link)
    return f"{text}\n{_fields(topic.name)}" if topic.kind is Kind.FORMAT else text


def _fields(name: str) -> str:
    """The fields of a format, as far as its schema names them, with those of its parts."""
    path = ROOT / SCHEMAS / f"{name}.schema.json"
    schema = json.loads(path.read_text(encoding="utf-8"))
    parts = {name: schema, **schema.get("$defs", {})}
    tables = (_table(title, part) for title, part in parts.items() if part.get("properties"))
    return "\n\n".join(["## Its fields", *tables]) + "\n"


def _table(title: str, part: dict[str, Any]) -> str:
    rows = [f"### {title}\n", "| field | type | required | |", "|---|---|---|---|"]
    for field, of in part["properties"].items():
        needed = "yes" if field in part.get("required", []) else "no"
        said = " ".join(str(of.get("description", "")).split()).replace("|", "\\|")
        rows.append(f"| `{field}` | {_type(of)} | {needed} | {said} |")
    return "\n".join(rows)


def _type(of: dict[str, Any]) -> str:
    """What a value may be, in a few words."""
    if "$ref" in of:
        return str(of["$ref"]).rpartition("/")[2]
    if "anyOf" in of:
        return " or ".join(map(_type, of["anyOf"]))
    if "const" in of or "enum" in of:
        return ", ".join(f"`{value}`" for value in of.get("enum", [of.get("const")]))
    if of.get("type") == "array" and isinstance(of.get("items"), dict):
        return f"list of {_type(of['items'])}"
    return str(of.get("type", "any"))


def _list() -> Iterator[str]:
    yield "# Every name\n"
    yield "What `genconform explain NAME` says of each, as a page.\n"
    for kind in Kind:
        yield f"## {plural(kind).capitalize()}\n"
        for topic in _library().kind(kind):
            yield f"- [{topic.name}]({relpath(page_of(topic.reference), 'docs')})"
        yield ""
