"""Turns what is promised before a run and what came of it into the evidence of its seven events.

One function an event kind. What each field must show is the judge's to say; here it is only told.
Whole numbers are written as integers even where a field may be a fraction: so is their canonical
form, and a line that is in canonical form already is digested many times faster.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from msgspec import UNSET
from msgspec.structs import replace

from genconform.digest.canonical import canonical_digest
from genconform.trace import format as trace
from genconform_probe.mode import Account, Mode
from genconform_probe.models import DTYPE
from genconform_probe.recorder import Cleanup, Ids
from genconform_probe.tasks import Problem, evaluator_digest

EVALUATOR = evaluator_digest()


@dataclass(frozen=True, slots=True)
class Policy:
    """The terms that every run of the probe is promised under."""

    max_new_tokens: int = 48
    consumer: str = "genconform-probe"
    license: str = "Apache-2.0"
    uses: tuple[str, ...] = ("generate",)
    risk_tier: str = "low"
    minimum_against_baseline: float = 0
    """The least that the answer's score may exceed the baseline's by: it may not be worse."""
    deadline_seconds: float = 120
    latency_budget_seconds: float = 60
    memory_budget_bytes: int = 2**30

    def budget_passes(self, mode: Mode) -> int:
        """Passes of all models: every proposal may be rejected, and a fallback may then run."""
        return self.max_new_tokens * (mode.max_proposal_tokens(self.max_new_tokens) + 2)


@dataclass(frozen=True)
class Promise:
    """All that is known of a run before anything of it has run."""

    run_id: str
    baseline_id: str
    """The matched baseline's run; a baseline is its own."""
    mode: Mode
    problem: Problem
    prompt_ids: Ids
    task_set: tuple[str, ...]
    """Digests of all prompts that the probe was asked to run."""
    subjects: Mapping[str, str]
    environment: trace.Environment
    policy: Policy
    public: bool

    @property
    def is_baseline(self) -> bool:
        """Whether the run is of the slow mode itself, and so its own baseline."""
        return self.mode.name == trace.AUTOREGRESSIVE

    @cached_property
    def mode_document(self) -> trace.Mode:
        """What modeDigest is the digest of."""
        return trace.Mode(name=self.mode.name, settings=self.mode.settings())

    @cached_property
    def baseline_document(self) -> trace.Baseline:
        """What baselineDigest is the digest of."""
        return trace.Baseline(
            mode=trace.AUTOREGRESSIVE,
            run_id=self.baseline_id,
            model_digest=self.subjects["target"],
            prompt_digest=self.problem.digest,
            max_new_tokens=self.policy.max_new_tokens,
            dtype=DTYPE,
        )

    @cached_property
    def identity(self) -> trace.BoundIdentity:
        """The ten identity values. Result and residual are slots, reserved for what comes out."""
        context = {
            "promptTokenIds": self.prompt_ids,
            "maxNewTokens": self.policy.max_new_tokens,
            "tokenizerDigest": self.subjects["tokenizer"],
        }
        return trace.BoundIdentity(
            task_id=self.problem.task.name,
            task_version=self.problem.task.version,
            context_digest=canonical_digest(context),
            task_set_digest=canonical_digest(self.task_set),
            consumer_digest=canonical_digest({"consumer": self.policy.consumer}),
            mode_digest=canonical_digest(self.mode_document),
            baseline_digest=canonical_digest(self.baseline_document),
            verifier_digest=self.subjects["target"],
            result_digest=canonical_digest({"slot": "result", "runId": self.run_id}),
            residual_digest=canonical_digest({"slot": "residual", "runId": self.run_id}),
        )


@dataclass(frozen=True)
class Answer:
    """An output with the task's own verdict on it."""

    ids: Ids
    text: str
    passed: bool

    @cached_property
    def digest(self) -> str:
        """The digest of the token ids."""
        return canonical_digest(self.ids)

    def output(self, public: bool) -> trace.Output:
        """By digest, and in the clear where the run is public."""
        text = self.text if public else UNSET
        return trace.Output(digest=self.digest, tokens=len(self.ids), text=text)


@dataclass(frozen=True, slots=True)
class Baseline:
    """The matched baseline: greedy decoding of the same prompt by the target alone."""

    answer: Answer
    passes: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Fallback:
    """The slow mode, really run after verification failed."""

    run_id: str
    answer: Answer
    passes: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a run."""

    account: Account
    candidate: Answer
    """What the mode put out."""
    baseline: Baseline
    fallback: Fallback | None
    cleanup: Cleanup

    @property
    def delivered(self) -> Answer:
        """What the consumer got: the candidate, or the fallback's answer in its place."""
        return self.candidate if self.fallback is None else self.fallback.answer

    @property
    def fallback_seconds(self) -> float:
        """What the fallback took; 0 where none ran."""
        return 0 if self.fallback is None else self.fallback.seconds

    @property
    def wall_seconds(self) -> float:
        """From the start of drafting to what was delivered."""
        return self.account.wall_seconds + self.fallback_seconds


def header(promise: Promise) -> trace.Header:
    """The first line of a trace."""
    return trace.Header(
        format="genconform-trace",
        version=1,
        run=trace.Run(id=promise.run_id, mode=promise.mode.name, public=promise.public),
        identity=promise.identity,
        subjects=trace.Subjects(**promise.subjects),
        environment=promise.environment,
    )


def bind_context(promise: Promise) -> trace.BindContextEvidence:
    """The request, and the terms that it comes with."""
    policy, identity, tokens = promise.policy, promise.identity, len(promise.prompt_ids)
    return trace.BindContextEvidence(
        request=trace.Request(
            prompt_digest=promise.problem.digest,
            prompt_tokens=tokens,
            max_new_tokens=policy.max_new_tokens,
            prompt_text=promise.problem.prompt if promise.public else UNSET,
        ),
        context_packet=trace.ContextPacket(digest=identity.context_digest, tokens=tokens),
        task_set=trace.TaskSet(digest=identity.task_set_digest, prompt_digests=promise.task_set),
        consumer=trace.Consumer(name=policy.consumer, digest=identity.consumer_digest),
        deadline_seconds=policy.deadline_seconds,
        rights=trace.Rights(license=policy.license, uses=policy.uses),
        effects_requested=(),
    )


def select_mode(promise: Promise) -> trace.SelectModeEvidence:
    """The mode, what it will be measured against, and what it may cost."""
    policy, mode = promise.policy, promise.mode
    evidence = trace.SelectModeEvidence(
        mode=promise.mode_document,
        risk_tier=policy.risk_tier,
        quality_target=trace.QualityTarget(
            metric=trace.TASK_SCORE, minimum_against_baseline=policy.minimum_against_baseline
        ),
        verifier=trace.Judge(digest=promise.subjects["target"], kind="model"),
        evaluator=trace.Judge(digest=EVALUATOR, kind="program"),
        baseline=promise.baseline_document,
        latency_budget_seconds=policy.latency_budget_seconds,
        compute_budget_passes=policy.budget_passes(mode),
        memory_budget_bytes=policy.memory_budget_bytes,
        effects_requested=(),
    )
    if promise.is_baseline:
        return evidence
    return replace(
        evidence,
        acceptance_predicate=trace.AcceptancePredicate(
            name=trace.GREEDY_TOKEN_IDENTITY, minimum_accepted_share=mode.minimum_accepted_share
        ),
        slow_fallback=trace.SlowFallback(mode=trace.AUTOREGRESSIVE),
    )


def generate_draft(promise: Promise, result: Result) -> trace.GenerateDraftEvidence:
    """What was proposed, step by step, and what proposing cost."""
    account = result.account
    bound = promise.mode.max_proposal_tokens(promise.policy.max_new_tokens)
    return trace.GenerateDraftEvidence(
        generator=trace.Generator(digest=promise.subjects[promise.mode.generator]),
        draft=trace.Draft(
            digest=canonical_digest(account.proposed), tokens=account.proposed_tokens
        ),
        proposal=trace.Proposal(
            proposed_tokens=account.proposed_tokens,
            proposed_per_step=tuple(map(len, account.proposed)),
        ),
        generation_cost=trace.GenerationCost(
            draft_forward_passes=account.draft_passes, draft_seconds=account.draft_seconds
        ),
        search_bound=trace.SearchBound(max_proposal_tokens=bound),
        effects_requested=(),
    )


def verify_draft(promise: Promise, result: Result) -> trace.VerifyDraftEvidence:
    """What the verifier accepted, and what that led to: a verified output, or a fallback."""
    account, baseline = result.account, result.baseline
    evidence = trace.VerifyDraftEvidence(
        verification=trace.Verification(
            verifier_digest=promise.subjects["target"],
            verifier_forward_passes=account.verifier_passes,
            accepted_per_step=account.accepted,
            accepted_tokens=account.accepted_tokens,
            rejected_tokens=account.rejected_tokens,
            emitted_tokens=len(result.candidate.ids),
        ),
        reference=trace.Reference(run_id=promise.baseline_id, output_digest=baseline.answer.digest),
        effects_requested=(),
    )
    if result.fallback is not None:
        return _fallen_back(evidence, promise, result.account, result.fallback)
    return replace(
        evidence,
        output=result.candidate.output(promise.public),
        quality=trace.Quality(
            score=int(result.candidate.passed),
            baseline_score=int(baseline.answer.passed),
            evaluator_digest=EVALUATOR,
        ),
    )


def _fallen_back(
    evidence: trace.VerifyDraftEvidence, promise: Promise, account: Account, fallback: Fallback
) -> trace.VerifyDraftEvidence:
    share, minimum = account.accepted_share, promise.mode.minimum_accepted_share
    return replace(
        evidence,
        fallback=trace.Fallback(
            mode=trace.AUTOREGRESSIVE,
            run_id=fallback.run_id,
            forward_passes=fallback.passes,
            seconds=fallback.seconds,
            output=fallback.answer.output(promise.public),
            completed=True,
        ),
        residual=trace.FailureResidual(
            slot=promise.identity.residual_digest,
            rejected_tokens=account.rejected_tokens,
            reason=f"accepted {share:.3f} of the proposed tokens, less than {minimum}",
        ),
    )


def account_outcome(promise: Promise, result: Result) -> trace.AccountOutcomeEvidence:
    """The task's verdict on what was delivered, and every cost on its own."""
    account, delivered, baseline = result.account, result.delivered, result.baseline
    evidence = trace.AccountOutcomeEvidence(
        verifier_cost=trace.PassCost(
            forward_passes=account.verifier_passes, seconds=account.verifier_seconds
        ),
        task=trace.TaskVerdict(
            evaluator_digest=EVALUATOR, output_digest=delivered.digest, passed=delivered.passed
        ),
        baseline_result=trace.BaselineResult(
            run_id=promise.baseline_id,
            output_digest=baseline.answer.digest,
            passed=baseline.answer.passed,
            seconds=baseline.seconds,
            tokens=len(baseline.answer.ids),
        ),
        useful_work=_useful_work(promise, result),
        costs=_costs(result),
        output=delivered.output(promise.public),
        effects_requested=(),
    )
    if (fallback := result.fallback) is None:
        return evidence
    cost = trace.PassCost(forward_passes=fallback.passes, seconds=fallback.seconds)
    return replace(evidence, fallback_cost=cost)


def _useful_work(promise: Promise, result: Result) -> trace.UsefulWork:
    """Attempted are all tokens that any pass chose, the verifier's own one a step included."""
    account = result.account
    own = 0 if promise.is_baseline else len(account.accepted)
    fallback = 0 if result.fallback is None else len(result.fallback.answer.ids)
    return trace.UsefulWork(
        attempted_tokens=account.proposed_tokens + own + fallback,
        proposed_tokens=account.proposed_tokens,
        accepted_tokens=account.accepted_tokens,
        verified_tokens=len(result.candidate.ids),
        delivered_tokens=len(result.delivered.ids),
        useful_solutions=int(result.delivered.passed),
        wall_seconds=result.wall_seconds,
    )


def _costs(result: Result) -> trace.Costs:
    account = result.account
    named = account.draft_seconds + account.verifier_seconds + result.fallback_seconds
    return trace.Costs(
        generation_seconds=account.draft_seconds,
        verification_seconds=account.verifier_seconds,
        fallback_seconds=result.fallback_seconds,
        other_seconds=result.wall_seconds - named,
        total_seconds=result.wall_seconds,
    )


def decide(promise: Promise, result: Result) -> trace.DecideEvidence:
    """What is made of the run: nothing is promoted, whatever its speed."""
    basis = trace.Basis(
        output_digest=result.delivered.digest,
        task_passed=result.delivered.passed,
        baseline_run_id=promise.baseline_id,
    )
    return trace.DecideEvidence(
        promotions_requested=(),
        basis=basis,
        receipt=trace.Receipt(
            decision=_decision(promise, result), basis_digest=canonical_digest(basis)
        ),
        non_claims=trace.NON_CLAIMS,
        effects_requested=(),
    )


def _decision(promise: Promise, result: Result) -> str:
    if result.fallback is not None:
        return "fallback_only"
    return "not_evaluated" if promise.is_baseline else "keep_experimental"


def close(promise: Promise, result: Result) -> trace.CloseEvidence:
    """The delivered output bound to its slot, the residual settled, and what was taken given back.

    Rejected tokens leave no open item: the verifier's own tokens, or the fallback, replaced them.
    """
    identity, delivered, cleanup = promise.identity, result.delivered.digest, result.cleanup
    fallback = () if result.fallback is None else (result.fallback.run_id,)
    return trace.CloseEvidence(
        acknowledgment=trace.Acknowledgment(
            consumer_digest=identity.consumer_digest, output_digest=delivered
        ),
        residual=trace.ClosingResidual(slot=identity.residual_digest, open_items=0),
        descendants=trace.Descendants(references=(promise.baseline_id, *fallback)),
        result=trace.BoundResult(slot=identity.result_digest, output_digest=delivered),
        cleanup=trace.Cleanup(
            cache_bytes_allocated=cleanup.cache_bytes_allocated,
            cache_bytes_released=cleanup.cache_bytes_released,
            hooks_installed=cleanup.hooks_installed,
            hooks_removed=cleanup.hooks_removed,
        ),
        effects_requested=(),
    )
