"""SGLang: `meta_info` of its native responses. Its accept length counts the bonus token in."""

from __future__ import annotations

from genconform.trace.adapters.base import Adapter, Payload, Shape, take
from genconform.trace.observed.model import Clock

ACCEPTED = ("spec_accept_token_num", "spec_accepted_drafts", "spec_num_correct_drafts")
"""What versions called the accepted tokens, oldest first."""

PROPOSED = ("spec_proposed_drafts", "spec_num_proposed_drafts")
"""What versions called the proposed tokens once they counted them."""

ESTIMATED = take(
    "proposedTokens",
    "meta_info/spec_draft_token_num",
    formula="verify steps x (draft tokens - 1), by the engine",
)
"""Before that they were estimated: 261 where 259 were drafted."""


def _estimated(payload: Payload) -> None:
    counted = payload.numbers.get("proposedTokens")
    payload.take(ESTIMATED)
    if counted is not None:
        payload.numbers["proposedTokens"] = counted


ADAPTER = Adapter(
    name="sglang",
    title="SGLang",
    switch_on="speculative decoding's counts in meta_info, which need a version that has them",
    shapes=(
        Shape(
            name="generate",
            needs=("meta_info",),
            id="meta_info/id",
            finish="meta_info/finish_reason/type",
            text="text",
            token_ids="output_ids",
            cached_inside_prompt=True,
            bonus_counted=True,
            takes=(
                take("promptTokens", "meta_info/prompt_tokens"),
                take("outputTokens", "meta_info/completion_tokens"),
                take("cachedTokens", "meta_info/cached_tokens"),
                take("totalSeconds", "meta_info/e2e_latency", clock=Clock.ARRIVAL),
                take("verifySteps", "meta_info/spec_verify_ct"),
                take("acceptanceRate", "meta_info/spec_accept_rate"),
                take("meanAcceptedLength", "meta_info/spec_accept_length"),
                take("acceptedTokens", *(f"meta_info/{name}" for name in ACCEPTED)),
                take("proposedTokens", *(f"meta_info/{name}" for name in PROPOSED)),
            ),
            more=_estimated,
        ),
    ),
)
