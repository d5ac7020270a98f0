"""The trace format: a header and seven events a run, one JSON object a line.

Every evidence field may be absent, for what a run does not show is for the judge to weigh; a value
of the wrong type, and a field that is not known here, make the line malformed. An absent object
reads as one without fields, so that rules need not ask twice, and is written as absent again.

Names are camelCase in a file. Digests are lowercase hexadecimal SHA-256; a document's digest
is that of its RFC 8785 form (`genconform.digest.canonical`). Units stand in the names of numbers.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, TypeAlias, get_args

from msgspec import UNSET, Meta, Struct, UnsetType

from genconform.digest.canonical import canonical_digest
from genconform.lifecycle.packet import BOOLEAN_NAMES, EventKind, Identity, Text

FORMAT = "genconform-trace"
VERSION = 1
MAX_LINE_BYTES = 16 * 1024 * 1024
AUTOREGRESSIVE = "autoregressive"
GREEDY_TOKEN_IDENTITY = "greedy-token-identity"
TASK_SCORE = "taskScore"

Digest = Annotated[str, Meta(pattern="^[0-9a-f]{64}$", max_length=64)]
# Every number is within 2^53, where integers are exact in JSON. A whole number stays the integer
# that it is written as, so that it is written back the same.
_MOST = 2**53 - 1
Count = Annotated[int, Meta(ge=0, le=_MOST)]
Seconds = Count | Annotated[float, Meta(ge=0, le=_MOST)]
Number = Annotated[int, Meta(ge=-_MOST, le=_MOST)] | Annotated[float, Meta(ge=-_MOST, le=_MOST)]

GenerationMode = Literal[
    "autoregressive",
    "speculative",
    "multi_token_prediction",
    "multi_head_internal",
    "feature_draft",
    "lookahead_retrieval",
    "diffusion",
    "multi_seed_diffusion",
    "hybrid",
    "early_exit",
    "state_space",
    "kv_cache_serving",
]
RiskTier = Literal["low", "medium", "high", "critical"]
Decision = Literal[
    "promote",
    "keep_experimental",
    "quarantine",
    "fallback_only",
    "reject",
    "not_evaluated",
]
NonClaimKind = Literal[
    "no-speed-claim-beyond-this-run",
    "no-support-transition",
    "no-transfer-to-other-models",
    "no-transfer-to-other-workloads",
    "no-hardware-claim",
]
GENERATION_MODES: tuple[GenerationMode, ...] = get_args(GenerationMode)
RISK_TIERS: tuple[RiskTier, ...] = get_args(RiskTier)
DECISIONS: tuple[Decision, ...] = get_args(Decision)
NON_CLAIMS: tuple[NonClaimKind, ...] = get_args(NonClaimKind)
"""What no record of one run may be taken to claim."""
JUDGE_KINDS = ("model", "program")
PROMOTIONS = ("rawSpeed", "support")
PROMOTE: Decision = "promote"


def _says(description: str) -> Meta:
    return Meta(description=description)


def _one_of(values: tuple[str, ...], description: str) -> Meta:
    """Says which values are known. Another one is read, and then judged not to be enough."""
    return Meta(min_length=1, description=description, examples=list(values))


class Shape(
    Struct,
    frozen=True,
    rename="camel",
    forbid_unknown_fields=True,
    omit_defaults=True,
    gc=False,
):
    """Base of every object in a trace: frozen, camelCase, without unknown fields."""


# --- header ----------------------------------------------------------------------------------


class Run(Shape, frozen=True):
    """Which run a trace is of."""

    id: Annotated[Text, _says("Names the run; no other run of the file has this id.")]
    mode: Annotated[str, _one_of(GENERATION_MODES, "The generation mode that ran.")]
    public: Annotated[bool, _says("Whether texts are shown. Where not, digests stand alone.")]


class BoundIdentity(Identity, frozen=True):
    """The ten values that say which request this is, bound before anything ran."""

    task_id: Annotated[Text, _says("The task family.")]
    task_version: Annotated[Count, _says("The version of the task family.")]
    context_digest: Annotated[
        Digest, _says("Of the document {promptTokenIds, maxNewTokens, tokenizerDigest}.")
    ]
    task_set_digest: Annotated[Digest, _says("Of the list of the prompt digests of the set.")]
    consumer_digest: Annotated[Digest, _says('Of the document {"consumer": name}.')]
    mode_digest: Annotated[Digest, _says("Of the mode document, selectMode's `mode`.")]
    baseline_digest: Annotated[Digest, _says("Of the baseline document, selectMode's `baseline`.")]
    verifier_digest: Annotated[Digest, _says("Of the verifier, which is a model file or code.")]
    result_digest: Annotated[Digest, _says('Of the slot {"slot": "result", "runId": id}.')]
    residual_digest: Annotated[Digest, _says('Of the slot {"slot": "residual", "runId": id}.')]


class Subjects(Shape, frozen=True):
    """What ran, by digest."""

    target: Annotated[Digest, _says("The model whose output counts.")]
    tokenizer: Annotated[Digest, _says("The tokenizer of all models of the run.")]
    code: Annotated[Digest, _says("The code that ran and recorded the run.")]
    draft: Annotated[Digest, _says("The draft model, where there is one.")] | UnsetType = UNSET

    @property
    def models(self) -> frozenset[str]:
        """The digests of every model of the run."""
        return frozenset({self.target} if self.draft is UNSET else {self.target, self.draft})


class Environment(Shape, frozen=True):
    """Where it ran."""

    python: Annotated[Text, _says("Version of Python.")]
    torch: Annotated[Text, _says("Version of torch.")]
    transformers: Annotated[Text, _says("Version of transformers.")]
    platform: Annotated[Text, _says("Operating system and architecture.")]
    threads: Annotated[int, Meta(ge=1, description="Threads that one operation may use.")]
    dtype: Annotated[Text, _says("Number type of the models' weights.")]


class Header(Shape, frozen=True, omit_defaults=False):
    """The line that begins a run."""

    format: Annotated[Literal["genconform-trace"], _says("Names this format.")]
    version: Annotated[Literal[1], _says("The version of this format.")]
    run: Run
    identity: BoundIdentity
    subjects: Subjects
    environment: Environment


# --- evidence --------------------------------------------------------------------------------


class Evidence(Shape, frozen=True):
    """What the evidence of every kind of event holds."""

    effects_requested: (
        Annotated[
            tuple[str, ...],
            _says("Effects outside the run that were asked for. None is shown by an empty list."),
        ]
        | UnsetType
    ) = UNSET


class Request(Shape, frozen=True):
    """What was asked for."""

    prompt_digest: (
        Annotated[Digest, _says("SHA-256 of the prompt's text in UTF-8.")] | UnsetType
    ) = UNSET
    prompt_tokens: Annotated[Count, _says("Tokens of the prompt.")] | UnsetType = UNSET
    max_new_tokens: Annotated[Count, _says("Tokens that may be emitted.")] | UnsetType = UNSET
    prompt_text: Annotated[str, _says("The prompt; in public runs alone.")] | UnsetType = UNSET


class ContextPacket(Shape, frozen=True):
    """The context that the model was shown."""

    digest: Annotated[Digest, _says("The identity's contextDigest.")] | UnsetType = UNSET
    tokens: Annotated[Count, _says("Tokens of the context.")] | UnsetType = UNSET


class TaskSet(Shape, frozen=True):
    """The set of prompts that the run belongs to."""

    digest: Annotated[Digest, _says("Of the list of prompt digests.")] | UnsetType = UNSET
    prompt_digests: (
        Annotated[tuple[Digest, ...], _says("SHA-256 of each prompt of the set.")] | UnsetType
    ) = UNSET


class Consumer(Shape, frozen=True):
    """Who receives the result."""

    name: Annotated[Text, _says("Names the receiver.")] | UnsetType = UNSET
    digest: Annotated[Digest, _says('Of the document {"consumer": name}.')] | UnsetType = UNSET


class Rights(Shape, frozen=True):
    """What the inputs may be used for."""

    license: Annotated[str, _says("The license of prompt and models.")] | UnsetType = UNSET
    uses: Annotated[tuple[str, ...], _says("The uses that it allows.")] | UnsetType = UNSET


class BindContextEvidence(Evidence, frozen=True):
    """What was asked for, in which context, for whom, by when and by what right."""

    request: Request = Request()
    context_packet: ContextPacket = ContextPacket()
    task_set: TaskSet = TaskSet()
    consumer: Consumer = Consumer()
    deadline_seconds: (
        Annotated[Seconds, _says("Wall time that the whole run may take.")] | UnsetType
    ) = UNSET
    rights: Rights = Rights()


class Mode(Shape, frozen=True):
    """How the output is generated."""

    name: Annotated[str, _one_of(GENERATION_MODES, "One of the twelve modes.")] | UnsetType = UNSET
    settings: (
        Annotated[dict[str, Any], _says("Everything that sets the mode up, as JSON.")] | UnsetType
    ) = UNSET


class QualityTarget(Shape, frozen=True):
    """The quality that the run must keep, set before it."""

    metric: Annotated[str, _one_of((TASK_SCORE,), "What is measured.")] | UnsetType = UNSET
    minimum_against_baseline: (
        Annotated[
            Number, _says("The least that score less baseline score may be; 0 allows no loss.")
        ]
        | UnsetType
    ) = UNSET


class Judge(Shape, frozen=True):
    """A model or a program that judges."""

    digest: Annotated[Digest, _says("Of the model file, or of the code.")] | UnsetType = UNSET
    kind: (
        Annotated[str, _one_of(JUDGE_KINDS, "Whether it is a model or a program.")] | UnsetType
    ) = UNSET


class AcceptancePredicate(Shape, frozen=True):
    """What makes a draft acceptable, frozen before the run."""

    name: (
        Annotated[
            str,
            _one_of(
                (GREEDY_TOKEN_IDENTITY,),
                "A proposed token is accepted if the verifier's greedy choice is the same.",
            ),
        ]
        | UnsetType
    ) = UNSET
    minimum_accepted_share: (
        Annotated[Number, _says("The least share of proposed tokens, 0 to 1.")] | UnsetType
    ) = UNSET


class Baseline(Shape, frozen=True):
    """The autoregressive run that this one is compared with; such a run is its own."""

    mode: Annotated[str, _one_of(GENERATION_MODES, "The baseline's mode.")] | UnsetType = UNSET
    run_id: Annotated[Text, _says("The baseline's run id.")] | UnsetType = UNSET
    model_digest: Annotated[Digest, _says("The model that it ran.")] | UnsetType = UNSET
    prompt_digest: Annotated[Digest, _says("The prompt that it ran.")] | UnsetType = UNSET
    max_new_tokens: Annotated[Count, _says("The tokens that it might emit.")] | UnsetType = UNSET
    dtype: Annotated[Text, _says("Number type of its weights.")] | UnsetType = UNSET


class RiskOverride(Shape, frozen=True):
    """Why a fast path was allowed at high risk."""

    approver: Annotated[Text, _says("Who allowed it.")] | UnsetType = UNSET
    reason: Annotated[Text, _says("Why.")] | UnsetType = UNSET


class SlowFallback(Shape, frozen=True):
    """The path to fall back on."""

    mode: Annotated[str, _one_of(GENERATION_MODES, "Its mode.")] | UnsetType = UNSET


class HighRiskReview(Shape, frozen=True):
    """The review of a fast path at high risk."""

    reviewer: Annotated[Text, _says("Who reviewed it.")] | UnsetType = UNSET
    digest: Annotated[Digest, _says("Of the review.")] | UnsetType = UNSET


class SelectModeEvidence(Evidence, frozen=True):
    """The mode, what it will be measured by, and what it may cost."""

    mode: Mode = Mode()
    risk_tier: Annotated[str, _one_of(RISK_TIERS, "The risk of the request.")] | UnsetType = UNSET
    quality_target: QualityTarget = QualityTarget()
    verifier: Judge = Judge()
    evaluator: Judge = Judge()
    acceptance_predicate: AcceptancePredicate = AcceptancePredicate()
    baseline: Baseline = Baseline()
    latency_budget_seconds: (
        Annotated[Seconds, _says("Wall time that the run may take.")] | UnsetType
    ) = UNSET
    compute_budget_passes: (
        Annotated[Count, _says("Forward passes that all models together may take.")] | UnsetType
    ) = UNSET
    memory_budget_bytes: (
        Annotated[Count, _says("Bytes that the run's caches may take.")] | UnsetType
    ) = UNSET
    risk_override: RiskOverride = RiskOverride()
    slow_fallback: SlowFallback = SlowFallback()
    high_risk_review: HighRiskReview = HighRiskReview()


class Generator(Shape, frozen=True):
    """What proposed the tokens."""

    digest: (
        Annotated[Digest, _says("The draft model's where there is one, else the target's.")]
        | UnsetType
    ) = UNSET


class Draft(Shape, frozen=True):
    """The proposed tokens."""

    digest: (
        Annotated[Digest, _says("Of the list, a step an item, of lists of proposed token ids.")]
        | UnsetType
    ) = UNSET
    tokens: Annotated[Count, _says("Proposed tokens in it.")] | UnsetType = UNSET


class Proposal(Shape, frozen=True):
    """How many tokens were proposed. A step is what one verification looks at."""

    proposed_tokens: Annotated[Count, _says("Tokens proposed in all.")] | UnsetType = UNSET
    proposed_per_step: (
        Annotated[tuple[Count, ...], _says("Tokens proposed at each step; 0 is a plain step.")]
        | UnsetType
    ) = UNSET


class GenerationCost(Shape, frozen=True):
    """What proposing cost."""

    draft_forward_passes: (
        Annotated[Count, _says("Forward passes of what proposed.")] | UnsetType
    ) = UNSET
    draft_seconds: Annotated[Seconds, _says("Wall time of those passes.")] | UnsetType = UNSET


class SearchBound(Shape, frozen=True):
    """How far proposing may go."""

    max_proposal_tokens: (
        Annotated[Count, _says("The most that one step may propose.")] | UnsetType
    ) = UNSET


class GenerateDraftEvidence(Evidence, frozen=True):
    """What was proposed, by what, and at what cost."""

    generator: Generator = Generator()
    draft: Draft = Draft()
    proposal: Proposal = Proposal()
    generation_cost: GenerationCost = GenerationCost()
    search_bound: SearchBound = SearchBound()


class Verification(Shape, frozen=True):
    """What the verifier did with each proposed token."""

    verifier_digest: Annotated[Digest, _says("What verified.")] | UnsetType = UNSET
    verifier_forward_passes: Annotated[Count, _says("Its forward passes.")] | UnsetType = UNSET
    accepted_per_step: (
        Annotated[tuple[Count, ...], _says("Proposed tokens that it accepted at each step.")]
        | UnsetType
    ) = UNSET
    accepted_tokens: Annotated[Count, _says("Their sum.")] | UnsetType = UNSET
    rejected_tokens: Annotated[Count, _says("Proposed tokens less accepted ones.")] | UnsetType = (
        UNSET
    )
    emitted_tokens: (
        Annotated[
            Count,
            _says(
                "Tokens that came out: accepted ones and, but for trimming, one of its own a step."
            ),
        ]
        | UnsetType
    ) = UNSET


class Output(Shape, frozen=True):
    """An output."""

    digest: Annotated[Digest, _says("Of the list of its token ids.")] | UnsetType = UNSET
    tokens: Annotated[Count, _says("Its tokens, the end token included.")] | UnsetType = UNSET
    text: Annotated[str, _says("Its text; in public runs alone.")] | UnsetType = UNSET


class Reference(Shape, frozen=True):
    """The matched baseline's own greedy output."""

    run_id: Annotated[Text, _says("The baseline's run id.")] | UnsetType = UNSET
    output_digest: Annotated[Digest, _says("Of the baseline's output.")] | UnsetType = UNSET


class Quality(Shape, frozen=True):
    """The score of the output beside that of the baseline's."""

    score: Annotated[Number, _says("Of the output, by the target's metric.")] | UnsetType = UNSET
    baseline_score: Annotated[Number, _says("Of the baseline's output.")] | UnsetType = UNSET
    evaluator_digest: Annotated[Digest, _says("What scored both.")] | UnsetType = UNSET


class Fallback(Shape, frozen=True):
    """The slow path, really run after verification failed."""

    mode: Annotated[str, _one_of(GENERATION_MODES, "The mode that ran.")] | UnsetType = UNSET
    run_id: Annotated[Text, _says("Names the fallback's own run.")] | UnsetType = UNSET
    forward_passes: Annotated[Count, _says("Its forward passes.")] | UnsetType = UNSET
    seconds: Annotated[Seconds, _says("Its wall time.")] | UnsetType = UNSET
    output: Output = Output()
    completed: Annotated[bool, _says("Whether it ran to its end.")] | UnsetType = UNSET


class FailureResidual(Shape, frozen=True):
    """What the failed draft left behind."""

    slot: Annotated[Digest, _says("The identity's residualDigest.")] | UnsetType = UNSET
    rejected_tokens: Annotated[Count, _says("Tokens that were rejected.")] | UnsetType = UNSET
    reason: Annotated[str, _says("Why verification failed.")] | UnsetType = UNSET


class VerifyDraftEvidence(Evidence, frozen=True):
    """What was verified, and what came of it.

    Where verification passed, `output` and `quality` are of the verified output. Where it failed
    they are left out, and `fallback` and `residual` stand instead.
    """

    verification: Verification = Verification()
    output: Output = Output()
    reference: Reference = Reference()
    quality: Quality = Quality()
    fallback: Fallback = Fallback()
    residual: FailureResidual = FailureResidual()


class PassCost(Shape, frozen=True):
    """A cost that is charged to the run."""

    forward_passes: Annotated[Count, _says("Forward passes.")] | UnsetType = UNSET
    seconds: Annotated[Seconds, _says("Wall time.")] | UnsetType = UNSET


class TaskVerdict(Shape, frozen=True):
    """The task's own check of the delivered output. It ran, whatever it said."""

    evaluator_digest: Annotated[Digest, _says("What checked.")] | UnsetType = UNSET
    output_digest: Annotated[Digest, _says("The delivered output.")] | UnsetType = UNSET
    passed: Annotated[bool, _says("Whether the output does the task.")] | UnsetType = UNSET


class BaselineResult(Shape, frozen=True):
    """What came of the matched baseline."""

    run_id: Annotated[Text, _says("The baseline's run id.")] | UnsetType = UNSET
    output_digest: Annotated[Digest, _says("Its output.")] | UnsetType = UNSET
    passed: Annotated[bool, _says("Whether its output does the task.")] | UnsetType = UNSET
    seconds: Annotated[Seconds, _says("Its wall time.")] | UnsetType = UNSET
    tokens: Annotated[Count, _says("Tokens of its output.")] | UnsetType = UNSET


class UsefulWork(Shape, frozen=True):
    """Work, each kind counted apart: none of these stands in for another."""

    attempted_tokens: (
        Annotated[
            Count,
            _says(
                "Tokens that any pass produced, kept or not: the proposed ones, one of the "
                "verifier's own a step in a fast mode, and the fallback's."
            ),
        ]
        | UnsetType
    ) = UNSET
    proposed_tokens: Annotated[Count, _says("Tokens proposed.")] | UnsetType = UNSET
    accepted_tokens: Annotated[Count, _says("Proposed tokens accepted.")] | UnsetType = UNSET
    verified_tokens: Annotated[Count, _says("Tokens that verification emitted.")] | UnsetType = (
        UNSET
    )
    delivered_tokens: Annotated[Count, _says("Tokens of the delivered output.")] | UnsetType = UNSET
    useful_solutions: (
        Annotated[Count, _says("1 if the delivered output does the task, else 0.")] | UnsetType
    ) = UNSET
    wall_seconds: (
        Annotated[Seconds, _says("Wall time of everything, fallback included.")] | UnsetType
    ) = UNSET


class Costs(Shape, frozen=True):
    """The bill in wall seconds; the parts sum to the total."""

    generation_seconds: Annotated[Seconds, _says("Proposing.")] | UnsetType = UNSET
    verification_seconds: Annotated[Seconds, _says("Verifying.")] | UnsetType = UNSET
    fallback_seconds: (
        Annotated[Seconds, _says("The fallback; 0 where there was none.")] | UnsetType
    ) = UNSET
    other_seconds: Annotated[Seconds, _says("All the rest.")] | UnsetType = UNSET
    total_seconds: Annotated[Seconds, _says("usefulWork.wallSeconds.")] | UnsetType = UNSET


class AccountOutcomeEvidence(Evidence, frozen=True):
    """What was delivered, whether it does the task, and what all of it cost."""

    verifier_cost: PassCost = PassCost()
    fallback_cost: PassCost = PassCost()
    task: TaskVerdict = TaskVerdict()
    baseline_result: BaselineResult = BaselineResult()
    useful_work: UsefulWork = UsefulWork()
    costs: Costs = Costs()
    output: Output = Output()


class Promotion(Shape, frozen=True):
    """A promotion that is asked for; one without a kind is read as every kind."""

    kind: Annotated[str, _one_of(PROMOTIONS, "On what ground, or of what.")] | UnsetType = UNSET


class Basis(Shape, frozen=True):
    """What a decision rests on."""

    output_digest: Annotated[Digest, _says("The delivered output.")] | UnsetType = UNSET
    task_passed: Annotated[bool, _says("The task's verdict on it.")] | UnsetType = UNSET
    baseline_run_id: Annotated[Text, _says("The baseline's run id.")] | UnsetType = UNSET


class EvidenceTransition(Shape, frozen=True):
    """The decision elsewhere that carries a rise of a support state."""

    id: Annotated[Text, _says("Names the transition.")] | UnsetType = UNSET
    digest: Annotated[Digest, _says("Of its record.")] | UnsetType = UNSET


class Receipt(Shape, frozen=True):
    """The decision."""

    decision: Annotated[str, _one_of(DECISIONS, "What was decided.")] | UnsetType = UNSET
    basis_digest: Annotated[Digest, _says("Of `basis`.")] | UnsetType = UNSET


class DecideEvidence(Evidence, frozen=True):
    """What was decided about the mode, on what basis, and what that does not claim."""

    promotions_requested: (
        Annotated[
            tuple[Promotion, ...],
            _says("Promotions asked for. None is shown by an empty list."),
        ]
        | UnsetType
    ) = UNSET
    basis: Basis = Basis()
    evidence_transition: EvidenceTransition = EvidenceTransition()
    receipt: Receipt = Receipt()
    non_claims: (
        Annotated[
            tuple[Annotated[str, _one_of(NON_CLAIMS, "A known non-claim.")], ...],
            _says("What the decision does not claim."),
        ]
        | UnsetType
    ) = UNSET


class Acknowledgment(Shape, frozen=True):
    """The receiver has the output."""

    consumer_digest: Annotated[Digest, _says("The identity's consumerDigest.")] | UnsetType = UNSET
    output_digest: Annotated[Digest, _says("The delivered output.")] | UnsetType = UNSET


class ClosingResidual(Shape, frozen=True):
    """What stays open after the run."""

    slot: Annotated[Digest, _says("The identity's residualDigest.")] | UnsetType = UNSET
    open_items: Annotated[Count, _says("Things left unresolved.")] | UnsetType = UNSET
    owner: Annotated[Text, _says("Who has them; needed only where there are any.")] | UnsetType = (
        UNSET
    )


class Descendants(Shape, frozen=True):
    """Runs that came of this one or that it is compared with."""

    references: (
        Annotated[tuple[Text, ...], _says("Run ids: the baseline's, and a fallback's.")] | UnsetType
    ) = UNSET


class BoundResult(Shape, frozen=True):
    """The result in the slot reserved for it."""

    slot: Annotated[Digest, _says("The identity's resultDigest.")] | UnsetType = UNSET
    output_digest: Annotated[Digest, _says("The delivered output.")] | UnsetType = UNSET


class Cleanup(Shape, frozen=True):
    """What the run took and gave back."""

    cache_bytes_allocated: Annotated[Count, _says("Cache bytes taken.")] | UnsetType = UNSET
    cache_bytes_released: Annotated[Count, _says("Cache bytes given back.")] | UnsetType = UNSET
    hooks_installed: Annotated[Count, _says("Hooks put into models.")] | UnsetType = UNSET
    hooks_removed: Annotated[Count, _says("Hooks taken out.")] | UnsetType = UNSET


class CloseEvidence(Evidence, frozen=True):
    """The result received and bound, nothing left open or taken."""

    acknowledgment: Acknowledgment = Acknowledgment()
    residual: ClosingResidual = ClosingResidual()
    descendants: Descendants = Descendants()
    result: BoundResult = BoundResult()
    cleanup: Cleanup = Cleanup()


# --- events ----------------------------------------------------------------------------------


Claims = Annotated[
    dict[str, bool],
    Meta(
        description="What the recorder asserts of the packet's booleans.",
        extra_json_schema={"propertyNames": {"enum": list(BOOLEAN_NAMES)}},
    ),
]


class _Event(Shape, frozen=True, tag_field="kind", omit_defaults=False):
    """What the line of every event holds beside its evidence."""

    kind: ClassVar[EventKind]

    seq: Annotated[int, Meta(ge=0, description="0 to 6, in the order of the lifecycle.")]
    identity: Annotated[Identity, _says("The ten values that the event is about.")]
    event_digest: Annotated[Digest, _says("Of {runId, kind, identity, evidence}.")]
    claims: Claims | UnsetType = UNSET


class BindContextEvent(_Event, frozen=True, kw_only=True, tag="bindContext"):
    """A request is bound to its context."""

    kind: ClassVar[EventKind] = EventKind.BIND_CONTEXT
    evidence: BindContextEvidence


class SelectModeEvent(_Event, frozen=True, kw_only=True, tag="selectMode"):
    """A generation mode is chosen for it."""

    kind: ClassVar[EventKind] = EventKind.SELECT_MODE
    evidence: SelectModeEvidence


class GenerateDraftEvent(_Event, frozen=True, kw_only=True, tag="generateDraft"):
    """Tokens are proposed."""

    kind: ClassVar[EventKind] = EventKind.GENERATE_DRAFT
    evidence: GenerateDraftEvidence


class VerifyDraftEvent(_Event, frozen=True, kw_only=True, tag="verifyDraft"):
    """They are verified, and a fallback runs if that fails."""

    kind: ClassVar[EventKind] = EventKind.VERIFY_DRAFT
    evidence: VerifyDraftEvidence


class AccountOutcomeEvent(_Event, frozen=True, kw_only=True, tag="accountOutcome"):
    """What came out and what it cost is accounted."""

    kind: ClassVar[EventKind] = EventKind.ACCOUNT_OUTCOME
    evidence: AccountOutcomeEvidence


class DecideEvent(_Event, frozen=True, kw_only=True, tag="decide"):
    """What follows for the mode is decided."""

    kind: ClassVar[EventKind] = EventKind.DECIDE
    evidence: DecideEvidence


class CloseEvent(_Event, frozen=True, kw_only=True, tag="close"):
    """The run is closed."""

    kind: ClassVar[EventKind] = EventKind.CLOSE
    evidence: CloseEvidence


TraceEvent: TypeAlias = (
    BindContextEvent
    | SelectModeEvent
    | GenerateDraftEvent
    | VerifyDraftEvent
    | AccountOutcomeEvent
    | DecideEvent
    | CloseEvent
)
EVENTS: tuple[type[TraceEvent], ...] = (
    BindContextEvent,
    SelectModeEvent,
    GenerateDraftEvent,
    VerifyDraftEvent,
    AccountOutcomeEvent,
    DecideEvent,
    CloseEvent,
)


def event_digest(run_id: str, kind: EventKind, identity: Identity, evidence: Evidence) -> str:
    """The digest that binds an event's content to its run.

    Raises:
        MalformedInput: a number in the evidence has no canonical form.
    """
    return canonical_digest(
        {"runId": run_id, "kind": kind, "identity": identity, "evidence": evidence}
    )
