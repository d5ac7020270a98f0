"""Replays of other suites that records bind: in this process, or as a process of their own.

A process replays each suite of a tree once, and sees the tree as it was then: a suite with many
fixtures would otherwise replay others for each of them.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import msgspec

from genconform.digest.canonical import sha256_hex
from genconform.document import read_bytes
from genconform.errors import Unsupported
from genconform.finding import CheckResult
from genconform.suites import suites_named
from genconform.suites.replay import replay
from genconform.tree import Tree

_LIMIT_SECONDS = 120


@dataclass(frozen=True)
class Ran:
    """What a validator said when it ran as a process of its own."""

    exit_code: int
    output_sha256: str
    output: bytes

    @property
    def check(self) -> dict[str, Any]:
        """The one check of its report; empty if it gave none."""
        try:
            checks = msgspec.json.decode(self.output)["checks"]
            return dict(checks[0])
        except (msgspec.DecodeError, KeyError, IndexError, TypeError):
            return {}


def command(suite: str) -> str:
    """The command that replays a suite, as a person would type it."""
    return f"genconform replay {suite} --format json"


@lru_cache
def replayed(suite: str, tree: Tree) -> CheckResult:
    """What replaying a suite in this process comes to.

    Raises:
        UsageError: there is no such suite.
    """
    return replay(suites_named([suite])[0], tree)


@lru_cache
def ran(suite: str, tree: Tree) -> Ran:
    """What replaying a suite in a process of its own comes to.

    Raises:
        Unsupported: the process did not end in time.
    """
    root = [] if tree.packages else ["--root", str(tree.root)]
    arguments = [sys.executable, "-P", "-m", "genconform", *command(suite).split()[1:], *root]
    try:
        done = subprocess.run(arguments, capture_output=True, timeout=_LIMIT_SECONDS, check=False)
    except subprocess.TimeoutExpired as error:
        raise Unsupported(
            f"`{command(suite)}` did not end within {_LIMIT_SECONDS} seconds"
        ) from error
    return Ran(done.returncode, sha256_hex(done.stdout), done.stdout)


def sha256_of(path: str, tree: Tree) -> str:
    """The digest of a file of the tree, or a word that it is not there."""
    file = tree.path(path)
    return sha256_hex(read_bytes(file, path)) if file.is_file() else "no such file"
