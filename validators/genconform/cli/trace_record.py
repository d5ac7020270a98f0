"""`genconform trace record`: ask an endpoint, time what it streams, and write traces of it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack
from io import BytesIO
from pathlib import Path
from typing import Any

import click
import msgspec

from genconform.cli.endpoint import Endpoint, Json
from genconform.cli.options import give
from genconform.cli.progress import watched
from genconform.cli.trace_imported import written_to
from genconform.document import parse_json, read_bytes
from genconform.errors import MalformedInput, UsageError
from genconform.finding import CheckResult, Finding, Level, Location, Verdict, report_of
from genconform.report import FORMATS
from genconform.trace.adapters.registry import AUTO, adapters_named
from genconform.trace.observed.importing import Import
from genconform.trace.observed.stored import written

_PATH = click.Path(path_type=Path, readable=False)
_DECODING = {"temperature": 0, "seed": 1}


@click.command("record")
@click.option("--base-url", metavar="URL", required=True, help="As http://127.0.0.1:8080/v1.")
@click.option(
    "--prompts",
    type=_PATH,
    required=True,
    help="A prompt a line; or, ending in .jsonl, a request a line with prompt or messages.",
)
@click.option("--out", type=_PATH, required=True, help="Write the traces to this file.")
@click.option("--log", type=_PATH, help="Keep the records that they are made of as well.")
@click.option("--model", metavar="NAME", help="The model to ask for.")
@click.option("--max-tokens", type=click.IntRange(min=1), default=64, show_default=True)
@click.option("--chat", is_flag=True, help="Ask as a user's message, not as a text to complete.")
@click.option("--public", is_flag=True, help="Keep texts, not their digests alone.")
@click.option(
    "--key-variable", metavar="NAME", help="The environment variable that has the key, if any."
)
@click.option(
    "--timeout", type=click.FloatRange(min=0.001), default=120.0, show_default=True, help="Seconds."
)
@click.option(
    "--from", "source", metavar="ENGINE", default=AUTO, show_default=True, help="What answers."
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(list(FORMATS)),
    default="text",
    show_default=True,
    help="How the report is written.",
)
def record(
    base_url: str,
    prompts: Path,
    out: Path,
    log: Path | None,
    model: str | None,
    max_tokens: int,
    chat: bool,
    public: bool,
    key_variable: str | None,
    timeout: float,
    source: str,
    format_: str,
) -> None:
    """Record what an OpenAI-compatible endpoint does with prompts.

    Requests are sent one after the other, greedy unless they say otherwise, and streamed. Times are
    the client's, from the moment of sending; what the engine reports of itself is kept as it is. A
    request that fails is recorded as that, and makes the exit code 4.
    """
    endpoint = Endpoint.at(base_url, timeout, _key(key_variable))
    common = _DECODING | {"max_tokens": max_tokens} | ({"model": model} if model else {})
    requests = [common | one for one in _requests(prompts, chat)]
    imported = Import(adapters_named(source), public=public, declared={})
    failures: list[Finding] = []
    with ExitStack() as stack:
        traces = written_to(out, stack)
        records = None if log is None else written_to(log, stack)
        for number, body in enumerate(watched(requests, len(requests), "requests"), 1):
            streamed = body | {"stream": True, "stream_options": {"include_usage": True}}
            answer = endpoint.ask(streamed)
            line = msgspec.json.encode(answer.record(f"request-{number}")) + b"\n"
            if answer.error:
                failures.append(_failure(prompts, number, answer.error))
            if records is not None:
                records.write(line)
            for seen in imported.read(BytesIO(line), f"request {number}"):
                traces.write(written(msgspec.structs.replace(seen, line=number)))
    give(report_of([_with(imported.result(base_url), failures)]), format_, None)


def _key(variable: str | None) -> str:
    if variable is None:
        return ""
    if variable not in os.environ:
        raise UsageError(f"the environment has no variable {variable}")
    return os.environ[variable]


def _requests(path: Path, chat: bool) -> Iterator[Json]:
    """The requests of a file.

    Raises:
        UsageError: the file cannot be read, or has none.
        MalformedInput: a line is no request.
    """
    name = path.as_posix()
    lines = read_bytes(path, name).splitlines()
    bodies = [
        _body(line, Location(name, line=number), chat, structured=path.suffix == ".jsonl")
        for number, line in enumerate(lines, 1)
        if line.strip()
    ]
    if not bodies:
        raise UsageError(f"{name} has no prompts", expected="a prompt a line")
    yield from bodies


def _body(line: bytes, place: Location, chat: bool, *, structured: bool) -> Json:
    if not structured:
        try:
            prompt = line.decode("utf-8")
        except UnicodeDecodeError as error:
            raise MalformedInput(
                "the prompt is no text", location=place, expected="UTF-8"
            ) from error
        return {"messages": [{"role": "user", "content": prompt}]} if chat else {"prompt": prompt}
    try:
        body: Any = parse_json(line, place.file or "").value
    except MalformedInput as error:
        raise MalformedInput(error.message, location=place) from error
    if not isinstance(body, dict) or not ("prompt" in body) ^ ("messages" in body):
        shown = json.dumps(body)[:60]
        raise MalformedInput("not a request", location=place, expected="prompt or messages",
                             actual=shown)  # fmt: skip
    return body


def _failure(prompts: Path, number: int, error: str) -> Finding:
    message = f"request {number} failed: {error}"
    return Finding("record.request.failed", Level.ERROR, message, Location(prompts.as_posix()))


def _with(result: CheckResult, failures: list[Finding]) -> CheckResult:
    """The import's result, and the requests that failed."""
    counts = result.counts | {"failed": len(failures)}
    verdict = Verdict.INCOMPLETE if failures and result.verdict is Verdict.PASS else result.verdict
    findings = (*result.findings, *failures)
    return CheckResult(result.id, verdict, counts, findings, result.note)
