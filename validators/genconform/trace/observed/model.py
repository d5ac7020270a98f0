"""An observation: what one payload of an engine, a provider or a client says, and how it says it.

Each number carries its origin, its scope and, where it is a time, the clock that it starts at. What
the payload does not say is absent, which is neither zero nor false.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated, Any, Literal, NamedTuple

from msgspec import UNSET, Meta, Struct, UnsetType, field

from genconform.lifecycle.packet import Text
from genconform.trace.format import Count, Digest, Number, Shape


class Origin(StrEnum):
    """Who says a number: the payload, a formula over others of the payload, or a person."""

    OBSERVED = "observed"
    DERIVED = "derived"
    DECLARED = "declared"


class Scope(StrEnum):
    """What a number is about. Only one about a request is evidence about that request."""

    REQUEST = "request"
    PROCESS = "process"
    INTERVAL = "interval"


class Clock(StrEnum):
    """The moment at which a time begins to count."""

    ARRIVAL = "arrival"
    SCHEDULING = "scheduling"
    CLIENT_SEND = "clientSend"
    GENERATION = "generation"


class NumberKind(NamedTuple):
    """What a name of `NUMBERS` stands for: its unit, and what it counts."""

    unit: str
    meaning: str


NUMBERS: dict[str, NumberKind] = {
    "promptTokens": NumberKind("tokens", "the whole prompt, cached part included"),
    "uncachedPromptTokens": NumberKind("tokens", "the prompt without what a cache gave"),
    "cachedTokens": NumberKind("tokens", "the part of the prompt that a cache gave"),
    "cacheWrittenTokens": NumberKind("tokens", "the part of the prompt that was put into a cache"),
    "cacheWritten5mTokens": NumberKind("tokens", "of those, kept for five minutes"),
    "cacheWritten1hTokens": NumberKind("tokens", "of those, kept for an hour"),
    "heldTokens": NumberKind("tokens", "what the request's slot holds after it"),
    "maxNewTokens": NumberKind("tokens", "the most that was asked for"),
    "outputTokens": NumberKind("tokens", "what came out"),
    "outputs": NumberKind("outputs", "answers to one prompt, where there are several"),
    "reasoningTokens": NumberKind("tokens", "thinking; where inside the output says its shape"),
    "totalTokens": NumberKind("tokens", "prompt and output as the source sums them"),
    "acceptedPredictionTokens": NumberKind("tokens", "of a client's prediction, used"),
    "rejectedPredictionTokens": NumberKind(
        "tokens", "of a client's prediction, charged and unused"
    ),
    "proposedTokens": NumberKind("tokens", "drafted"),
    "acceptedTokens": NumberKind("tokens", "drafted and accepted, without bonus tokens"),
    "verifySteps": NumberKind("steps", "verifications of a draft"),
    "plainSteps": NumberKind("steps", "steps without a draft"),
    "firstTokens": NumberKind("tokens", "emitted by the prompt's own pass"),
    "trimmedTokens": NumberKind("tokens", "emitted past the end, and cut"),
    "tokensPerDraft": NumberKind("tokens", "the most that one draft may hold"),
    "acceptanceRate": NumberKind("share", "accepted over proposed tokens"),
    "meanAcceptedLength": NumberKind("tokens", "tokens a step; bonusCounted says which"),
    "acceptanceHistogram": NumberKind("steps", "item j: the steps that accepted j tokens"),
    "acceptedPerStep": NumberKind("tokens", "accepted, a step an item"),
    "proposedPerStep": NumberKind("tokens", "proposed, a step an item"),
    "emittedPerStep": NumberKind("tokens", "accepted and bonus tokens, a step an item"),
    "acceptedPerPosition": NumberKind("tokens", "accepted at each place of a draft"),
    "queueSeconds": NumberKind("seconds", "from arrival to scheduling"),
    "loadSeconds": NumberKind("seconds", "loading the model"),
    "promptSeconds": NumberKind("seconds", "computing the prompt"),
    "timeToFirstTokenSeconds": NumberKind("seconds", "to the first token"),
    "timeToFirstChunkSeconds": NumberKind("seconds", "to the first chunk, which may hold several"),
    "generationSeconds": NumberKind("seconds", "decoding"),
    "interTokenSeconds": NumberKind("seconds", "between two tokens, on average"),
    "totalSeconds": NumberKind("seconds", "the whole request, by the server's clock"),
    "clientSeconds": NumberKind("seconds", "the whole request, by the client's clock"),
    "startedAtSeconds": NumberKind("seconds", "when it began, since an epoch of the source"),
    "endedAtSeconds": NumberKind("seconds", "when it ended, since the same"),
    "tokensPerSecond": NumberKind("tokens/s", "as the source reports it"),
    "promptTokensPerSecond": NumberKind("tokens/s", "of the prompt, as the source reports it"),
    "chunks": NumberKind("chunks", "pieces of a stream that the client received"),
    "chunkArrivalMicroseconds": NumberKind("microseconds", "when each chunk arrived"),
    "preemptions": NumberKind("requests", "set aside and computed again"),
    "cacheQueryTokens": NumberKind("tokens", "looked up in the prefix cache"),
    "cacheHitTokens": NumberKind("tokens", "found there"),
    "requests": NumberKind("requests", "finished"),
    "chargedTokens": NumberKind("tokens", "output tokens that were billed"),
    "peakMemoryBytes": NumberKind("bytes", "the most memory in use"),
}
"""Every number that an observation may hold. None stands in for another."""

Value = Number | Annotated[tuple[Count, ...], Meta(max_length=1_000_000)]


class Quantity(Shape, frozen=True):
    """A number and where it comes from; `at` is its place in the payload."""

    value: Value
    origin: Origin
    scope: Scope
    at: str = ""
    formula: str | UnsetType = UNSET
    clock: Clock | UnsetType = UNSET


class RequestFacts(Shape, frozen=True):
    """What was asked for. `prompt_form` says what the digest is of: a text, or chat messages."""

    prompt_digest: Digest | UnsetType = UNSET
    prompt_form: Literal["text", "messages", "tokens"] | UnsetType = UNSET
    prompt_text: str | UnsetType = UNSET
    prompt_token_ids: tuple[Count, ...] | UnsetType = UNSET
    settings: dict[str, Any] | UnsetType = UNSET
    model: Text | UnsetType = UNSET
    marker: Text | UnsetType = UNSET

    @property
    def greedy(self) -> bool:
        """Whether it is known to take the likeliest token at each step."""
        return self.settings is not UNSET and self.settings.get("temperature") == 0


class OutputFacts(Shape, frozen=True):
    """What came out."""

    digest: Annotated[Digest, Meta(description="Of the list of token ids.")] | UnsetType = UNSET
    token_ids: tuple[Count, ...] | UnsetType = UNSET
    text_digest: Digest | UnsetType = UNSET
    text: str | UnsetType = UNSET
    finish: Text | UnsetType = UNSET
    model: Text | UnsetType = UNSET


class CacheKey(Shape, frozen=True):
    """What a cached prefix belongs to, as far as it is known."""

    model: Text | UnsetType = UNSET
    adapter: Text | UnsetType = UNSET
    adapter_digest: Text | UnsetType = UNSET
    salt: Text | UnsetType = UNSET
    epoch: Count | UnsetType = UNSET


class CacheEvent(Shape, frozen=True):
    """Something that happened to a cache.

    `content` is the digest of the token ids of a prompt's first block, `tokens_digest` of all that
    were stored.
    """

    kind: Literal["stored", "removed", "cleared", "weightsUpdated"]
    key: CacheKey = CacheKey()
    content: Digest | UnsetType = UNSET
    tokens: Count | UnsetType = UNSET
    block_size: Count | UnsetType = UNSET
    tokens_digest: Digest | UnsetType = UNSET


class CacheFacts(Shape, frozen=True):
    """The cache key of a request, and events of the process's cache."""

    key: CacheKey = CacheKey()
    dtype: Text | UnsetType = UNSET
    empty_at_start: bool | UnsetType = UNSET
    events: tuple[CacheEvent, ...] = ()


class ModelFacts(Shape, frozen=True):
    """A model of the request, and its vocabulary."""

    vocabulary_size: Count | UnsetType = UNSET
    tokenizer_digest: Text | UnsetType = UNSET


class Models(Shape, frozen=True):
    """Target and draft, where they are told."""

    target: ModelFacts = ModelFacts()
    draft: ModelFacts = ModelFacts()


class ReferenceFacts(Shape, frozen=True):
    """The plain run of the same request, with the margin of logits at each token if known."""

    token_ids: tuple[Count, ...]
    margins: tuple[Number, ...] | UnsetType = UNSET


class Told(Shape, frozen=True):
    """What was told of how the request was served."""

    mode: Text | UnsetType = UNSET
    fallback: Text | UnsetType = UNSET
    aborted: bool | UnsetType = UNSET
    prompts_unrelated: (
        Annotated[bool, Meta(description="No two prompts share a prefix.")] | UnsetType
    ) = UNSET


class Claim(Shape, frozen=True):
    """What somebody says of an observation, `of`, or of two."""

    kind: Literal["value", "faster", "equal"]
    number: Text
    of: Text
    against: Text | UnsetType = UNSET
    value: Number | UnsetType = UNSET
    bonus_counted: bool | UnsetType = UNSET


class Observation(Shape, frozen=True):
    """One record of a source.

    `cached_inside_prompt` and `bonus_counted` are how the source itself counts. `declared` is what
    the user said of every record, which is nobody's observation. `unread` lists the
    places of the payload that no number and no fact was taken from.
    """

    id: Text
    adapter: Text
    shape: Text
    line: Annotated[int, Meta(ge=1)]
    payload_digest: Digest
    numbers: dict[str, Quantity] = field(default_factory=dict)
    cached_inside_prompt: bool | UnsetType = UNSET
    bonus_counted: bool | UnsetType = UNSET
    absent_drafts_mean_none: bool | UnsetType = UNSET
    request: RequestFacts = RequestFacts()
    output: OutputFacts = OutputFacts()
    cache: CacheFacts = CacheFacts()
    models: Models = Models()
    told: Told = Told()
    reference: ReferenceFacts | UnsetType = UNSET
    declared: dict[str, str] = field(default_factory=dict)
    claims: tuple[Claim, ...] = ()
    unread: tuple[str, ...] = ()

    @property
    def model(self) -> str | UnsetType:
        """What ran: by the source's word, else by the request's or the user's."""
        for said in (self.output.model, self.request.model):
            if said is not UNSET:
                return said
        return self.declared.get("model", UNSET)

    def number(self, name: str) -> float | UnsetType:
        """The value of a number about this request; absent where it is about something else."""
        found = self.numbers.get(name)
        if found is None or found.scope is not Scope.REQUEST or isinstance(found.value, tuple):
            return UNSET
        return found.value

    def total(self, name: str) -> float | UnsetType:
        """The value of a number whatever it is about."""
        found = self.numbers.get(name)
        return UNSET if found is None or isinstance(found.value, tuple) else found.value

    def each(self, *names: str) -> tuple[float, ...] | None:
        """The values of numbers about this request, if all of them are there."""
        return _all(self.number(name) for name in names)

    def totals(self, *names: str) -> tuple[float, ...] | None:
        """The values of numbers whatever they are about, if all of them are there."""
        return _all(self.total(name) for name in names)

    def series(self, name: str) -> tuple[int, ...] | UnsetType:
        """The value of a list of numbers."""
        found = self.numbers.get(name)
        return found.value if found and isinstance(found.value, tuple) else UNSET


class Recording(Struct, frozen=True):
    """A recording by the name of its file."""

    name: str
    observations: tuple[Observation, ...]

    @property
    def requests(self) -> tuple[Observation, ...]:
        """Those that are of requests, and not of a process or a claim."""
        return tuple(one for one in self.observations if one.each("outputTokens"))


def _all(found: Iterable[float | UnsetType]) -> tuple[float, ...] | None:
    values = tuple(found)
    there = tuple(value for value in values if value is not UNSET)
    return there if len(there) == len(values) else None


class Fault(Struct, frozen=True):
    """What a rule found in an observation: where in it, what is wrong, what should be."""

    pointer: str
    message: str
    expected: Any = None
    actual: Any = None
