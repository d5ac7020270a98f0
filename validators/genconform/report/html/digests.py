"""The bound files as a tree of folders, each with its digest and whether it still has it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from genconform.finding import Report
from genconform.report.html.markup import Markup, tag

_SHORT = 12


def section(files: dict[str, str], report: Report) -> Markup:
    """The tree; folders in which something differs are open."""
    differing = {
        finding.location.file: finding.rule.rpartition(".")[2]
        for check in report.checks
        if check.id == "digests"
        for finding in check.findings
        if finding.location.file
    }
    every = {name: files.get(name, "") for name in sorted({*files, *differing})}
    return tag(
        "section",
        tag("h2", "Digests"),
        tag(
            "p",
            f"{len(files):,} files are bound by SHA-256; {len(differing):,} are not as bound. The "
            "digest shown is that of the manifest.",
        ),
        tag("ul", *_folder(_nested(every), "", every, differing), class_="tree"),
        id="digests",
    )


def _nested(files: dict[str, str]) -> dict[str, Any]:
    """Files by folder: a name stands for a folder's dictionary, or for None."""
    root: dict[str, Any] = {}
    for path in files:
        *folders, name = path.split("/")
        here = root
        for folder in folders:
            here = here.setdefault(f"{folder}/", {})
        here[name] = None
    return root


def _folder(
    here: dict[str, Any], prefix: str, files: dict[str, str], differing: dict[str, str]
) -> Iterator[Markup]:
    for name, below in here.items():
        path = prefix + name
        if below is None:
            yield _file(path, name, files[path], differing.get(path))
            continue
        inside = [each for each in files if each.startswith(path)]
        wrong = sum(each in differing for each in inside)
        said = f" {len(inside):,} files" + (f", {wrong:,} not as bound" if wrong else "")
        yield tag(
            "li",
            tag(
                "details",
                tag("summary", tag("b", name), tag("span", said, class_="faint")),
                tag("ul", *_folder(below, path, files, differing)),
                open=wrong > 0,
            ),
        )


def _file(path: str, name: str, digest: str, wrong: str | None) -> Markup:
    return tag(
        "li",
        name,
        " ",
        tag("code", digest[:_SHORT] or "not bound", title=digest or None, class_="faint"),
        tag("b", f" {wrong}", class_="missed") if wrong else "",
        data_row=True,
        data_bad=wrong is not None,
        title=path,
    )
