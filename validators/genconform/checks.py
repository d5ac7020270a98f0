"""The plan of `validate-all`: which checks there are, and how they are run.

A check is one line of PLAN beside a module with `run(context) -> CheckResult`. Another
distribution adds one through the entry point group `genconform.checks`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Generator, Iterable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.metadata import entry_points

from genconform.cache import Dependencies, Snapshot, recall, remember
from genconform.context import Context
from genconform.errors import GenconformError, UsageError
from genconform.finding import CheckResult, Finding, Level, Location, Verdict
from genconform.processes import in_processes

ENTRY_POINTS = "genconform.checks"


@dataclass(frozen=True)
class Check:
    """A check by name; `target` is "module:function", imported only when the check runs.

    `inputs` are the files and folders of the tree that its result follows from, beside the code,
    and `programs` what it uses of the PATH. With no inputs named its result is never remembered.
    """

    id: str
    summary: str
    target: str
    inputs: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()

    @property
    def dependencies(self) -> Dependencies | None:
        """What its result may be remembered by."""
        if not self.inputs:
            return None
        return Dependencies(self.id, self.target, self.inputs, self.programs)

    def run(self, context: Context) -> CheckResult:
        """Run it. An error that it raises becomes its result, so that it hides no other check."""
        module, _, function = self.target.partition(":")
        try:
            result: CheckResult = getattr(import_module(module), function)(context)
        except GenconformError as error:
            return _errored(self.id, error)
        except Exception as error:
            if context.raises:
                raise
            return _failed_within(self.id, error)
        return result


PLAN: tuple[Check, ...] = (
    Check(
        "spec",
        "the table and the rules hold together",
        "genconform.spec.check:run",
        inputs=("spec",),
    ),
    Check(
        "lifecycle",
        "every route is hit, and a run comes to it",
        "genconform.lifecycle.check:run",
        inputs=("spec",),
    ),
    Check(
        "agreement",
        "table, machine and bulk engine agree",
        "genconform.agreement.check:run",
        inputs=("spec",),
    ),
    # Remembers by itself, by less than the whole code: a change elsewhere costs it nothing.
    Check(
        "lean",
        "Lean proves the claims and agrees",
        "genconform.lean.check:run",
        inputs=("lean", "spec"),
        programs=("lake", "lean"),
    ),
    Check(
        "mutations",
        "authors' changes are caught as named, and notice every fault of the table",
        "genconform.suites.mutations:run",
        inputs=("spec", "fixtures", "mutations", "validators/genconform"),
    ),
    Check(
        "fixtures",
        "valid pass, invalid are caught by name",
        "genconform.suites.replay:run",
        inputs=("spec", "fixtures", "mutations", "validators/genconform"),
    ),
    Check(
        "catalogues",
        "invariants, failures, modes and sources name what exists and is so",
        "genconform.catalogue.check:run",
        inputs=(
            "spec",
            "fixtures",
            "mutations",
            "lean/AsiStackProofs",
            "runtime_probe/genconform_probe",
        ),
    ),
    # Digests are never remembered: to look whether a file changed is to digest it.
    Check("digests", "every bound file is as the manifest says", "genconform.digest.check:run"),
)


@dataclass(frozen=True)
class Finished:
    """A check's result, and what is no part of a report: the wall seconds, the cache."""

    result: CheckResult
    seconds: float
    remembered: bool = False


def plan() -> tuple[Check, ...]:
    """All checks: those of this package, then those that other distributions register."""
    registered = [point.load() for point in entry_points(group=ENTRY_POINTS)]
    return (*PLAN, *sorted(registered, key=lambda check: check.id))


def select(
    checks: Iterable[Check], only: Iterable[str], skip: Iterable[str]
) -> tuple[list[Check], list[Check]]:
    """Split into the checks to run and those to leave out.

    Raises:
        UsageError: a name is not a check's.
    """
    known = list(checks)
    only, skip = set(only), set(skip)
    for name in sorted((only | skip) - {check.id for check in known}):
        raise UsageError(
            f"there is no check named {name!r}",
            expected="one of " + ", ".join(check.id for check in known),
        )
    chosen = [check for check in known if (not only or check.id in only) and check.id not in skip]
    return chosen, [check for check in known if check not in chosen]


def skipped(check: Check) -> CheckResult:
    """The result of a check that the user left out."""
    return CheckResult(check.id, Verdict.SKIPPED, {}, note="left out by --only or --skip")


def run_all(checks: list[Check], context: Context) -> Generator[tuple[Check, Finished]]:
    """Run checks in up to `context.jobs` processes; yields each as it ends.

    With `context.cache`, a check that passed on the very same inputs is not run again. Whoever
    leaves early must close it, so that no process is left behind.
    """
    if not context.cache:
        yield from _run(checks, context)
        return
    before = Snapshot(context.tree)
    keys = {check.id: before.key(of) for check in checks if (of := check.dependencies)}
    left = []
    for check in checks:
        known = recall(keys[check.id], check.id) if check.id in keys else None
        if known is None:
            left.append(check)
        else:
            yield check, Finished(known, 0.0, remembered=True)
    with closing(_run(left, context)) as running:
        for check, done in running:
            of = check.dependencies
            # What changed while it was being looked at is not what the result is about.
            if of is not None and Snapshot(context.tree).key(of) == keys[check.id]:
                remember(keys[check.id], done.result)
            yield check, done


def _run(checks: list[Check], context: Context) -> Generator[tuple[Check, Finished]]:
    workers = min(context.jobs, len(checks))
    if workers <= 1:
        yield from ((check, _timed(check, context)) for check in checks)
        return
    with closing(in_processes(workers, partial(_timed, context=context), checks)) as running:
        for check, future in running:
            error = future.exception()  # the process ended, or could not take the check
            if error is None or context.raises:
                yield check, future.result()
            else:
                yield check, Finished(_failed_within(check.id, error), 0.0)


def default_jobs() -> int:
    """As many processes as there are processors for this one."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _timed(check: Check, context: Context) -> Finished:
    start = time.perf_counter()
    result = check.run(context)
    return Finished(result, time.perf_counter() - start)


_ERRORED: dict[int, Verdict] = {3: Verdict.MALFORMED, 4: Verdict.UNSUPPORTED}


def _errored(check_id: str, error: GenconformError) -> CheckResult:
    message = (
        error.message if error.remedy is None else f"{error.message.rstrip('.')}. {error.remedy}"
    )
    finding = Finding(
        "check.error",
        Level.ERROR,
        message,
        error.location or Location(),
        error.expected,
        error.actual,
    )
    return CheckResult(check_id, _ERRORED.get(error.exit_code, Verdict.FAIL), {}, (finding,))


def _failed_within(check_id: str, error: BaseException) -> CheckResult:
    """The result of a check that is at fault itself, from which nothing follows."""
    message = (
        f"internal error: {type(error).__name__}: {error}. The check concluded nothing. "
        "Run again with --traceback and report what it prints."
    )
    finding = Finding("check.error", Level.ERROR, message)
    return CheckResult(check_id, Verdict.INCOMPLETE, {}, (finding,))
