"""A real Chromium, driven over its DevTools protocol: enough to load a file, act on it, look at it.

It reaches no network: it starts with networking off, and pages are files.
"""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
_OPTIONS = (
    "--headless",
    "--no-sandbox",  # as root, in a container, Chromium does not start with one
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--remote-debugging-port=0",
)
_WAIT_SECONDS = 60.0


def find_chromium() -> str | None:
    """The program, or None where there is none."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


class Page:
    """A page of the browser; `problems` is all that its console and its policy complained of."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        self._last = 0
        self._events: list[dict[str, Any]] = []
        self.problems: list[str] = []
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def ask(self, method: str, **parameters: object) -> dict[str, Any]:
        """Send a command and wait for its answer."""
        self._last += 1
        message = {"id": self._last, "method": method, "params": parameters}
        self._connection.send(json.dumps(message))
        while True:
            answer = self._receive()
            if answer.get("id") == self._last:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result

    def load(self, path: Path) -> None:
        """Open a file and wait until it is there."""
        self.ask("Page.navigate", url=path.as_uri())
        while not any(event["method"] == "Page.loadEventFired" for event in self._events):
            self._receive()
        self._events.clear()

    def run(self, expression: str) -> Any:
        """The value of an expression of JavaScript in the page."""
        answer = self.ask(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def resize(self, width: int, height: int) -> None:
        """Show the page in a window of this size, in CSS pixels."""
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )

    def prefer(self, scheme: str) -> None:
        """Ask for light or dark colours."""
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.ask("Emulation.setEmulatedMedia", features=[feature])

    def press(self, key: str) -> None:
        """Press a key and let go of it."""
        for type_ in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=type_, key=key, code=key)

    def screenshot(self) -> bytes:
        """What the window shows, as PNG."""
        return base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"])

    def printed(self) -> bytes:
        """The page on paper, as PDF."""
        return base64.b64decode(self.ask("Page.printToPDF")["data"])

    def _receive(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self._connection.recv(timeout=_WAIT_SECONDS))
        if "method" in message:
            self._events.append(message)
            self._note(message["method"], message["params"])
        return message

    def _note(self, method: str, parameters: dict[str, Any]) -> None:
        if method == "Runtime.exceptionThrown":
            self.problems.append(str(parameters["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in {"error", "warning"}:
            self.problems.append(str(parameters["args"]))
        elif method == "Log.entryAdded":
            self.problems.append(parameters["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            url = parameters["request"]["url"]
            if not url.startswith("file:"):
                self.problems.append(f"asked for {url}")


@contextmanager
def browse(program: str, profile: Path) -> Iterator[Page]:
    """Start the browser with an empty profile in a folder; end it afterwards."""
    options = [program, *_OPTIONS, f"--user-data-dir={profile}", "about:blank"]
    process = subprocess.Popen(options, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        with connect(_address(process, profile), max_size=None) as connection:
            yield Page(connection)
    finally:
        process.terminate()
        process.wait(timeout=_WAIT_SECONDS)


def _address(process: subprocess.Popen[bytes], profile: Path) -> str:
    """Where the first page listens, once the browser has written its port into the profile."""
    from urllib.request import urlopen

    file = profile / "DevToolsActivePort"
    limit = time.monotonic() + _WAIT_SECONDS
    while not file.exists() or not file.read_text().strip():
        assert process.poll() is None, "the browser ended"
        assert time.monotonic() < limit, "the browser does not start"
        time.sleep(0.1)
    port = file.read_text().split()[0]
    with urlopen(f"http://127.0.0.1:{port}/json/list", timeout=_WAIT_SECONDS) as answer:
        pages = [each for each in json.load(answer) if each["type"] == "page"]
    address: str = pages[0]["webSocketDebuggerUrl"]
    return address
