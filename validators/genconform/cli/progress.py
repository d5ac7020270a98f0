"""A progress bar for work that turns out to take long."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

from rich.console import Console
from rich.progress import Progress

_T = TypeVar("_T")
_PATIENCE_SECONDS = 2.0


def watched(items: Iterable[_T], total: int, what: str) -> Iterator[_T]:
    """The items, with a bar on a terminal's standard error once they took two seconds."""
    start = time.monotonic()
    bar = Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty())
    task = bar.add_task(what, total=total)
    try:
        for done, item in enumerate(items, 1):
            yield item
            if not bar.live.is_started and time.monotonic() - start > _PATIENCE_SECONDS:
                bar.start()
            bar.update(task, completed=done)
    finally:
        bar.stop()
