"""Every reader of input that others wrote: what reads it, and committed inputs to start from.

A reader takes bytes and gives a value, or raises a GenconformError that explains itself. Anything
else that it does is a fault.
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from genconform.cli.config import parse_config
from genconform.digest.canonical import canonical_bytes
from genconform.digest.envelope import load_key, open_envelope
from genconform.digest.manifest import Manifest
from genconform.digest.statement import read_statement
from genconform.digest.verification import Asked, verify
from genconform.document import decode, parse_document, parse_json, read_report
from genconform.errors import GenconformError
from genconform.finding import Location, report_of
from genconform.lifecycle.reading import read_case
from genconform.mutation.author import parse_suite
from genconform.report import FORMATS, verification
from genconform.report.portable import portable
from genconform.spec.table import parse_table
from genconform.suites import Fixture, all_suites
from genconform.suites.freetext import convert
from genconform.trace.adapters.registry import ADAPTERS
from genconform.trace.judge import judge_file
from genconform.trace.observed.importing import Import
from genconform.trace.observed.judge import judge_all
from genconform.trace.observed.stored import judge_stored, read_stored, written
from genconform.tree import find_tree, folder

ROOT = Path(__file__).parents[2]
_TREE = find_tree()


@dataclass(frozen=True)
class Reader:
    """`read` does all that is done with such an input; `seeds` are globs in the repository."""

    read: Callable[[bytes], object]
    seeds: tuple[str, ...]

    def inputs(self) -> list[bytes]:
        """The committed inputs."""
        return [path.read_bytes() for glob in self.seeds for path in sorted(ROOT.glob(glob))]


def _yaml(data: bytes) -> None:
    _canonical_is_a_fixpoint(parse_document(data, "x.yaml").value)


def _json(data: bytes) -> None:
    _canonical_is_a_fixpoint(parse_document(data, "x.json").value)


def _canonical_is_a_fixpoint(value: object) -> None:
    canonical = canonical_bytes(value)
    again = canonical_bytes(parse_json(canonical, "canonical").value)
    if again != canonical:
        raise AssertionError("the canonical form of the canonical form is another")


def _manifest(data: bytes) -> None:
    decode(parse_document(data, "manifest.json"), Manifest)


def _envelope(data: bytes) -> None:
    envelope = open_envelope(data, "e")
    read_statement(envelope.payload, "e")


def _verification(data: bytes) -> None:
    """A whole verification and its report; whatever the envelope says, it is printable."""
    kept = ROOT / "fixtures/envelopes/0.1.0-ed25519"
    asked = Asked((load_key(kept / "key.pub"),), 1, folder(kept / "root"))
    shown = verification.render(report_of(verify(data, "e", asked)))
    if not shown.replace("\n", "").isprintable():
        raise AssertionError("an envelope steers the terminal")


def _report(data: bytes) -> None:
    report = portable(read_report(data, "r"), [Path("/srv/tree")], Path("/home/zaphod"))
    for render in FORMATS.values():
        render(report)


def _engine_log(data: bytes) -> None:
    """A log of an engine, imported and judged; what was judged is written and read again."""
    source = Import(ADAPTERS, public=True, declared={})
    observations = list(source.read(io.BytesIO(data), "log"))
    if source.records > len(observations) + len(source.findings):
        raise AssertionError("a record was lost")
    list(judge_all(observations, "log"))
    lines = b"".join(map(written, observations))
    if [one.observation for one in read_stored(io.BytesIO(lines), "t")] != observations:
        raise AssertionError("what was written is read as another")


def _fixture(data: bytes) -> None:
    """A record of each fixture suite."""
    for suite in all_suites():
        try:
            list(suite.judge(Fixture("fixture.yaml", data), _TREE))
        except GenconformError:
            continue


def _key(data: bytes) -> None:
    with tempfile.NamedTemporaryFile(suffix=".pub") as file:
        file.write(data)
        file.flush()
        load_key(Path(file.name))


READERS = {
    "yaml": Reader(_yaml, ("spec/*.yaml", "mutations/*.yaml")),
    "json": Reader(_json, ("fixtures/lifecycle/**/*.json",)),
    "manifest": Reader(_manifest, ("fixtures/envelopes/*/root/manifest.json",)),
    "table": Reader(
        lambda data: parse_table(parse_document(data, "t.yaml")), ("spec/lifecycle.yaml",)
    ),
    "mutations": Reader(
        lambda data: parse_suite(parse_document(data, "m.yaml")), ("mutations/*.yaml",)
    ),
    "fixture": Reader(_fixture, ("fixtures/*/valid/*",)),
    "case": Reader(lambda data: read_case(data, Location("c", line=1)), ("tests/fuzz/cases/*",)),
    "trace": Reader(
        lambda data: judge_file(io.BytesIO(data), "t"), ("fixtures/traces/**/*.jsonl",)
    ),
    "engine log": Reader(_engine_log, ("fixtures/engine-observations/*/*",)),
    "imported trace": Reader(
        lambda data: list(judge_stored(io.BytesIO(data), "t")), ("tests/fuzz/imported/*",)
    ),
    "envelope": Reader(_envelope, ("fixtures/envelopes/*/statement.dsse.json",)),
    "verification": Reader(_verification, ("fixtures/envelopes/*/statement.dsse.json",)),
    "freetext": Reader(
        lambda data: convert(parse_document(data, "f.json")), ("tests/fuzz/freetext.json",)
    ),
    "key": Reader(_key, ("fixtures/envelopes/*/key.pub",)),
    "report": Reader(_report, ("fixtures/envelopes/*/root/report.json", "tests/fuzz/reports/*")),
    "config": Reader(lambda data: parse_config(data, "c.toml"), ("tests/fuzz/configs/*",)),
}
