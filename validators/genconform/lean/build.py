"""Run Lean on files: compile a package's modules, read everything that Lean says."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

import msgspec
from msgspec import Struct

from genconform.lean.package import Module, in_order
from genconform.lean.toolchain import Toolchain

TIMEOUT_SECONDS = 300
# Messages as JSON; a `sorry` is an error; a misspelt name is no variable that is bound by itself.
_OPTIONS = ("--json", "-E", "hasSorry", "-D", "autoImplicit=false")
Progress = Callable[[str], None]


class _Position(Struct, frozen=True):
    line: int
    column: int = 0


class Message(Struct, frozen=True, rename={"text": "data", "position": "pos"}):
    """One message of Lean's: "error", "warning" or "information", its text, where it starts."""

    severity: str
    text: str
    position: _Position

    @property
    def line(self) -> int:
        """The line, from 1, in the file that Lean was run on."""
        return self.position.line


@dataclass(frozen=True)
class Outcome:
    """What a run of Lean on one file came to.

    `stray` is output that is no message; there should be none. `seconds` is wall time and no part
    of a report.
    """

    exit_code: int
    messages: tuple[Message, ...]
    stray: str
    seconds: float

    @property
    def clean(self) -> bool:
        """Whether Lean ended well and had nothing at all to say."""
        return self.exit_code == 0 and not self.messages and not self.stray

    @property
    def errors(self) -> tuple[Message, ...]:
        """The messages that are errors."""
        return tuple(message for message in self.messages if message.severity == "error")


@dataclass(frozen=True)
class Compiled:
    """A module and its outcome; None where a module that it imports did not compile."""

    module: Module
    outcome: Outcome | None


@dataclass(frozen=True)
class Build:
    """A toolchain and a folder of its own, in which compiled modules are put."""

    toolchain: Toolchain
    folder: Path

    def run(self, file: Path, *options: str) -> Outcome:
        """Run Lean on a file that may import what was compiled here."""
        start = time.perf_counter()
        try:
            done = subprocess.run(
                [*self.toolchain.command, *_OPTIONS, *options, str(file)],
                capture_output=True,
                env=self._environment(),
                cwd=self.folder,
                timeout=TIMEOUT_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            stray = f"Lean did not end within {TIMEOUT_SECONDS} seconds"
            return Outcome(1, (), stray, time.perf_counter() - start)
        messages, stray = _read(done.stdout)
        stray += done.stderr.decode(errors="replace")
        return Outcome(done.returncode, messages, stray.strip(), time.perf_counter() - start)

    def run_text(self, name: str, text: str) -> Outcome:
        """Run Lean on a text of ours, under a file name of this folder."""
        file = self.folder / f"{name}.lean"
        file.write_text(text, encoding="utf-8")
        return self.run(file)

    def compile(self, modules: dict[str, Module], jobs: int, progress: Progress) -> list[Compiled]:
        """Compile modules after what they import, up to `jobs` at a time; in a fixed order.

        What stands compiled here already is taken as it is.
        """
        ordered = in_order(modules)
        done: dict[str, Compiled] = {}
        with ThreadPoolExecutor(max(1, jobs)) as pool:
            running: dict[Future[Outcome], Module] = {}
            while len(done) < len(ordered):
                busy = {module.name for module in running.values()}
                for module in _ready(ordered, done, busy):
                    if all(self._usable(done[name]) for name in module.imports if name in modules):
                        running[pool.submit(self._compile, module)] = module
                    else:
                        done[module.name] = Compiled(module, None)
                finished, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    module = running.pop(future)
                    done[module.name] = Compiled(module, future.result())
                    progress(_progress_line(module, future.result()))
        return [done[module.name] for module in ordered]

    def compiled(self, module: str) -> Path:
        """Where the compiled form of a module is, or would be."""
        return self.folder / Path(*module.split(".")).with_suffix(".olean")

    def adopt(self, other: Build, modules: Iterable[str]) -> None:
        """Take compiled modules over from another build."""
        for name in modules:
            target = self.compiled(name)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(other.compiled(name), target)

    def _compile(self, module: Module) -> Outcome:
        target = self.compiled(module.name)
        if target.exists():
            return Outcome(0, (), "", 0.0)
        target.parent.mkdir(parents=True, exist_ok=True)
        source = target.with_suffix(".lean")
        source.write_text(module.text, encoding="utf-8")
        outcome = self.run(source, "-R", str(self.folder), "-o", str(target))
        if outcome.exit_code == 0 and not target.exists():
            stray = f"{outcome.stray}\nLean ended with success and left no compiled module".strip()
            return Outcome(outcome.exit_code, outcome.messages, stray, outcome.seconds)
        return outcome

    def _usable(self, compiled: Compiled) -> bool:
        return compiled.outcome is not None and self.compiled(compiled.module.name).exists()

    def _environment(self) -> dict[str, str]:
        """Ours without anything that would make Lean look elsewhere."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("LEAN")}
        return kept | dict(self.toolchain.environment) | {"LEAN_PATH": str(self.folder)}


def _ready(ordered: list[Module], done: dict[str, Compiled], busy: set[str]) -> Iterator[Module]:
    """Modules that wait for nothing any more; `done` may grow while they are gone through."""
    names = {module.name for module in ordered}
    for module in ordered:
        waiting = [name for name in module.imports if name in names and name not in done]
        if module.name not in done and module.name not in busy and not waiting:
            yield module


def _read(output: bytes) -> tuple[tuple[Message, ...], str]:
    """Lean's standard output as messages, one JSON object a line, and whatever else is there."""
    messages, stray = [], []
    for line in output.splitlines():
        try:
            messages.append(msgspec.json.decode(line, type=Message))
        except msgspec.DecodeError:
            stray.append(line.decode(errors="replace"))
    return tuple(messages), "\n".join(stray)


def _progress_line(module: Module, outcome: Outcome) -> str:
    return f"{'ok' if outcome.clean else 'FAILED':6} {outcome.seconds:5.1f} s  {module.name}"
