"""Work in several processes: all of it is done, and nothing outlives the one that asked."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from genconform.processes import in_processes

_SECONDS = 30
"""In which a process ends that has nothing more to do, however busy the machine is."""


def squared(number: int) -> int:
    return number * number


def stay(folder: str) -> None:
    """Leave a temporary file and a process behind that stays, say so, and stay."""
    left = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    tempfile.mkstemp(prefix="left-")
    Path(folder, "part").write_text(f"{os.getpid()} {left.pid} {tempfile.gettempdir()}")
    Path(folder, "part").rename(Path(folder, "told"))
    time.sleep(600)


@pytest.fixture(autouse=True)
def _interruptible() -> Iterator[None]:
    """Let what the tests start be interrupted, also where they run in the background.

    A shell lets its background jobs ignore SIGINT, and what they start ignores it too.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def ended(pid: int) -> bool:
    """Whether a process is gone, or has ended and waits for somebody to take note."""
    state = Path(f"/proc/{pid}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z"


def wait_for(path: Path) -> str:
    until = time.monotonic() + _SECONDS
    while not path.exists():
        assert time.monotonic() < until
        time.sleep(0.01)
    return path.read_text()


def test_every_item_is_done_once() -> None:
    with closing(in_processes(2, squared, range(20))) as work:
        assert {item: done.result() for item, done in work} == {n: n * n for n in range(20)}


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
def test_nothing_outlives_the_process_that_asked(tmp_path: Path, sent: signal.Signals) -> None:
    program = (
        "import sys\n"
        "from genconform.processes import in_processes\n"
        "from tests.test_processes import stay\n"
        "list(in_processes(1, stay, [sys.argv[1]]))\n"
    )
    asking = subprocess.Popen([sys.executable, "-c", program, tmp_path], stderr=subprocess.PIPE)
    worker, left, folder = wait_for(tmp_path / "told").split()
    asking.send_signal(sent)
    asking.communicate(timeout=_SECONDS)
    until = time.monotonic() + _SECONDS
    while not (ended(int(worker)) and ended(int(left))):
        assert time.monotonic() < until
        time.sleep(0.01)
    if sent is signal.SIGINT:
        assert not Path(folder).exists()


@pytest.mark.parametrize("after_seconds", [0.5, 2.5])
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_validate_all_says_one_line_and_ends_at_once(
    after_seconds: float, sent: signal.Signals, code: int
) -> None:
    arguments = ["--only", "agreement", "--only", "mutations", "--no-cache", "--jobs", "2"]
    running = subprocess.Popen(
        [sys.executable, "-m", "genconform", "validate-all", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    time.sleep(after_seconds)
    # As a terminal does: everything that it started gets the signal too.
    os.killpg(running.pid, sent)
    # Both pipes end only when nobody who could write to them is left.
    stdout, stderr = running.communicate(timeout=_SECONDS)
    if after_seconds > 1:  # before that Python itself may not have come up yet
        assert running.returncode == code
        assert stderr.strip() == ("genconform: interrupted" if sent is signal.SIGINT else "")
    assert stdout == ""
