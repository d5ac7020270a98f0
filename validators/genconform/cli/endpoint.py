"""A thin client of OpenAI-compatible endpoints: one request at a time, streamed and timed.

It knows nothing of verdicts. What it gives is a record as an adapter reads it: the response put
together from its chunks, and beside it the request and what the client's clock saw.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any
from urllib.parse import SplitResult, urlsplit

from msgspec import Struct

from genconform.errors import UsageError

Json = dict[str, Any]
_MOST_LINE_BYTES = 16 * 1024 * 1024
_DONE = b"[DONE]"


class Endpoint(Struct, frozen=True):
    """Where to ask: the base URL, the seconds to wait for each piece, and a key that is kept."""

    url: SplitResult
    timeout_seconds: float
    key: str = ""

    @classmethod
    def at(cls, base_url: str, timeout_seconds: float, key: str = "") -> Endpoint:
        """The endpoint at a base URL such as http://127.0.0.1:8080/v1.

        Raises:
            UsageError: it is no HTTP URL.
        """
        url = urlsplit(base_url)
        if url.scheme not in ("http", "https") or not url.hostname:
            raise UsageError(f"no HTTP URL: {base_url}", expected="http://HOST:PORT/v1")
        return cls(url, timeout_seconds, key)

    def _connection(self) -> HTTPConnection:
        kind = HTTPSConnection if self.url.scheme == "https" else HTTPConnection
        return kind(str(self.url.hostname), self.url.port, timeout=self.timeout_seconds)

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "text/event-stream"}
        return headers | ({"Authorization": f"Bearer {self.key}"} if self.key else {})

    def ask(self, body: Json) -> Answer:
        """Send one request, and read its stream to the end. A failure is part of the answer."""
        route = "chat/completions" if "messages" in body else "completions"
        path = f"{self.url.path.rstrip('/')}/{route}"
        answer = Answer(body)
        connection = self._connection()
        try:
            answer.begin()
            connection.request("POST", path, json.dumps(body).encode(), self._headers())
            response = connection.getresponse()
            if response.status != 200:
                answer.error = f"HTTP {response.status}"
                return answer
            for event in _events(response):
                answer.add(event)
            if not answer.ended:
                answer.error = "the stream ended early"
        except (OSError, HTTPException, ValueError) as error:
            answer.error = f"{type(error).__name__}: {error}".rstrip(": ")
        finally:
            answer.end()
            connection.close()
        return answer


def _events(response: HTTPResponse) -> Iterator[bytes]:
    """The data of a stream's events, each as it arrives; of a plain response, the whole of it."""
    if "event-stream" not in (response.getheader("Content-Type") or ""):
        yield response.read(_MOST_LINE_BYTES)
        yield _DONE
        return
    while line := response.readline(_MOST_LINE_BYTES):
        if line.startswith(b"data:"):
            yield line.removeprefix(b"data:").strip()


class Answer:
    """What came back for one request, while it comes, and when by the client's clock."""

    def __init__(self, body: Json) -> None:
        self.error = ""
        self.ended = False
        self._body = body
        self._arrivals: list[float] = []
        self._texts: list[str] = []
        self._finish: str | None = None
        self._top: Json = {}
        self._start = self._stop = 0.0

    def begin(self) -> None:
        """The request is about to be sent."""
        self._start = time.monotonic()

    def end(self) -> None:
        """Nothing more comes."""
        self._stop = time.monotonic()

    def add(self, data: bytes) -> None:
        """Take one event in.

        Raises:
            ValueError: it is no JSON object.
        """
        now = time.monotonic()
        if data == _DONE:
            self.ended = True
            return
        chunk = json.loads(data)
        if not isinstance(chunk, dict):
            raise ValueError("an event is no JSON object")
        for choice in chunk.pop("choices", None) or ():
            self._take(choice, now)
        # The last chunk tells usage, timings and metrics; those before it null, or nothing.
        self._top |= {key: value for key, value in chunk.items() if value is not None}

    def _take(self, choice: Json, now: float) -> None:
        part = choice.get("delta") or choice.get("message") or {}
        text = choice.get("text") or part.get("content") or ""
        if text:
            self._texts.append(text)
            self._arrivals.append(now)
        self._finish = choice.get("finish_reason") or self._finish

    def record(self, id_: str) -> Json:
        """The record that an adapter reads."""
        text = "".join(self._texts)
        chat = "messages" in self._body
        said: Json = {"message": {"role": "assistant", "content": text}} if chat else {"text": text}
        choice = {"index": 0, "finish_reason": self._finish} | said
        client: Json = {
            "seconds": round(self._stop - self._start, 6),
            "chunks": len(self._arrivals),
            "arrival_microseconds": [round((at - self._start) * 1e6) for at in self._arrivals],
            "aborted": bool(self.error),
        }
        if self._arrivals:
            client["first_chunk_seconds"] = round(self._arrivals[0] - self._start, 6)
        if self.error:
            client["error"] = self.error
        top = {"object": "chat.completion" if chat else "text_completion"} | self._top
        return top | {"choices": [choice], "_id": id_, "_request": self._body, "_client": client}
