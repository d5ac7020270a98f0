"""The recorder, against a server of the tests' own on loopback."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from genconform.cli.endpoint import Endpoint
from genconform.errors import UsageError
from genconform.trace.observed.model import Observation
from genconform.trace.observed.stored import read_stored
from tests.conftest import CommandLine

PAUSE = 0.02


class Engine(BaseHTTPRequestHandler):
    """Streams three chunks of two tokens each, then what an engine reports of itself."""

    asked: list[dict[str, Any]]
    keys: list[str | None]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append({"path": self.path, **body})
        self.keys.append(self.headers.get("Authorization"))
        prompt = body.get("prompt") or body["messages"][0]["content"]
        if prompt == "fail":
            self.send_error(500)
            return
        self.send_response(200)
        if prompt == "plain":
            self._whole()
            return
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        chat = "messages" in body
        for place in range(3):
            time.sleep(PAUSE)
            text = f"word {place} "
            choice = {"delta": {"content": text}} if chat else {"text": text}
            self._send({"id": "c", "choices": [choice], "usage": None})
            if prompt == "break" and place == 1:
                return
            if prompt == "garble":
                self.wfile.write(b"data: {oops\n\n")
                return
        self._send({"choices": [{"finish_reason": "length"}]})
        self._send(
            {
                "id": "c",
                "model": "a-model",
                "choices": [],
                "usage": {"prompt_tokens": 5, "completion_tokens": 6, "total_tokens": 11},
                "timings": {"cache_n": 0, "prompt_n": 5, "predicted_n": 6, "draft_n": 4,
                            "draft_n_accepted": 3},
            }
        )  # fmt: skip
        self.wfile.write(b": a comment\n\ndata: [DONE]\n\n")

    def _whole(self) -> None:
        usage = {"prompt_tokens": 5, "completion_tokens": 1, "total_tokens": 6}
        answer = {"choices": [{"text": "whole", "finish_reason": "stop"}], "usage": usage}
        data = json.dumps(answer).encode()
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _send(self, value: Any) -> None:
        self.wfile.write(b"data: " + json.dumps(value).encode() + b"\n\n")
        self.wfile.flush()

    def log_message(self, *_: Any) -> None:
        """Print nothing."""


@pytest.fixture
def engine() -> Iterator[ThreadingHTTPServer]:
    Engine.asked, Engine.keys = [], []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Engine)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def url(server: ThreadingHTTPServer) -> str:
    return f"http://127.0.0.1:{server.server_port}/v1"


def observations(path: Path) -> list[Observation]:
    with path.open("rb") as stream:
        return [one.observation for one in read_stored(stream, path.name)]


def test_what_streams_is_timed_from_sending_and_kept_as_reported(
    engine: ThreadingHTTPServer, genconform_here: CommandLine, tmp_path: Path
) -> None:
    prompts, out, log = (tmp_path / name for name in ("prompts.txt", "out.jsonl", "log.jsonl"))
    prompts.write_text("first\n\nsecond\n")
    done = genconform_here(
        "trace", "record", "--base-url", url(engine), "--prompts", prompts, "--out", out,
        "--log", log, "--max-tokens", "6", "--public",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    one, two = observations(out)
    assert (one.id, two.id) == ("request-1", "request-2")
    assert (one.adapter, one.shape) == ("llama_cpp", "chat")
    assert one.output.text == "word 0 word 1 word 2 "
    assert one.request.prompt_text == "first"
    assert one.request.settings == {"seed": 1, "temperature": 0}
    assert one.each("promptTokens", "outputTokens", "maxNewTokens", "chunks") == (5, 6, 6, 3)
    assert one.each("proposedTokens", "acceptedTokens") == (4, 3)
    seconds, first = one.each("clientSeconds", "timeToFirstChunkSeconds") or (0, 0)
    arrivals = one.series("chunkArrivalMicroseconds")
    assert isinstance(arrivals, tuple)
    assert PAUSE <= first <= arrivals[1] / 1e6 <= arrivals[2] / 1e6 <= seconds
    assert arrivals[2] / 1e6 >= 3 * PAUSE
    asked = Engine.asked[0]
    assert asked["path"] == "/v1/completions"
    assert (asked["temperature"], asked["stream"], asked["max_tokens"]) == (0, True, 6)
    # What was recorded is judged, and pairs with itself, as any import is.
    assert genconform_here("trace", "check", out).returncode == 4
    again = tmp_path / "again.jsonl"
    assert genconform_here("trace", "import", log, "--public", "--out", again).returncode == 0
    assert [one.numbers for one in observations(again)] == [
        one.numbers for one in observations(out)
    ]  # fmt: skip
    paired = genconform_here("trace", "pair", out, again)
    assert "pair.requests.few" in paired.stdout
    assert "2 of 2 pairs compared, by clientSeconds" in paired.stdout


@pytest.mark.parametrize("prompt", ["break", "garble", "fail"])
def test_a_request_that_fails_is_recorded_as_that(
    prompt: str, engine: ThreadingHTTPServer, genconform_here: CommandLine, tmp_path: Path
) -> None:
    prompts, out = tmp_path / "prompts.txt", tmp_path / "out.jsonl"
    prompts.write_text(f"{prompt}\nfine\n")
    arguments = ["--base-url", url(engine), "--prompts", prompts, "--out", out, "--chat"]
    done = genconform_here("trace", "record", *arguments)
    assert done.returncode == 4
    assert "record.request.failed" in done.stdout
    failed, fine = observations(out)
    assert failed.told.aborted is True
    assert "outputTokens" not in failed.numbers
    assert failed.number("chunks") == {"break": 2, "garble": 1, "fail": 0}[prompt]
    assert fine.told.aborted is False


def test_a_response_that_does_not_stream_is_read_too(engine: ThreadingHTTPServer) -> None:
    record = Endpoint.at(url(engine), 5).ask({"prompt": "plain"}).record("r")
    assert record["choices"][0]["text"] == "whole"
    assert record["usage"]["completion_tokens"] == 1
    assert record["_client"]["aborted"] is False


def test_nobody_listening_is_a_failed_request() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Engine)
    server.server_close()
    record = Endpoint.at(url(server), 5).ask({"prompt": "x"}).record("r")
    assert "ConnectionRefusedError" in record["_client"]["error"]


def test_a_key_is_sent_and_never_written(
    engine: ThreadingHTTPServer,
    genconform_here: CommandLine,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("A_KEY", "not-to-be-seen")
    prompts, out, log = (tmp_path / name for name in ("prompts.jsonl", "out.jsonl", "log.jsonl"))
    prompts.write_text('{"messages": [{"role": "user", "content": "hello"}], "seed": 7}\n')
    done = genconform_here(
        "trace", "record", "--base-url", url(engine), "--prompts", prompts, "--out", out,
        "--log", log, "--key-variable", "A_KEY", "--model", "a-model",
    )  # fmt: skip
    assert done.returncode == 0
    assert Engine.keys == ["Bearer not-to-be-seen"]
    assert Engine.asked[0]["seed"] == 7
    for text in (done.stdout, done.stderr, out.read_text(), log.read_text()):
        assert "not-to-be-seen" not in text


@pytest.mark.parametrize(
    ("prompts", "arguments", "code"),
    [
        ("hello\n", ["--base-url", "ftp://example.org"], 2),
        ("hello\n", ["--key-variable", "NO_SUCH_VARIABLE_HERE"], 2),
        ("\n", [], 2),
    ],
)
def test_wrong_usage(
    prompts: str, arguments: list[str], code: int, genconform_here: CommandLine, tmp_path: Path
) -> None:
    path = tmp_path / "prompts.txt"
    path.write_text(prompts)
    base = [] if "--base-url" in arguments else ["--base-url", "http://127.0.0.1:9"]
    done = genconform_here(
        "trace", "record", *base, "--prompts", path, "--out", tmp_path / "o", *arguments
    )
    assert done.returncode == code


def test_a_line_that_is_no_request_is_malformed(
    genconform_here: CommandLine, tmp_path: Path
) -> None:
    path = tmp_path / "prompts.jsonl"
    for text in ('{"prompt": "x", "messages": []}', "{}", "hello", "[1]"):
        path.write_text(text + "\n")
        arguments = ["--base-url", "http://127.0.0.1:9", "--prompts", path, "--out", tmp_path / "o"]
        assert genconform_here("trace", "record", *arguments).returncode == 3


def test_an_url_without_host_is_refused() -> None:
    for text in ("127.0.0.1:8080", "http://", "file:///etc"):
        with pytest.raises(UsageError):
            Endpoint.at(text, 1)
