"""`genconform doctor`: what is installed, what is missing, and the command that mends it."""

from __future__ import annotations

import platform
import shutil
from pathlib import Path

import click

from genconform.cli.options import give, reporting, rooted
from genconform.context import Context
from genconform.digest.check import run as check_digests
from genconform.digest.tools import installed_version, requirements
from genconform.finding import CheckResult, Verdict, report_of
from genconform.tree import Tree

NEEDED = {
    "probe": "to run real models",
    "lean": "to check the proofs",
    "attest": "to write and verify statements",
}
OPTIONAL = {
    "fast": "for a faster bulk engine",
    "bench": "for the benchmarks",
    "docs": "to build the docs site",
    "dev": "for the tests",
}


@click.command()
@rooted
@reporting
def doctor(tree: Tree, format_: str, output: Path | None) -> None:
    """Say what is installed, what is missing, and the one command that mends it.

    Exits 0 when everything that the checks need is here, 1 when the tree is not as it was bound,
    and 4 when something is missing.
    """
    results = [_base(), *map(_extra, NEEDED | OPTIONAL), _tree(tree)]
    give(report_of(results), format_, output)


def _base() -> CheckResult:
    missing, installed = _packages(None)
    python = f"Python {platform.python_version()}"
    if missing:
        return _missing("genconform", f"{', '.join(missing)} missing", "genconform")
    return _found("genconform", [python, *installed])


def _extra(extra: str) -> CheckResult:
    missing, installed = _packages(extra)
    if extra == "lean" and missing and shutil.which("lake"):
        return _found(extra, ["the Lean toolchain on the PATH"])
    if installed and not missing:
        return _found(extra, installed)
    what = ", ".join(missing) or "packages"
    said = f"{what} missing, {(NEEDED | OPTIONAL)[extra]}"
    return _missing(extra, said, f"'genconform[{extra}]'")


def _packages(extra: str | None) -> tuple[list[str], list[str]]:
    """What an extra, or the base, asks for: the names that are missing, and what is installed."""
    missing, installed = [], []
    for name in sorted(name for name, of in requirements() if of == extra):
        found = installed_version(name)
        if found is None:
            missing.append(name)
        else:
            installed.append(f"{name} {found}")
    return missing, installed


def _found(name: str, installed: list[str]) -> CheckResult:
    return CheckResult(name, Verdict.PASS, {}, note=", ".join(installed))


def _missing(name: str, said: str, install: str) -> CheckResult:
    verdict = Verdict.NOT_APPLICABLE if name in OPTIONAL else Verdict.UNSUPPORTED
    return CheckResult(name, verdict, {}, note=f"{said}: python -m pip install {install}")


def _tree(tree: Tree) -> CheckResult:
    """The tree as a whole; which files are not as they were bound is for `digest verify` to say."""
    result = check_digests(Context(tree))
    note = "" if result.verdict is Verdict.PASS else "see which: genconform digest verify"
    return CheckResult("tree", result.verdict, result.counts, note=note)
