"""What an observation shows of the lifecycle's events: numbers that were observed of the request.

Nothing derived, declared, or about a process becomes evidence.
"""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, UnsetType

from genconform.lifecycle.packet import EventKind
from genconform.trace.format import (
    AccountOutcomeEvidence,
    BindContextEvidence,
    Evidence,
    GenerateDraftEvidence,
    Output,
    Proposal,
    Request,
    SearchBound,
    UsefulWork,
    Verification,
    VerifyDraftEvidence,
)
from genconform.trace.observed.model import Observation, Origin, Scope

SHOWS: dict[str, tuple[str, ...]] = {
    "promptTokens": ("bindContext/request/promptTokens",),
    "maxNewTokens": ("bindContext/request/maxNewTokens",),
    "proposedTokens": (
        "generateDraft/proposal/proposedTokens",
        "accountOutcome/usefulWork/proposedTokens",
    ),
    "proposedPerStep": ("generateDraft/proposal/proposedPerStep",),
    "tokensPerDraft": ("generateDraft/searchBound/maxProposalTokens",),
    "acceptedTokens": (
        "verifyDraft/verification/acceptedTokens",
        "accountOutcome/usefulWork/acceptedTokens",
    ),
    "acceptedPerStep": ("verifyDraft/verification/acceptedPerStep",),
    "outputTokens": (
        "accountOutcome/output/tokens",
        "accountOutcome/usefulWork/deliveredTokens",
    ),
    "totalSeconds": ("accountOutcome/usefulWork/wallSeconds",),
}
"""The evidence that each number becomes."""

SHOWN_BY_THE_CLIENT = ("bindContext/request/promptDigest", "bindContext/request/maxNewTokens")
"""What the request shows, where the client kept it beside the response."""

SHOWN_BY_THE_OUTPUT = "accountOutcome/output/digest"


def evidence_of(seen: Observation) -> dict[EventKind, Evidence]:
    """The evidence by event kind; kinds of which nothing is shown are left out."""
    request, output = seen.request, seen.output
    text = request.prompt_form == "text"
    found = {
        EventKind.BIND_CONTEXT: BindContextEvidence(
            request=Request(
                request.prompt_digest if text else UNSET,
                _count(seen, "promptTokens"),
                _count(seen, "maxNewTokens"),
                request.prompt_text,
            )
        ),
        EventKind.GENERATE_DRAFT: GenerateDraftEvidence(
            proposal=Proposal(_count(seen, "proposedTokens"), _list(seen, "proposedPerStep")),
            search_bound=SearchBound(_count(seen, "tokensPerDraft")),
        ),
        EventKind.VERIFY_DRAFT: VerifyDraftEvidence(
            verification=Verification(
                accepted_per_step=_list(seen, "acceptedPerStep"),
                accepted_tokens=_count(seen, "acceptedTokens"),
            )
        ),
        EventKind.ACCOUNT_OUTCOME: AccountOutcomeEvidence(
            output=Output(output.digest, _count(seen, "outputTokens"), output.text),
            useful_work=UsefulWork(
                proposed_tokens=_count(seen, "proposedTokens"),
                accepted_tokens=_count(seen, "acceptedTokens"),
                delivered_tokens=_count(seen, "outputTokens"),
                wall_seconds=_observed(seen, "totalSeconds"),
            ),
        ),
    }
    return {kind: shown for kind, shown in found.items() if shown != type(shown)()}


def _observed(seen: Observation, name: str) -> Any:
    found = seen.numbers.get(name)
    if found is None or found.origin is not Origin.OBSERVED or found.scope is not Scope.REQUEST:
        return UNSET
    return found.value


def _count(seen: Observation, name: str) -> int | UnsetType:
    value = _observed(seen, name)
    return value if isinstance(value, int) else UNSET


def _list(seen: Observation, name: str) -> tuple[int, ...] | UnsetType:
    value = _observed(seen, name)
    return value if isinstance(value, tuple) else UNSET
