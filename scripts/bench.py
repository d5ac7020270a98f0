"""Measure, and print the ratios as JSON. Each is measured within one run, on one core unless said.

    python -m scripts.bench [--only SECTION]... > bench.json

A section is a function that gives metrics by name; it stands in SECTIONS. Times are the least of
several repeats, in seconds of this process where one core is used, else of the wall clock. What a
section needs and is not installed is said in place of the number.
"""

from __future__ import annotations

import io
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import click
import msgspec
import numpy as np
from msgspec import UNSET, Struct, UnsetType

from genconform.errors import Unsupported
from genconform.finding import Location, Verdict
from genconform.lifecycle.bulk import PACKED_BITS, BulkEngine, Codes, Packed, compile_table, pack
from genconform.lifecycle.compiled import compiled_route
from genconform.lifecycle.machine import route
from genconform.lifecycle.packet import Case
from genconform.lifecycle.reading import read_case
from genconform.lifecycle.space import TOTAL_SIZE, spaces
from genconform.spec.table import Table, load_table
from genconform.trace.judge import judge_file
from genconform.tree import find_tree
from scripts import rivals


class Metric(Struct, frozen=True, omit_defaults=True, rename="camel"):
    """A number with its unit and, where there is one, what it is to be at least or at most."""

    value: float | str
    unit: str
    at_least: float | UnsetType = UNSET
    at_most: float | UnsetType = UNSET
    met: bool | UnsetType = UNSET
    note: str = ""


Metrics = dict[str, Metric]


def metric(
    value: float | str,
    unit: str,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    note: str = "",
) -> Metric:
    """A metric, and whether its target is met; text in place of a value meets none."""
    shown = value if isinstance(value, str) else float(f"{value:.4g}")
    targets: dict[str, Any] = {}
    if at_least is not None:
        targets |= {"at_least": at_least, "met": not isinstance(value, str) and value >= at_least}
    if at_most is not None:
        targets |= {"at_most": at_most, "met": not isinstance(value, str) and value <= at_most}
    return Metric(shown, unit, note=note, **targets)


def least_seconds(
    work: Callable[[], object],
    repeats: int = 15,
    clock: Callable[[], float] = time.process_time,
) -> float:
    """The least seconds that the work took, after one go that is not counted."""
    work()
    seconds = []
    for _ in range(repeats):
        start = clock()
        work()
        seconds.append(clock() - start)
    return min(seconds)


@contextmanager
def one_core() -> Iterator[None]:
    """Keep this process, and what it starts, on one processor."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


# --- lifecycle: bulk, scalar, what people would pick instead


def sample(number: int, seed: int = 1) -> list[Case]:
    """Cases of all stages; half have nothing amiss in the common lines, half are any."""
    random = Random(seed)
    cases = []
    for turn in range(number):
        space = random.choice(spaces())
        index = random.randrange(space.size)
        if turn % 2:
            own = (1 << space.own_bits) - 1
            index = index & own | space.plain & ~own
        cases.append(space.case(index))
    return cases


def bulk() -> Metrics:
    """The bulk engine over the scalar machine, and as a share of copying the packets."""
    engine = compile_table(load_table(find_tree()))
    cases = sample(256)
    documents = [msgspec.to_builtins(case) for case in cases]
    with one_core():
        rates = {
            "FromDict": _rate(_route_documents, documents),
            "OfTypedCases": _rate(_route_cases, cases),
        }
        metrics = {f"scalar{name}": metric(rate, "routes/s") for name, rate in rates.items()}
        for packed in (_packed(engine, np.uint32), _packed(engine, np.uint64)):
            metrics |= _bulk_metrics(engine, packed, rates)
    return metrics


def _route_documents(documents: list[Any]) -> list[str]:
    taken: list[str] = []
    for document in documents:
        case = msgspec.convert(document, Case)
        taken.append(route(case.state, case.event))
    return taken


def _route_lines(lines: list[bytes]) -> list[str]:
    taken: list[str] = []
    for line in lines:
        case = read_case(line, _PLACE)
        taken.append(route(case.state, case.event))
    return taken


def _route_cases(cases: list[Case]) -> list[str]:
    return [route(case.state, case.event) for case in cases]


_PLACE = Location("bench")


def _rate(work: Callable[[list[Any]], object], items: list[Any]) -> float:
    """How many items a second; they are few, so that they stay where a stream would have them."""
    return len(items) / least_seconds(lambda: work(items), repeats=300)


def _packed(engine: BulkEngine, dtype: type[np.uint32] | type[np.uint64]) -> Packed:
    """2^24 packets drawn evenly from the whole space, in random order."""
    packets = np.flatnonzero(engine.flat < len(engine.routes))
    drawn = np.random.default_rng(0).integers(0, len(packets), 1 << 24)
    packed: Packed = packets[drawn].astype(np.uint32)
    if dtype is np.uint64:  # with a number above each, as `pack` puts it
        packed = packed | np.arange(len(drawn), dtype=np.uint64) << np.uint64(PACKED_BITS)
    return packed


def _bulk_metrics(engine: BulkEngine, packed: Packed, rates: dict[str, float]) -> Metrics:
    bits, buffer, out = packed.itemsize * 8, np.zeros_like(packed), np.zeros(len(packed), np.uint8)
    copying, routing = _interleaved(
        lambda: np.copyto(buffer, packed), lambda: engine.route(packed, out)
    )
    rate = len(packed) / routing
    copied = f"copyto moved {packed.nbytes / copying / 1e9:.1f} GB/s"
    return {
        f"bulk{bits}": metric(rate, "routes/s"),
        f"bulk{bits}OverScalarFromDict": metric(rate / rates["FromDict"], "x", at_least=1000),
        f"bulk{bits}OverScalarOfTypedCases": metric(rate / rates["OfTypedCases"], "x"),
        f"bulk{bits}ShareOfCopy": metric(copying / routing, _OF_COPY, at_least=0.3, note=copied),
        f"compiled{bits}ShareOfCopy": _compiled(engine, packed, out, buffer),
    }


_OF_COPY = "of copyto, elements/s"


def _compiled(engine: BulkEngine, packed: Packed, out: Codes, buffer: Packed) -> Metric:
    try:
        look_up = compiled_route(engine)
    except Unsupported as error:
        return metric(error.message, _OF_COPY, at_least=0.7)
    compiled = np.zeros_like(out)
    copying, routing = _interleaved(
        lambda: np.copyto(buffer, packed), lambda: look_up(packed, compiled)
    )
    assert (compiled == out).all(), "the compiled look-up differs"
    note = f"{len(out) / routing:.4g} routes/s"
    return metric(copying / routing, _OF_COPY, at_least=0.7, note=note)


def _interleaved(*works: Callable[[], object], repeats: int = 15) -> list[float]:
    """The least seconds of each, taken in turns, so that all meet the same machine."""
    seconds = [[least_seconds(work, repeats=1) for work in works] for _ in range(repeats)]
    return [min(of_one) for of_one in zip(*seconds, strict=True)]


def scalar() -> Metrics:
    """One case at a time, from a dict and from JSON text, beside an if-chain over dicts."""
    cases = sample(256)
    documents = [msgspec.to_builtins(case) for case in cases]
    lines = [msgspec.json.encode(case) for case in cases]
    chain = rivals.if_chain(load_table(find_tree()))
    routes = _route_cases(cases)
    metrics = {}
    with one_core():
        for name, work, items, target, note in _ways(documents, lines, chain):
            assert work(items) == routes, f"{name} gives other routes"
            metrics[name] = metric(_rate(work, items), "routes/s", at_least=target, note=note)
    return metrics


def _ways(
    documents: list[Any], lines: list[bytes], chain: Callable[[Any], str]
) -> Iterator[tuple[str, Callable[[list[Any]], list[str]], list[Any], float | None, str]]:
    checked = "every field checked"
    yield "fromDict", _route_documents, documents, 450_000, checked
    yield "fromJson", _route_lines, lines, 80_000, f"{checked}, repeated keys refused"
    yield "ifChainOverDicts", lambda items: list(map(chain, items)), documents, None, "unchecked"


def others() -> Metrics:
    """The same cases through Rego and DuckDB; equal answers are asserted."""
    table = load_table(find_tree())
    cases = sample(20_000)
    documents = [msgspec.to_builtins(case) for case in cases]
    routes = [route(case.state, case.event).value for case in cases]
    with one_core():
        return {
            "rego": _rego(table, documents[:500], routes[:500]),
            "duckdb": _duckdb(table, documents, routes),
            "bulkOfSameCases": _bulk_of(table, cases, routes),
        }


def _rego(table: Table, documents: list[dict[str, Any]], routes: list[str]) -> Metric:
    try:
        import regorus
    except ImportError:
        return metric("regorus is not installed", "routes/s")
    engine = regorus.Engine()
    engine.add_policy("lifecycle.rego", rivals.rego(table))
    texts = [msgspec.json.encode(document).decode() for document in documents]

    def work() -> list[str]:
        taken = []
        for text in texts:
            engine.set_input_json(text)
            taken.append(engine.eval_rule("data.lifecycle.route"))
        return taken

    assert work() == routes, "Rego gives other routes"
    return metric(
        len(texts) / least_seconds(work, repeats=5), "routes/s", note="from JSON text, in process"
    )


def _duckdb(table: Table, documents: list[dict[str, Any]], routes: list[str]) -> Metric:
    try:
        import duckdb
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        return metric("duckdb and pyarrow are not installed", "routes/s")
    copies = 20
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "cases.parquet"
        rows = pyarrow.table(rivals.columns(documents))
        parquet.write_table(pyarrow.concat_tables([rows] * copies), file)
        connection = duckdb.connect()
        connection.execute("SET threads = 1")
        query = f"SELECT {rivals.sql_case(table)} AS route FROM read_parquet('{file}')"

        def work() -> Any:
            return connection.execute(query).fetchnumpy()["route"]

        assert list(work()[: len(routes)]) == routes, "DuckDB gives other routes"
        seconds = least_seconds(work, repeats=5)
    return metric(len(documents) * copies / seconds, "routes/s", note="CASE over Parquet, 1 thread")


def _bulk_of(table: Table, cases: list[Case], routes: list[str]) -> Metric:
    engine = compile_table(table)
    packed = np.tile(pack(cases), 20)
    out = np.zeros(len(packed), np.uint8)
    assert [engine.routes[code] for code in engine.route(packed)[: len(routes)]] == routes
    seconds = least_seconds(lambda: engine.route(packed, out))
    return metric(len(packed) / seconds, "routes/s", note="packed cases, 64 bits")


def agreement() -> Metrics:
    """The whole space compared, in a process of its own, on 2 cores."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "whole.py"
        file.write_text(_WHOLE)
        done = subprocess.run(
            [sys.executable, file], stdout=subprocess.PIPE, check=True, env=_importable()
        )
    wall, processor, kilobytes = msgspec.json.decode(done.stdout, type=tuple[float, float, int])
    cases = f"{TOTAL_SIZE:,} cases"
    added = "the peaks of three processes, added"
    return {
        "wall": metric(wall, "s", at_most=20, note=f"{cases}, in 2 processes"),
        "processorTime": metric(processor, "s", note="of both together"),
        "memory": metric(kilobytes / 2**20, "GiB", at_most=1, note=added),
    }


_WHOLE = """
import json, resource, time
from genconform.agreement.whole import compare_all
from genconform.spec.table import load_table
from genconform.tree import find_tree

if __name__ == "__main__":
    start = time.perf_counter()
    assert compare_all(load_table(find_tree()), jobs=2) == ()
    wall = time.perf_counter() - start
    own, workers = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    processor = workers.ru_utime + workers.ru_stime
    print(json.dumps([wall, processor, own.ru_maxrss + 2 * workers.ru_maxrss]))
"""


def traces() -> Metrics:
    """Recorded runs judged from JSON Lines, beside what it costs only to parse the same lines."""
    folder = find_tree().path("fixtures/traces/valid")
    recorded = [path.read_bytes() for path in sorted(folder.glob("*.jsonl"))]
    lines = [line for data in recorded for line in data.splitlines()]

    def judge() -> int:
        judged = [judge_file(io.BytesIO(data), "trace") for data in recorded]
        assert all(one.verdict is Verdict.PASS for one in judged)
        return sum(len(run.events) for one in judged for run in one.runs)

    events = judge()
    with one_core():
        judging, parsing = _interleaved(
            judge, lambda: [json.loads(line) for line in lines], repeats=400
        )
    return {
        "judging": metric(
            events / judging,
            "events/s",
            at_least=30_000.0,
            note="read, validated, bound by digest, derived, replayed",
        ),
        "parsing": metric(len(lines) / parsing, "lines/s", note="json.loads alone"),
        "judgingOverParsing": metric(judging / events / (parsing / len(lines)), "x"),
    }


REQUESTS = 10_000
_IMPORTS = """
import json, resource, sys, time
from genconform.trace.adapters.registry import adapters_named
from genconform.trace.observed.importing import Import
from genconform.trace.observed.stored import Tally, judge_stored, written

log, traces = sys.argv[1:]
start = time.process_time()
imported = Import(adapters_named("auto"), public=False, declared={})
with open(log, "rb") as source, open(traces, "wb") as target:
    for seen in imported.read(source, "log"):
        target.write(written(seen))
middle = time.process_time()
tally = Tally()
with open(traces, "rb") as source:
    for judged in judge_stored(source, "traces"):
        tally.add(judged)
end = time.process_time()
assert tally.observations == imported.records == imported.observations and not tally.contradicted
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps([tally.observations, middle - start, end - middle, peak]))
"""


def imports() -> Metrics:
    """The log of many requests of one engine, imported and judged by one fresh process."""
    example = find_tree().path("fixtures/engine-observations/valid/example.vllm.jsonl")
    record = json.loads(example.read_bytes().splitlines()[0])
    with tempfile.TemporaryDirectory() as folder, one_core():
        log = Path(folder, "log.jsonl")
        with log.open("w", encoding="utf-8") as target:
            for number in range(REQUESTS):
                request = record["_request"] | {"prompt": f"count to {number}"}
                one = record | {"id": f"cmpl-{number}", "_request": request}
                target.write(json.dumps(one) + "\n")
        done = subprocess.run(
            [sys.executable, "-c", _IMPORTS, log, Path(folder, "traces.jsonl")],
            env=_importable(),
            capture_output=True,
            check=True,
        )
    count, importing, judging, peak = json.loads(done.stdout)
    assert count == REQUESTS
    note = f"{REQUESTS:,} requests, of which {importing:.2f} s to import"
    return {
        "importedAndJudged": metric(importing + judging, "s", at_most=20.0, note=note),
        "peakMemory": metric(peak / 1024, "MiB", at_most=500.0),
    }


def probe() -> Metrics:
    """What recording costs over bare `generate` of the same prompts, run by turns."""
    try:
        from genconform_probe.overhead import measure
    except ImportError as error:
        return {"recordingOverBare": metric(f"not measured: {error}", "x", at_most=1.05)}
    return {
        f"recordingOverBare.{mode}": metric(
            found.ratio,
            "x",
            at_most=1.05,
            note=f"{found.prompts} prompts, the median of {found.repeats} pairs each",
        )
        for mode, found in measure().items()
    }


def checks() -> Metrics:
    """`validate-all` from nothing remembered, on all processors: the wall seconds of each check."""
    with tempfile.TemporaryDirectory() as folder:
        timings = Path(folder, "timings.json")
        start = time.perf_counter()
        subprocess.run(
            [
                sys.executable,
                "-m",
                "genconform",
                "validate-all",
                "--no-cache",
                "--timings",
                timings,
            ],
            env=_importable() | {"XDG_CACHE_HOME": folder},
            stdout=subprocess.DEVNULL,
            check=True,
        )
        wall = time.perf_counter() - start
        seconds = json.loads(timings.read_bytes())
    found = {name: metric(value, "s") for name, value in seconds.items()}
    note = "from a clean cache, beside the other checks"
    found["lean"] = metric(seconds["lean"], "s", at_most=30.0, note=note)
    return {"wall": metric(wall, "s"), **found}


def _importable() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}


SECTIONS: dict[str, Callable[[], Metrics]] = {
    "bulk": bulk,
    "scalar": scalar,
    "others": others,
    "agreement": agreement,
    "traces": traces,
    "imports": imports,
    "probe": probe,
    "checks": checks,
}


@click.command()
@click.option("--only", type=click.Choice(list(SECTIONS)), multiple=True, help="Run this section.")
def main(only: tuple[str, ...]) -> None:
    """Print the measurements as JSON."""
    measured = {}
    for name, section in SECTIONS.items():
        if not only or name in only:
            click.echo(f"bench: {name} ...", err=True)
            measured[name] = section()
    missed = [
        f"{name}.{key}"
        for name, metrics in measured.items()
        for key, one in metrics.items()
        if one.met is False
    ]
    machine = {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "processors": os.cpu_count(),
    }
    answer = {"machine": machine, "sections": measured, "missed": missed}
    click.echo(msgspec.json.format(msgspec.json.encode(answer), indent=2).decode())


if __name__ == "__main__":
    main()
