"""What shows that tokens were proposed, by what, within which bound and at what cost."""

from __future__ import annotations

from msgspec import UNSET

from genconform.lifecycle.machine import Route
from genconform.lifecycle.packet import EventKind
from genconform.trace.rules.base import Rules
from genconform.trace.shown import Comparisons, Shown, above_zero, at_most, equal, given

rules = Rules(EventKind.GENERATE_DRAFT)


@rules.shows("generator", Route.REQUIRE_GENERATOR, reads="generator/digest")
def generator(shown: Shown) -> Comparisons:
    """generator.digest is the draft model's where the run has one, else the target's."""
    subjects = shown.header.subjects
    wanted = subjects.target if subjects.draft is UNSET else subjects.draft
    name = "target" if subjects.draft is UNSET else "draft"
    digest = shown.generate.generator.digest
    expected = f"the header's subjects.{name}"
    return (equal("generator/digest", digest, wanted, expected),)


@rules.shows(
    "draftArtifact",
    Route.REQUIRE_DRAFT_ARTIFACT,
    reads="draft/digest draft/tokens proposal/proposedTokens",
)
def draft_artifact(shown: Shown) -> Comparisons:
    """draft gives a digest, and as many tokens as were proposed."""
    draft, proposed = shown.generate.draft, shown.generate.proposal.proposed_tokens
    return (
        given("draft/digest", draft.digest),
        equal("draft/tokens", draft.tokens, proposed, "proposal.proposedTokens"),
    )


@rules.shows(
    "proposedOutput",
    Route.REQUIRE_PROPOSED_OUTPUT,
    reads="proposal/proposedTokens proposal/proposedPerStep",
)
def proposed_output(shown: Shown) -> Comparisons:
    """proposal.proposedTokens is more than 0 and the sum of proposedPerStep."""
    proposal = shown.generate.proposal
    per_step = proposal.proposed_per_step
    return (
        above_zero("proposal/proposedTokens", proposal.proposed_tokens),
        equal(
            "proposal/proposedPerStep",
            UNSET if per_step is UNSET else sum(per_step),
            proposal.proposed_tokens,
            "a list that sums to proposedTokens",
        ),
    )


@rules.shows(
    "generationCost",
    Route.REQUIRE_GENERATION_COST,
    reads="generationCost/draftForwardPasses generationCost/draftSeconds",
)
def generation_cost(shown: Shown) -> Comparisons:
    """generationCost gives forward passes and seconds, both more than 0."""
    cost = shown.generate.generation_cost
    return (
        above_zero("generationCost/draftForwardPasses", cost.draft_forward_passes),
        above_zero("generationCost/draftSeconds", cost.draft_seconds),
    )


@rules.shows(
    "searchBound",
    Route.REQUIRE_SEARCH_BOUND,
    reads="searchBound/maxProposalTokens proposal/proposedPerStep",
)
def search_bound(shown: Shown) -> Comparisons:
    """searchBound.maxProposalTokens is more than 0, and no step proposed more."""
    most = shown.generate.search_bound.max_proposal_tokens
    per_step = shown.generate.proposal.proposed_per_step
    return (
        above_zero("searchBound/maxProposalTokens", most),
        at_most(
            "proposal/proposedPerStep",
            UNSET if per_step is UNSET else max(per_step, default=0),
            most,
            "at most searchBound.maxProposalTokens at each step",
        ),
    )
