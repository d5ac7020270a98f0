"""The whole input space of each stage: every combination of the booleans that it may ask about.

A stage has a few booleans of its own and seven that are asked at every stage. A combination is a
number: bit i is the i-th name, own names first. The names are written by hand here, from the facts
of the lifecycle, so that a table which reads something else is found.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Any

import msgspec

from genconform.lifecycle.packet import (
    BOOLEAN_NAMES,
    Case,
    Counters,
    Event,
    EventKind,
    Identity,
    Packet,
    Stage,
    State,
)

COMMON_NAMES: tuple[str, ...] = (
    "kindMatches",
    "taskMatches",
    "modeMatches",
    "evaluatorMatches",
    "resultMatches",
    "digestFresh",
    "externalEffectRequested",
)

OWN_NAMES: dict[Stage, tuple[str, ...]] = {
    Stage.REQUESTED: (
        "requestWellFormed",
        "contextPacket",
        "taskSet",
        "consumer",
        "deadline",
        "rights",
    ),
    Stage.CONTEXT_BOUND: (
        "fastModeRequested",
        "generationMode",
        "riskTier",
        "qualityTarget",
        "verifierIdentity",
        "independentEvaluator",
        "acceptancePredicate",
        "matchedBaseline",
        "latencyBudget",
        "computeMemoryBudget",
        "highRisk",
        "riskOverride",
        "slowFallback",
        "highRiskReview",
    ),
    Stage.MODE_SELECTED: (
        "generator",
        "draftArtifact",
        "proposedOutput",
        "generationCost",
        "searchBound",
    ),
    Stage.DRAFT_GENERATED: (
        "observedVerification",
        "verificationPassed",
        "fallbackExecutable",
        "fallbackResidual",
        "acceptedOutput",
        "qualityPass",
    ),
    Stage.VERIFIED: (
        "verifierCost",
        "fallbackCost",
        "taskSuccess",
        "baselineResult",
        "usefulDenominator",
        "costMetricSeparation",
        "outputDigest",
        "fallbackActivated",
    ),
    Stage.ACCOUNTED: (
        "acceptedOutput",
        "taskSuccess",
        "baselineResult",
        "rawSpeedPromotionRequested",
        "supportPromotionRequested",
        "evidenceTransition",
        "decisionReceipt",
        "decisionNonClaims",
    ),
    Stage.DECIDED: (
        "consumerAcknowledgment",
        "residualClosure",
        "descendantReferences",
        "resultDigestBound",
        "cleanup",
    ),
    Stage.CLOSED: (),
}

KIND_OF: dict[Stage, EventKind] = dict(zip(Stage, (*EventKind, EventKind.CLOSE), strict=True))

IDENTITY = Identity(
    task_id="task",
    task_version=1,
    context_digest="context",
    task_set_digest="task set",
    consumer_digest="consumer",
    mode_digest="mode",
    baseline_digest="baseline",
    verifier_digest="verifier",
    result_digest="result",
    residual_digest="residual",
)
_IDENTITY_VALUES = msgspec.structs.astuple(IDENTITY)

# The booleans that are false when nothing is amiss.
_ALARMING = {
    "externalEffectRequested",
    "highRisk",
    "rawSpeedPromotionRequested",
    "supportPromotionRequested",
    "fallbackActivated",
}
_OWN_BOOLEANS = {name for names in OWN_NAMES.values() for name in names} - {"fallbackActivated"}

# Positions in an identity of the values that each matching fact is about.
_COMPARED: dict[str, range] = {
    "taskMatches": range(5),
    "modeMatches": range(5, 7),
    "evaluatorMatches": range(7, 8),
    "resultMatches": range(8, 10),
}


@dataclass(frozen=True)
class StageSpace:
    """All combinations of one stage's booleans, numbered from 0 to `size` - 1.

    `names` are the stage's own booleans followed by COMMON_NAMES; bit i of a combination's number
    is the value of `names[i]`. `offset` is the number of combinations of the stages before.
    """

    stage: Stage
    names: tuple[str, ...]
    offset: int

    @property
    def size(self) -> int:
        """How many combinations there are."""
        return 1 << len(self.names)

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.size))

    def values(self, index: int) -> dict[str, bool]:
        """The booleans of a combination, by name."""
        return {name: bool(index >> bit & 1) for bit, name in enumerate(self.names)}

    def index(self, values: Mapping[str, bool]) -> int:
        """The number of a combination; what is not one of `names` is left aside."""
        return sum(1 << bit for bit, name in enumerate(self.names) if values[name])

    def index_of(self, case: Case) -> int:
        """The number of the combination that a state and an event at this stage realise."""
        return self.index(values_of(case))

    def case(self, index: int) -> Case:
        """A state and an event that realise a combination.

        What the combination leaves open varies with its number, so that a machine which looks at
        the wrong thing is found: the booleans of other stages, which of the identity values
        differs, which wrong kind the event has, and which earlier step consumed its digest.
        """
        own, common = index & self._own_mask, index >> self.own_bits
        kind_matches, fresh, effect = common & 1, common & 32, common >> 6
        free = _spread(index)
        booleans = self._booleans_of[own] | free & self._free_booleans | effect
        fields = (*_substituted(common >> 1 & 15, free % 10), _EVENT_DIGEST, *_unpacked(booleans))
        kind = KIND_OF[self.stage] if kind_matches else self._other_kinds[free % 6]
        replayed = None if fresh else free % (self._number + 1)
        state = _state(self.stage, replayed, bool(own & self._fallback_activated))
        return Case(state, Event(kind, Packet(*fields)))

    @property
    def plain(self) -> int:
        """The combination in which nothing is amiss and nothing out of the ordinary is asked."""
        return self.index({name: name not in _ALARMING for name in self.names})

    @property
    def own_bits(self) -> int:
        """How many of the booleans are the stage's own."""
        return len(self.names) - len(COMMON_NAMES)

    @cached_property
    def _own_mask(self) -> int:
        return (1 << self.own_bits) - 1

    @cached_property
    def _number(self) -> int:
        return list(Stage).index(self.stage)

    @cached_property
    def _other_kinds(self) -> tuple[EventKind, ...]:
        return tuple(kind for kind in EventKind if kind is not KIND_OF[self.stage])

    @cached_property
    def _fallback_activated(self) -> int:
        """The bit of that fact, which comes after the packet's booleans; 0 where none asks it."""
        return sum(1 << bit for bit, name in enumerate(self.names) if name == "fallbackActivated")

    @cached_property
    def _free_booleans(self) -> int:
        """Those of the packet's booleans that no line of the stage asks about, as bits."""
        return sum(1 << bit for bit, name in enumerate(BOOLEAN_NAMES) if name not in self.names)

    @cached_property
    def _booleans_of(self) -> list[int]:
        """The packet's booleans, as bits, of each combination of the stage's own."""
        bits = [1 << BOOLEAN_NAMES.index(name) for name in self.names if name in _OWN_BOOLEANS]
        words = [0]
        for bit in bits:
            words += [word | bit for word in words]
        return words * (1 << self.own_bits - len(bits))


def spaces() -> tuple[StageSpace, ...]:
    """The spaces of the eight stages, in order."""
    return _SPACES


def space_of(stage: str) -> StageSpace:
    """The space of one stage."""
    return _SPACE_OF[stage]


def values_of(case: Case) -> dict[str, bool]:
    """Everything that a line may ask about a case: the 49 booleans and the seven facts."""
    state, packet = case.state, case.event.packet
    fields = msgspec.structs.astuple(packet)
    values: dict[str, Any] = dict(zip(BOOLEAN_NAMES, fields[-len(BOOLEAN_NAMES) :], strict=True))
    identity = msgspec.structs.astuple(state.identity)
    for name, positions in _COMPARED.items():
        values[name] = all(fields[position] == identity[position] for position in positions)
    values["kindMatches"] = case.event.kind is KIND_OF[state.stage]
    values["digestFresh"] = packet.event_digest not in state.consumed_event_digests
    values["fallbackActivated"] = state.counters.fallbacks > 0
    return values


_EVENT_DIGEST = "event"


def _spread(index: int) -> int:
    """49 bits that look unlike the index that they come from (Fibonacci hashing)."""
    return (index * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF) >> 15


@cache
def _substituted(matching: int, free: int) -> tuple[Any, ...]:
    """Ten identity values; where bit i of `matching` is unset, one of group i is another's."""
    packet = list(_IDENTITY_VALUES)
    for group, positions in enumerate(_COMPARED.values()):
        if not matching >> group & 1:
            position = positions[free % len(positions)]
            value = packet[position]
            packet[position] = value + 1 if isinstance(value, int) else f"another {value}"
    return tuple(packet)


_SEVEN = [tuple(bool(word >> bit & 1) for bit in range(7)) for word in range(128)]


def _unpacked(word: int) -> tuple[bool, ...]:
    """The 49 booleans that are the bits of a word, seven at a time."""
    return (
        *_SEVEN[word & 127],
        *_SEVEN[word >> 7 & 127],
        *_SEVEN[word >> 14 & 127],
        *_SEVEN[word >> 21 & 127],
        *_SEVEN[word >> 28 & 127],
        *_SEVEN[word >> 35 & 127],
        *_SEVEN[word >> 42],
    )


@lru_cache(maxsize=256)
def _state(stage: Stage, replayed_step: int | None, fallback: bool) -> State:
    """A state as a run reaches it, in which the event's digest may be that of an earlier step."""
    number = list(Stage).index(stage)
    digests = [f"event {step}" for step in range(number)]
    if replayed_step is not None:
        digests.insert(replayed_step, _EVENT_DIGEST)
    counters = Counters(
        receipts=number,
        drafts=int(number > 2),
        verifications=int(number > 3),
        fallbacks=int(fallback),
        useful_outcomes=int(number > 4),
        decisions=int(number > 5),
        support_assignments=0,
        external_effects=0,
    )
    return State(stage, IDENTITY, tuple(digests), counters)


def _build() -> tuple[StageSpace, ...]:
    built: list[StageSpace] = []
    offset = 0
    for stage, own in OWN_NAMES.items():
        built.append(StageSpace(stage, own + COMMON_NAMES, offset))
        offset += built[-1].size
    return tuple(built)


_SPACES = _build()
_SPACE_OF: dict[str, StageSpace] = {space.stage: space for space in _SPACES}
TOTAL_SIZE = sum(space.size for space in _SPACES)
