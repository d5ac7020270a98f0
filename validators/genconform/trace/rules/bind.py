"""What binds a request to its context."""

from __future__ import annotations

from msgspec import UNSET

from genconform.digest.canonical import canonical_digest, sha256_hex
from genconform.lifecycle.machine import Route
from genconform.lifecycle.packet import EventKind
from genconform.trace.rules.base import Rules
from genconform.trace.shown import (
    Comparisons,
    Shown,
    above_zero,
    digest_of,
    equal,
    given,
    holds,
    text_shown,
)

rules = Rules(EventKind.BIND_CONTEXT)


@rules.shows(
    "requestWellFormed",
    Route.REJECT_MALFORMED_REQUEST,
    reads="request/promptDigest request/promptTokens request/maxNewTokens request/promptText",
)
def request_well_formed(shown: Shown) -> Comparisons:
    """request gives promptDigest, promptTokens and maxNewTokens; a public run gives promptText.

    A promptText has the promptDigest.
    """
    request = shown.bind.request
    text = request.prompt_text
    return (
        given("request/promptDigest", request.prompt_digest),
        above_zero("request/promptTokens", request.prompt_tokens),
        above_zero("request/maxNewTokens", request.max_new_tokens),
        text_shown(shown, "request/promptText", text),
        None
        if text is UNSET
        else equal(
            "request/promptDigest",
            request.prompt_digest,
            sha256_hex(text.encode()),
            "the SHA-256 of promptText",
        ),
    )


@rules.shows(
    "contextPacket",
    Route.REQUIRE_CONTEXT_PACKET,
    reads="contextPacket/digest contextPacket/tokens request/promptTokens",
)
def context_packet(shown: Shown) -> Comparisons:
    """contextPacket.digest is the identity's contextDigest and its tokens are the prompt's."""
    packet = shown.bind.context_packet
    return (
        equal(
            "contextPacket/digest",
            packet.digest,
            shown.identity.context_digest,
            "the identity's contextDigest",
        ),
        equal(
            "contextPacket/tokens",
            packet.tokens,
            shown.bind.request.prompt_tokens,
            "request.promptTokens",
        ),
    )


@rules.shows(
    "taskSet",
    Route.REQUIRE_TASK_SET,
    reads="taskSet/digest taskSet/promptDigests request/promptDigest",
)
def task_set(shown: Shown) -> Comparisons:
    """taskSet.promptDigests has the identity's taskSetDigest and holds the request's prompt."""
    tasks = shown.bind.task_set
    bound = shown.identity.task_set_digest
    prompts = () if tasks.prompt_digests is UNSET else tasks.prompt_digests
    return (
        equal("taskSet/digest", tasks.digest, bound, "the identity's taskSetDigest"),
        equal(
            "taskSet/promptDigests",
            digest_of(tasks.prompt_digests),
            bound,
            "a list with the identity's taskSetDigest",
        ),
        holds(
            shown.bind.request.prompt_digest in prompts,
            "taskSet/promptDigests",
            "a list that holds request.promptDigest",
            tasks.prompt_digests,
        ),
    )


@rules.shows("consumer", Route.REQUIRE_CONSUMER, reads="consumer/name consumer/digest")
def consumer(shown: Shown) -> Comparisons:
    """consumer.digest is the identity's consumerDigest, which is that of {"consumer": name}."""
    who = shown.bind.consumer
    bound = shown.identity.consumer_digest
    return (
        equal("consumer/digest", who.digest, bound, "the identity's consumerDigest"),
        equal(
            "consumer/name",
            UNSET if who.name is UNSET else canonical_digest({"consumer": who.name}),
            bound,
            "a name with the identity's consumerDigest",
        ),
    )


@rules.shows("deadline", Route.REQUIRE_DEADLINE, reads="deadlineSeconds")
def deadline(shown: Shown) -> Comparisons:
    """deadlineSeconds is more than 0."""
    return (above_zero("deadlineSeconds", shown.bind.deadline_seconds),)


@rules.shows("rights", Route.REQUIRE_RIGHTS, reads="rights/license rights/uses")
def rights(shown: Shown) -> Comparisons:
    """rights names a license, and its uses hold "generate"."""
    terms = shown.bind.rights
    uses = () if terms.uses is UNSET else terms.uses
    return (
        given("rights/license", terms.license),
        holds("generate" in uses, "rights/uses", 'a list that holds "generate"', terms.uses),
    )
