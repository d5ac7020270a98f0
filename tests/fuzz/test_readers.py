"""Whatever stands in an input, a reader gives a value or an error that explains itself."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from genconform.errors import GenconformError
from tests.fuzz.readers import READERS, ROOT, Reader
from tests.test_document import JSON_VALUES

_TOKENS = [
    *(b"{", b"}", b"[", b"]", b":", b",", b'"', b"\n", b"- ", b"  ", b"\\", b"%", b"&a ", b"*a"),
    *(b"!!python/object/apply:os.system ", b"<<: ", b"? ", b"|\n", b"---\n", b"\xff", b"\x00"),
    *(
        b"\\ud800",
        b"\\u0000",
        b"1e999",
        b"-0",
        b"NaN",
        b"null",
        b"true",
        b"1" * 40,
        b"\xe2\x80\xae",
    ),
    *(b"../", b"/etc/passwd", b"sha256", b"keyid", b"payload", b"\x1b[2J"),
]


@st.composite
def mutated(draw: st.DrawFn, seeds: list[bytes]) -> bytes:
    """A committed input with a few edits of its bytes."""
    data = draw(st.sampled_from(seeds))
    for _ in range(draw(st.integers(1, 5))):
        at = draw(st.integers(0, len(data)))
        end = min(len(data), at + draw(st.integers(0, 12)))
        new = draw(st.sampled_from(_TOKENS) | st.binary(max_size=4) | st.just(data[at:end] * 2))
        data = data[:at] + new + data[end:]
    return data


@st.composite
def revalued(draw: st.DrawFn, seeds: list[bytes]) -> bytes:
    """A committed JSON document with another value in one place."""
    document = json.loads(draw(st.sampled_from(seeds)))
    at: Any = document
    while draw(st.booleans()):
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        deeper = [key for key in keys if isinstance(at[key], dict | list) and at[key]]
        if not deeper:
            break
        at = at[draw(st.sampled_from(deeper))]
    if at:
        key = draw(st.sampled_from(list(at) if isinstance(at, dict) else list(range(len(at)))))
        at[key] = draw(JSON_VALUES)
    return json.dumps(document).encode()


def is_json_object(data: bytes) -> bool:
    try:
        return bool(json.loads(data))
    except ValueError:
        return False


def inputs(reader: Reader) -> st.SearchStrategy[bytes]:
    seeds = reader.inputs()
    documents = [seed for seed in seeds if is_json_object(seed)]
    anything = st.binary(max_size=200) | st.text(max_size=100).map(str.encode)
    whole = JSON_VALUES.map(lambda value: json.dumps(value).encode())
    strategy = mutated(seeds) | anything | whole
    return strategy | revalued(documents) if documents else strategy


@pytest.mark.parametrize("name", READERS)
def test_a_reader_reads_the_committed_inputs(name: str) -> None:
    """Most of them; those that are wrong on purpose are refused like any other."""
    reader = READERS[name]
    read = 0
    for data in reader.inputs():
        try:
            reader.read(data)
            read += 1
        except GenconformError:
            continue
    assert read > 0


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_reader_explains_itself_or_reads(name: str, data: st.DataObject) -> None:
    reader = READERS[name]
    try:
        reader.read(data.draw(inputs(reader)))
    except GenconformError as error:
        text = error.diagnostics()
        assert text.strip()
        assert len(text) < 20_000


BOMBS = {
    "deep lists": b"[" * 5_000_000,
    "deep objects": b'{"a":' * 2_000_000,
    "deep block": b"\n".join(b" " * depth + b"a:" for depth in range(3000)),
    "many aliases": b"a: &a [x]\n" + b"b: [" + b"*a, " * 100_000 + b"]",
    "billion laughs": b"".join(
        b"%c: &%c [%s]\n" % (97 + n, 97 + n, b",".join([b"*%c" % (96 + n)] * 9) if n else b"x")
        for n in range(9)
    ),
    "a long number": b"1" * 5_000_000,
    "a long exponent": b"1e" + b"9" * 1_000_000,
    "a long key": b'{"' + b"k" * 10_000_000 + b'": 1}',
    "a long line": b"x" * 16_000_000,
    "many keys": b"{" + b",".join(b'"%d":0' % n for n in range(300_000)) + b"}",
    "many keys in YAML": b"{" + b",".join(b"a%d: 0" % n for n in range(90_000)) + b"}",
    "many items": b"[" + b"0," * 2_000_000 + b"0]",
    "many objects": b"[" + b"{}," * 1_000_000 + b"{}]",
    "code": b"!!python/object/apply:os.system ['touch {mark}']\n",
    "code in a map": b"a: !!python/object/new:subprocess.Popen [['touch', '{mark}']]\n",
}
_GUARDED = """
import resource, sys
from genconform.errors import GenconformError
from tests.fuzz.readers import READERS

resource.setrlimit(resource.RLIMIT_AS, (2 * 1024**3,) * 2)
data = sys.stdin.buffer.read()
for name, reader in READERS.items():
    if name in {"fixture", "verification"}:
        continue  # they parse like "yaml" and "envelope", many times over
    try:
        reader.read(data)
    except GenconformError:
        pass
    except RecursionError as error:
        raise SystemExit(f"{name}: {error!r}")
"""


@pytest.mark.parametrize("bomb", BOMBS)
def test_no_input_crashes_hangs_or_grows_without_bound(bomb: str, tmp_path: Any) -> None:
    """Within 2 GiB of address space and two minutes for all readers; no code in it runs."""
    mark = tmp_path / "ran"
    done = subprocess.run(
        [sys.executable, "-c", _GUARDED],
        input=BOMBS[bomb].replace(b"{mark}", str(mark).encode()),
        capture_output=True,
        timeout=120,
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    assert not mark.exists()


def test_the_page_lists_every_reader() -> None:
    page = (ROOT / "docs" / "fuzzing.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1].strip() for line in page.splitlines() if line.startswith("| ")]
    assert rows[1:] == list(READERS)
