"""The suite `mode-selections`: which generation mode serves a request, and what may not.

A selector that is fast and wrong is caught here: every ground to refuse a mode has its rule, and a
refusal names its grounds, all of them and no other. spec/policies.md is the page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Literal

from msgspec import Meta

from genconform.digest.canonical import canonical_digest
from genconform.spec.modes import Mode, ModeRegistry, Status
from genconform.suites.record import (
    Digest,
    Fault,
    Record,
    RecordRules,
    Rule,
    Seconds,
    Text,
    in_spite_of,
    unequal,
)
from genconform.trace.format import AUTOREGRESSIVE, RiskTier

HIGH_RISK = ("high", "critical")
Ground = Literal[
    "not-routable",
    "acceleration-forbidden",
    "not-qualified",
    "qualification-expired",
    "qualification-withdrawn",
    "environment-changed",
    "fallback-not-reserved",
]


class Request(Record, frozen=True):
    """What was asked for. `gates` are the checks that were frozen for it."""

    task_id: Text
    mode: Text
    risk_tier: RiskTier
    acceleration_allowed: bool
    requested_at_seconds: Seconds
    latency_budget_seconds: Seconds
    deadline_seconds: Seconds
    environment_digest: Digest
    gates: Annotated[tuple[Text, ...], Meta(min_length=1)]


class Qualification(Record, frozen=True):
    """Evidence that a mode may serve: for one environment, until it expires or is withdrawn."""

    mode: Text
    environment_digest: Digest
    qualified_at_seconds: Seconds
    expires_at_seconds: Seconds
    withdrawn: bool


class Reserve(Record, frozen=True):
    """What the fallback takes, and what is held back for it."""

    needed_seconds: Seconds
    reserved_seconds: Seconds


class Decision(Record, frozen=True):
    """What was decided: the mode that serves, the gates that it passes, why another does not."""

    id: Digest
    outcome: Literal["select", "refuse"]
    serves: Text
    grounds: tuple[Ground, ...]
    gates: tuple[Text, ...]


class ModeSelection(Record, frozen=True):
    """A request, the registry's entries as they stood, and the decision. `about` is for readers."""

    version: Literal[1]
    about: Text
    registry: Annotated[tuple[Mode, ...], Meta(min_length=1)]
    request: Request
    qualification: Qualification | None
    reserve: Reserve
    decision: Decision

    @property
    def entry(self) -> Mode | None:
        """The registry's entry for the mode that was asked for."""
        return next((mode for mode in self.registry if mode.name == self.request.mode), None)

    @property
    def selects(self) -> bool:
        """Whether the mode that was asked for is to serve."""
        return self.decision.outcome == "select"

    @property
    def fast(self) -> bool:
        """Whether another mode than the baseline was asked for."""
        return self.request.mode != AUTOREGRESSIVE


rules = RecordRules(ModeSelection)
_Faults = Iterator[Fault]


# --- the registry ----------------------------------------------------------------------------


def unproven(mode: Mode) -> Iterator[str]:
    """What is wrong with the evidence of an entry: what is routable has run, and is recorded."""
    if bool(mode.ran) != bool(mode.records):
        yield "what ran has records, and what has records ran"
    if mode.status is Status.ROUTABLE and not mode.ran:
        yield "it is routable, and nothing ran"


def without_fallback(mode: Mode) -> Iterator[str]:
    """What is wrong with the fallback of an entry: the baseline needs none, all others have it."""
    if (mode.fallback is None) != (mode.name == AUTOREGRESSIVE):
        yield "every mode but the baseline has a fallback"
    elif mode.fallback not in (None, AUTOREGRESSIVE):
        yield "the fallback is not the baseline, and may itself fail"


ENTRY_RULES = {
    "modes.entry.unproven": unproven,
    "modes.entry.fallback-unfit": without_fallback,
}
"""The rules that hold for every entry of a registry, in spec/modes.yaml as in a selection."""


def entry_faults(registry: Iterable[Mode]) -> Iterator[tuple[str, int, str]]:
    """The rule, the place and the reason of all that is wrong with the entries of a registry."""
    for index, mode in enumerate(registry):
        for id_, rule in ENTRY_RULES.items():
            for reason in rule(mode):
                yield id_, index, reason


def _of_entries(id_: str) -> Rule[ModeSelection]:
    def entries_hold(selection: ModeSelection) -> _Faults:
        for rule, index, reason in entry_faults(selection.registry):
            if rule == id_:
                yield Fault(f"/registry/{index}", reason)

    return entries_hold


for _id in ENTRY_RULES:
    rules.rule(_id)(_of_entries(_id))


# --- the decision ----------------------------------------------------------------------------


def grounds(selection: ModeSelection) -> dict[str, Fault]:
    """Why the mode that was asked for must not serve, by ground. The baseline needs no more than
    to be routable."""
    request, entry = selection.request, selection.entry
    found = {}
    if entry is None or entry.status is not Status.ROUTABLE:
        status = entry.status.value if entry else "not in the registry"
        found["not-routable"] = Fault(
            "/request/mode", "the mode is not routable", "routable", status
        )
    if not selection.fast:
        return found
    if request.risk_tier in HIGH_RISK and not request.acceleration_allowed:
        message = f"acceleration is forbidden at {request.risk_tier} risk"
        found["acceleration-forbidden"] = Fault(
            "/request/accelerationAllowed", message, True, False
        )
    return found | _qualification_grounds(selection) | _reserve_grounds(selection)


def _qualification_grounds(selection: ModeSelection) -> dict[str, Fault]:
    held, request = selection.qualification, selection.request
    if held is None or held.mode != request.mode:
        return {"not-qualified": Fault("/qualification", "the mode has no qualification")}
    found = {}
    if not held.qualified_at_seconds <= request.requested_at_seconds < held.expires_at_seconds:
        message = "the qualification does not hold at the time of the request"
        place = "/qualification/expiresAtSeconds"
        limits = (request.requested_at_seconds, held.expires_at_seconds)
        found["qualification-expired"] = Fault(place, message, *limits)
    if held.withdrawn:
        message = "the qualification was withdrawn"
        found["qualification-withdrawn"] = Fault("/qualification/withdrawn", message, False, True)
    if held.environment_digest != request.environment_digest:
        message = "the environment is not the one that was qualified"
        digests = (held.environment_digest, request.environment_digest)
        found["environment-changed"] = Fault("/request/environmentDigest", message, *digests)
    return found


def _reserve_grounds(selection: ModeSelection) -> dict[str, Fault]:
    """A fallback is reserved if all it takes is held back, and fits between budget and deadline."""
    reserve, request = selection.reserve, selection.request
    left = request.deadline_seconds - request.latency_budget_seconds
    if reserve.needed_seconds <= min(reserve.reserved_seconds, left):
        return {}
    message = "the fallback is not reserved, or would come after the deadline"
    place = "/reserve/reservedSeconds"
    held = min(reserve.reserved_seconds, left)
    return {"fallback-not-reserved": Fault(place, message, reserve.needed_seconds, held)}


REFUSED_BY: dict[str, str] = {
    "not-routable": "selection.mode.unroutable",
    "acceleration-forbidden": "selection.acceleration.forbidden",
    "not-qualified": "selection.qualification.missing",
    "qualification-expired": "selection.qualification.expired",
    "qualification-withdrawn": "selection.qualification.withdrawn",
    "environment-changed": "selection.environment.changed",
    "fallback-not-reserved": "selection.fallback.unreserved",
}
"""The rule that catches a mode which is selected in spite of each ground."""


for _ground, _id in REFUSED_BY.items():
    rules.rule(_id)(in_spite_of(_ground, grounds, lambda selection: selection.selects))


@rules.rule("selection.grounds.differ")
def refusal_names_its_grounds(selection: ModeSelection) -> _Faults:
    """A refusal names every ground that there is, and no other; a selection names none."""
    refused = not selection.selects
    expected = sorted(grounds(selection)) if refused else []
    stated = sorted(selection.decision.grounds)
    yield from unequal("/decision/grounds", stated, expected, "not the grounds that there are")
    if refused and not expected:
        yield Fault("/decision/outcome", "nothing speaks against the mode", "select", "refuse")


@rules.rule("selection.served.unfit")
def what_serves_follows(selection: ModeSelection) -> _Faults:
    """The mode that was selected serves; where it was refused, the baseline does."""
    expected = selection.request.mode if selection.selects else AUTOREGRESSIVE
    yield from unequal(
        "/decision/serves", selection.decision.serves, expected, "unfit for the outcome"
    )


@rules.rule("selection.gates.weakened")
def gates_are_kept(selection: ModeSelection) -> _Faults:
    """Whatever serves passes the gates that were frozen for the request, every one of them."""
    message = "not the gates that were frozen; pressure is no reason to drop one"
    frozen, passed = list(selection.request.gates), list(selection.decision.gates)
    yield from unequal("/decision/gates", passed, frozen, message)


@rules.rule("selection.decision.id-differs")
def decision_has_its_id(selection: ModeSelection) -> _Faults:
    """A decision's id is the digest of all that it was taken on."""
    basis = {
        "registry": selection.registry,
        "request": selection.request,
        "qualification": selection.qualification,
        "reserve": selection.reserve,
    }
    message = "the id is not the digest of registry, request, qualification and reserve"
    yield from unequal("/decision/id", selection.decision.id, canonical_digest(basis), message)


def select(registry: ModeRegistry, name: str) -> Mode:
    """What a selector may route to: the mode of this name if it is routable, else its fallback.

    Raises:
        UsageError: there is no such mode.
    """
    mode = registry.mode(name)
    if mode.status is Status.ROUTABLE or mode.fallback is None:
        return mode
    return registry.mode(mode.fallback)


SUITE = rules.suite(
    "mode-selections",
    "which generation mode serves a request, and what may not",
    free={"/about": "a sentence for the reader"},
)
