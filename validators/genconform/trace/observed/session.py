"""What observations must agree with one another in: the requests of one log, in its order.

Rules see an observation and the history before it, which keeps of each request only what they need.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from msgspec import UNSET, Struct, UnsetType

from genconform.digest.canonical import canonical_digest
from genconform.trace.observed.model import CacheKey, Fault, Observation, Quantity, Scope
from genconform.trace.observed.rules import at, first_divergence

_QUANTIZED = ("int8", "int4", "fp8", "q8", "q4", "q5", "turbo")
_KEY_RULES = {
    "epoch": ("observed.cache.stale-epoch", "weights were updated, and the cache was kept"),
    "adapter_digest": (
        "observed.cache.adapter-weights",
        "an adapter of the same name had other weights",
    ),
    "adapter": ("observed.cache.adapter-omitted", "the cache's key leaves the adapter out"),
    "salt": ("observed.cache.salt-crossed", "a cache was shared across salts"),
    "model": ("observed.cache.model-crossed", "a cache was shared across models"),
}
"""The rule that names a difference between two cache keys, the first that differs counts."""


class Kept(Struct, frozen=True, gc=False):
    """What is kept of an observation: for claims, and for outputs of the same prompt."""

    numbers: dict[str, Quantity]
    bonus_counted: bool | UnsetType
    cached_inside_prompt: bool | UnsetType
    output: tuple[int, ...] | str | UnsetType


class History:
    """What went before in a log, and what is known of its caches."""

    def __init__(self) -> None:
        self.kept: dict[str, Kept] = {}
        self.stored: dict[str, list[CacheKey]] = {}
        self.block_sizes: set[int] = set()
        self.empty_at_start = False
        self.outputs: dict[tuple[object, ...], Kept] = {}
        self.markers: dict[str, str] = {}
        self.counters: dict[tuple[str, str], float] = {}

    def add(self, seen: Observation) -> None:
        """Take an observation in, once it was judged."""
        output = seen.output
        said = output.token_ids if output.token_ids is not UNSET else _output_digest(seen)
        kept = Kept(seen.numbers, seen.bonus_counted, seen.cached_inside_prompt, said)
        self.kept.setdefault(seen.id, kept)
        if seen.request.marker is not UNSET:
            self.markers.setdefault(seen.request.marker, seen.id)
        if (key := _miss(seen)) is not None:
            self.outputs.setdefault(key, kept)
        for name, found in _counters(seen):
            self.counters[seen.adapter, name] = found
        self._cache(seen)

    def _cache(self, seen: Observation) -> None:
        if seen.cache.empty_at_start is True:
            self.empty_at_start = True
        for event in seen.cache.events:
            if event.kind == "cleared":
                self.empty_at_start = True
                self.stored.clear()
            elif event.kind == "stored" and event.content is not UNSET:
                self.stored.setdefault(event.content, []).append(event.key)
                if event.block_size is not UNSET:
                    self.block_sizes.add(event.block_size)
        cached = seen.each("cachedTokens")
        if cached is not None:
            for content in _contents(seen, self.block_sizes):
                self.stored.setdefault(content, []).append(seen.cache.key)


def _output_digest(seen: Observation) -> str | UnsetType:
    output = seen.output
    return output.digest if output.digest is not UNSET else output.text_digest


def _miss(seen: Observation) -> tuple[object, ...] | None:
    """What tells a greedy request that met no cache, so that a hit of the same can be compared."""
    request = seen.request
    if not request.greedy or request.prompt_digest is UNSET or seen.each("cachedTokens") != (0,):
        return None
    return _same_request(seen)


def _same_request(seen: Observation) -> tuple[object, ...]:
    settings = {} if seen.request.settings is UNSET else seen.request.settings
    return (
        seen.request.prompt_digest,
        canonical_digest(settings),
        seen.number("maxNewTokens"),
        seen.model,
    )


def _contents(seen: Observation, sizes: Iterable[int]) -> Iterator[str]:
    """What names the beginning of a request's prompt in a cache."""
    if seen.request.prompt_digest is not UNSET:
        yield seen.request.prompt_digest
    ids = seen.request.prompt_token_ids
    if ids is not UNSET:
        yield from (canonical_digest(ids[:size]) for size in sorted(sizes) if size <= len(ids))


def _counters(seen: Observation) -> Iterator[tuple[str, float]]:
    for name, found in seen.numbers.items():
        if found.scope is Scope.PROCESS and not isinstance(found.value, tuple):
            yield name, found.value


Found = tuple[str, Fault]
SessionRule = Callable[[Observation, History], Iterator[Found]]


def duplicate_id(seen: Observation, history: History) -> Iterator[Found]:
    """No two records of a log have the same id."""
    if seen.id in history.kept:
        message = f"the record {seen.id} stands twice"
        yield "observed.id.duplicate", Fault("/id", message, "each id once", seen.id)


def counter_decreases(seen: Observation, history: History) -> Iterator[Found]:
    """A process's counters never go down from one page to the next."""
    if seen.shape != "prometheus":
        return
    for name, found in _counters(seen):
        before = history.counters.get((seen.adapter, name), 0)
        if found < before:
            message = "a counter went down"
            yield (
                "observed.counter.decreases",
                Fault(at(name), message, f"at least {before}", found),
            )


def cache_key_crossed(seen: Observation, history: History) -> Iterator[Found]:
    """A hit is of something stored under the same model, adapter, weights, salt and epoch.

    Asked only where the cache is known to have been empty, so that every store was seen.
    """
    cached = seen.each("cachedTokens")
    if cached is None or not cached[0] or not history.empty_at_start:
        return
    stores = [
        key
        for content in _contents(seen, history.block_sizes)
        for key in history.stored.get(content, ())
    ]
    differing = [_differing(seen.cache.key, key) for key in stores]
    if not differing or None in differing:
        return
    field = next(name for name in _KEY_RULES if name in differing)
    id_, message = _KEY_RULES[field]
    store = stores[differing.index(field)]
    expected = f"{getattr(store, field)}, under which it was stored"
    where = f"/cache/key/{'adapterDigest' if field == 'adapter_digest' else field}"
    found = getattr(seen.cache.key, field)
    yield id_, Fault(where, f"{message}: {cached[0]} tokens were hit", expected, found)


def _differing(one: CacheKey, other: CacheKey) -> str | None:
    """The first field that is known of both and differs; an adapter's name before its bytes."""
    names = ("model", "salt", "adapter", "adapter_digest", "epoch")
    for name in names:
        left, right = getattr(one, name), getattr(other, name)
        if left is not UNSET and right is not UNSET and left != right:
            return name
    return None


def recomputed_as_hit(seen: Observation, _: History) -> Iterator[Found]:
    """Prompts that share nothing have no hits: after preemptions their own blocks are counted."""
    found = seen.totals("preemptions", "cacheHitTokens", "cacheQueryTokens")
    if found is None or seen.told.prompts_unrelated is not True:
        return
    preempted, hits, queries = found
    if preempted > 0 and hits > 0:
        share = f"{hits / queries:.0%}" if queries else f"{hits} tokens"
        message = f"{preempted} preemptions made hits of prompts that share nothing"
        yield "observed.cache.recomputed-as-hit", Fault(at("cacheHitTokens"), message, 0, share)


def leaked_content(seen: Observation, history: History) -> Iterator[Found]:
    """No output carries the marker of another request's prompt."""
    text, own = seen.output.text, seen.request.marker
    if text is UNSET:
        return
    for marker, owner in history.markers.items():
        if marker != own and marker in text:
            cached = seen.each("cachedTokens")
            hit = f", with {cached[0]} cached tokens reported" if cached else ""
            message = f"the output carries the marker of {owner}{hit}"
            yield "observed.cache.leaked-content", Fault("/output/text", message, "none", marker)


def hit_changes_output(seen: Observation, history: History) -> Iterator[Found]:
    """A greedy request has the same output on a hit of a quantized cache as on a miss."""
    cached, dtype = seen.each("cachedTokens"), seen.cache.dtype
    if cached is None or not cached[0] or dtype is UNSET or not _quantized(dtype):
        return
    miss = history.outputs.get(_same_request(seen)) if seen.request.greedy else None
    if miss is None or miss.output is UNSET:
        return
    output = seen.output.token_ids if isinstance(miss.output, tuple) else _output_digest(seen)
    if output is not UNSET and output != miss.output:
        message = f"with a {dtype} cache, a hit gives another output than the miss"
        yield "observed.cache.hit-changes-output", Fault("/output", message, *_sides(miss, output))


def _sides(miss: Kept, output: object) -> tuple[object, object]:
    if isinstance(miss.output, tuple) and isinstance(output, tuple):
        place = first_divergence(miss.output, output)
        return "the same tokens", f"others from token {place}"
    return miss.output, output


def _quantized(dtype: str) -> bool:
    return dtype.lower().startswith(_QUANTIZED)


SESSION_RULES: tuple[SessionRule, ...] = (
    duplicate_id,
    counter_decreases,
    cache_key_crossed,
    recomputed_as_hit,
    leaked_content,
    hit_changes_output,
)
