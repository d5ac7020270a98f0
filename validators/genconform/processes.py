"""Work in several processes, all of which end with the one that asked for it, however that ends.

An interrupt is the asking process's to handle: the others do not see it, so that none of them
prints a traceback of its own, and are ended by it together with all that they started.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from contextlib import contextmanager, suppress
from multiprocessing import active_children, get_context, parent_process, resource_tracker
from multiprocessing.process import BaseProcess
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any, TypeVar

_I = TypeVar("_I")
_R = TypeVar("_R")
_in_group = False
"""Whether this process was started here, and so is in a group that ends as one."""


def in_processes(
    count: int,
    work: Callable[[_I], _R],
    items: Iterable[_I],
    *,
    prepare: Callable[..., object] | None = None,
    given: tuple[Any, ...] = (),
) -> Generator[tuple[_I, Future[_R]]]:
    """Do `work` on each item in up to `count` processes; yields each as it is done.

    Every process calls `prepare(*given)` once before. Whoever leaves early, be it by an exception,
    must close the iterator, which ends the processes and whatever they have started.
    """
    _run_tracker()
    before = set(active_children())
    with TemporaryDirectory(prefix="genconform-") as folder:
        pool = ProcessPoolExecutor(
            count,
            mp_context=get_context("spawn"),
            initializer=_begin,
            initargs=(not _in_group, folder, prepare, given),
        )
        with pool:
            try:
                with _interrupts_held_back():
                    asked = {pool.submit(work, item): item for item in items}
                for future in as_completed(asked):
                    yield asked[future], future
            except BaseException:
                _end(set(active_children()) - before)
                raise


def _run_tracker() -> None:
    """Let what frees the semaphores of killed processes not warn of having done so."""
    sys.warnoptions.append("ignore:resource_tracker:UserWarning")
    try:
        resource_tracker.ensure_running()
    finally:
        sys.warnoptions.pop()


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Hold back interrupts here for a while, and for good in the processes that begin meanwhile."""
    held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, held)


def _begin(
    leads: bool, folder: str, prepare: Callable[..., object] | None, given: tuple[Any, ...]
) -> None:
    """The beginning of a process; one that leads has a group, in which all that it starts is.

    What it leaves in the folder for temporary files goes with the process that asked.
    """
    global _in_group
    _in_group = True
    if leads:
        os.setpgid(0, 0)
    os.environ["TMPDIR"] = tempfile.tempdir = folder
    Thread(target=_end_with_parent, daemon=True).start()
    if prepare is not None:
        prepare(*given)


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os.killpg(0, signal.SIGKILL)


def _end(processes: Iterable[BaseProcess]) -> None:
    for process in processes:
        pid = process.pid
        assert pid is not None
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
        process.kill()  # it may not lead its group yet
