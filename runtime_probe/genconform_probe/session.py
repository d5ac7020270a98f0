"""Runs prompts through modes, each beside its matched baseline, and writes a trace a run.

For one prompt, its baseline and all that is compared with it run one after the other in this
process, before the next prompt is begun.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import torch
import transformers

from genconform.digest.canonical import canonical_digest, sha256_hex
from genconform.lifecycle.packet import EventKind
from genconform.trace.format import Environment
from genconform_probe import evidence
from genconform_probe.evidence import Answer, Baseline, Fallback, Policy, Promise, Result
from genconform_probe.faults import NO_FAULT, Fault
from genconform_probe.mode import Mode
from genconform_probe.models import DTYPE, Models
from genconform_probe.modes import load_mode
from genconform_probe.recorder import Ids, Recording, record
from genconform_probe.tasks import Problem
from genconform_probe.trace_file import TraceFile

BASELINE = load_mode("autoregressive")
DEFAULT_POLICY = Policy()


@dataclass(frozen=True)
class Plan:
    """What a session runs."""

    problems: tuple[Problem, ...]
    modes: tuple[Mode, ...]
    faults: tuple[Fault, ...] = (NO_FAULT,)
    """Each prompt runs once under each fault that touches the mode."""
    seed: int = 0
    public: bool = False
    policy: Policy = DEFAULT_POLICY

    @property
    def jobs(self) -> list[tuple[Mode, Fault]]:
        """What is run of each prompt, the baseline first so that the others can refer to it."""
        pairs = [(m, f) for m in self.modes for f in self.faults if f.touches(m)]
        return sorted(pairs, key=lambda pair: pair != (BASELINE, NO_FAULT))


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run, as its trace tells it, for the summary."""

    path: Path
    mode: str
    fault: str
    task: str
    result: Result

    @property
    def identical(self) -> bool:
        """Whether the mode's own output is the baseline's, token by token."""
        return self.result.candidate.ids == self.result.baseline.answer.ids


def run(plan: Plan, models: Models, out: Path) -> Iterator[Outcome]:
    """Run a plan, and yield each run as its trace is closed.

    Raises:
        UsageError: a trace cannot be created in the folder `out`.
        TraceCut: a trace cannot be written to its end.
    """
    warm_up(plan, models)
    for index, problem in enumerate(plan.problems):
        runner = Runner(plan, models, problem)
        for mode, fault in plan.jobs:
            suffix = f"-{fault.name}" if fault is not NO_FAULT else ""
            path = out / f"{index:04d}-{problem.task.name}-{mode.name}{suffix}.trace.jsonl"
            yield runner.trace(mode, fault, path)


def warm_up(plan: Plan, models: Models) -> None:
    """Run every mode once unrecorded, so that no first run pays for what torch sets up once."""
    prompt = torch.tensor([models.tokenizer.encode_prompt(plan.problems[0].prompt)])
    for mode in {BASELINE, *plan.modes}:
        mode.generate(models, prompt, plan.policy.max_new_tokens)


class Runner:
    """Runs one prompt in any mode and under any fault, against one baseline."""

    def __init__(self, plan: Plan, models: Models, problem: Problem) -> None:
        self._plan = plan
        self._models = models
        self._problem = problem
        self._ids = tuple(models.tokenizer.encode_prompt(problem.prompt))
        self._prompt = torch.tensor([self._ids])
        self._baseline: Baseline | None = None

    def trace(self, mode: Mode, fault: Fault, path: Path) -> Outcome:
        """One run with its trace. What was promised is on disk before any of it runs."""
        promise = self._promise(mode, fault)
        if not promise.is_baseline:
            self.baseline()
        with TraceFile(path, evidence.header(promise)) as trace:
            trace.event(EventKind.BIND_CONTEXT, evidence.bind_context(promise))
            trace.event(EventKind.SELECT_MODE, evidence.select_mode(promise))
            result = self._run(promise, fault.models(self._models))
            trace.event(EventKind.GENERATE_DRAFT, evidence.generate_draft(promise, result))
            trace.event(EventKind.VERIFY_DRAFT, evidence.verify_draft(promise, result))
            trace.event(EventKind.ACCOUNT_OUTCOME, evidence.account_outcome(promise, result))
            trace.event(EventKind.DECIDE, evidence.decide(promise, result))
            trace.event(EventKind.CLOSE, evidence.close(promise, result))
        return Outcome(path, mode.name, fault.name, self._problem.task.name, result)

    def baseline(self) -> Baseline:
        """The matched baseline, run at most once."""
        if self._baseline is None:
            self._baseline = self._as_baseline(self._record(BASELINE, self._models))
        return self._baseline

    def _as_baseline(self, recording: Recording) -> Baseline:
        answer = self._answer(recording.output)
        return Baseline(answer, len(recording.steps), recording.wall_seconds)

    def _run(self, promise: Promise, models: Models) -> Result:
        recording = self._record(promise.mode, models)
        if promise.is_baseline:
            baseline = self._as_baseline(recording)
            self._baseline = self._baseline or baseline
        else:
            baseline = self.baseline()
        account = promise.mode.account(recording, models, self._prompt)
        failed = account.accepted_share < promise.mode.minimum_accepted_share
        return Result(
            account=account,
            candidate=self._answer(recording.output),
            baseline=baseline,
            fallback=self._fallback(promise) if failed else None,
            cleanup=recording.cleanup,
        )

    def _fallback(self, promise: Promise) -> Fallback:
        """Decode the prompt anew by the sound target alone, at its own cost."""
        recording = self._record(BASELINE, self._models)
        return Fallback(
            run_id=f"{promise.run_id}.fallback",
            answer=self._answer(recording.output),
            passes=len(recording.steps),
            seconds=recording.wall_seconds,
        )

    def _record(self, mode: Mode, models: Models) -> Recording:
        limit = self._plan.policy.max_new_tokens
        return record(
            lambda watched, prompt, streamer: mode.generate(watched, prompt, limit, streamer),
            models,
            self._prompt,
        )

    def _answer(self, ids: Ids) -> Answer:
        text = self._models.tokenizer.decode(ids)
        return Answer(ids, text, self._problem.task.check(self._problem.prompt, text))

    def _promise(self, mode: Mode, fault: Fault) -> Promise:
        run_id = self._run_id(mode, fault)
        return Promise(
            run_id=run_id,
            baseline_id=run_id if mode is BASELINE else self._run_id(BASELINE, NO_FAULT),
            mode=mode,
            problem=self._problem,
            prompt_ids=self._ids,
            task_set=tuple(problem.digest for problem in self._plan.problems),
            subjects=_subjects(mode, self._models),
            environment=_environment(),
            policy=self._plan.policy,
            public=self._plan.public,
        )

    def _run_id(self, mode: Mode, fault: Fault) -> str:
        parts = [mode.name, f"seed{self._plan.seed}", self._problem.digest[:16]]
        return ".".join(parts if fault is NO_FAULT else [*parts, fault.name])


def _subjects(mode: Mode, models: Models) -> dict[str, str]:
    """Digests of what the run rests on: models, tokenizer, code."""
    names = {"target", mode.generator, "tokenizer"}
    return {name: models.digests[name] for name in sorted(names)} | {"code": code_digest()}


@cache
def code_digest() -> str:
    """The digest of this package's sources: SHA-256 by relative path, in canonical form."""
    root = Path(__file__).parent
    sources = sorted(root.rglob("*.py"))
    return canonical_digest(
        {path.relative_to(root).as_posix(): sha256_hex(path.read_bytes()) for path in sources}
    )


@cache
def _environment() -> Environment:
    return Environment(
        python=platform.python_version(),
        torch=str(torch.__version__),
        transformers=transformers.__version__,
        platform=f"{sys.platform}-{platform.machine()}",
        threads=torch.get_num_threads(),
        dtype=DTYPE,
    )
