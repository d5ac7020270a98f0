"""Fuzz the readers with atheris, one after another, for longer than the tests do.

    python -m scripts.fuzz --seconds 600 --corpus CORPUS [READER]...

atheris is no dependency of the project: `pip install atheris` first. Each reader runs in a process
of its own, at the lowest priority. It starts from the committed inputs; what it finds worth keeping
stays in CORPUS/READER, and what fails stands there as crash-*. A table of what was run is printed.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

_MEMORY_MEGABYTES = 2048
_SECONDS_AN_INPUT = 20
_LONGEST_BYTES = 64 * 1024
_DONE = re.compile(r"stat::number_of_executed_units:\s*(\d+)")


def main() -> None:
    """Fuzz the readers that were named, or all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("readers", nargs="*", metavar="READER")
    parser.add_argument("--seconds", type=int, default=600, help="for each reader")
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inside:
        _fuzz(arguments.readers[0], arguments.corpus, arguments.seconds)
        return
    from tests.fuzz.readers import READERS

    failed = False
    _say("| reader | inputs run | corpus files | corpus bytes | result |\n|---|---|---|---|---|")
    for name in arguments.readers or READERS:
        failed |= _run(name, arguments.corpus / name, arguments.seconds)
    sys.exit(failed)


def _run(name: str, corpus: Path, seconds: int) -> bool:
    """Fuzz one reader in a process of its own and print its row; whether it failed."""
    from tests.fuzz.readers import READERS

    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(READERS[name].inputs()):
        (corpus / f"seed-{number:03}").write_bytes(seed[:_LONGEST_BYTES])
    command = [sys.executable, "-m", "scripts.fuzz", name, "--inside"]
    done = subprocess.run(
        [*command, "--corpus", str(corpus), "--seconds", str(seconds)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="backslashreplace",
        check=False,
    )
    (corpus.parent / f"{name}.log").write_text(done.stdout, encoding="utf-8")
    ran = _DONE.search(done.stdout)
    files = [path for path in corpus.iterdir() if not path.name.startswith("crash-")]
    size = sum(path.stat().st_size for path in files)
    result = "no finding" if done.returncode == 0 else f"exit {done.returncode}, see {name}.log"
    _say(f"| {name} | {ran[1] if ran else '?'} | {len(files)} | {size} | {result} |")
    return done.returncode != 0


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _fuzz(name: str, corpus: Path, seconds: int) -> None:
    os.nice(19)
    import atheris

    with atheris.instrument_imports(include=["genconform", "yaml", "tomllib", "json"]):
        from genconform.errors import GenconformError
        from tests.fuzz.readers import READERS
    read = READERS[name].read

    def once(data: bytes) -> None:
        try:
            read(data)
        except GenconformError as error:
            error.diagnostics()

    options = [
        f"-max_total_time={seconds}",
        f"-timeout={_SECONDS_AN_INPUT}",
        f"-rss_limit_mb={_MEMORY_MEGABYTES}",
        f"-max_len={_LONGEST_BYTES}",
        f"-artifact_prefix={corpus}/",
        "-print_final_stats=1",
    ]
    atheris.Setup([sys.argv[0], *options, str(corpus)], once)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
