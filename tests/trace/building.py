"""Honest runs, built by hand for tests, and the ways to change them.

Digests are made with the reference library of RFC 8785, so that the toolkit's own way of making
them is tested and not trusted.
"""

from __future__ import annotations

import copy
import io
import json
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import rfc8785

from genconform.finding import Verdict
from genconform.trace.judge import JudgedFile, judge_file
from genconform.tree import find_tree

KINDS = (
    "bindContext",
    "selectMode",
    "generateDraft",
    "verifyDraft",
    "accountOutcome",
    "decide",
    "close",
)
PROMPT = "compute 17 + 25"
TEXT = "42"
MAX_NEW_TOKENS = 32
NON_CLAIMS = ["no-speed-claim-beyond-this-run", "no-support-transition", "no-hardware-claim"]

Json = dict[str, Any]


def digest(document: Any) -> str:
    """SHA-256 of the RFC 8785 form."""
    return sha256(rfc8785.dumps(document)).hexdigest()


def named(name: str) -> str:
    """A digest that stands for some file."""
    return sha256(name.encode()).hexdigest()


@dataclass
class Trace:
    """One run as plain JSON: a header and its events, free to be changed."""

    name: str
    header: Json
    events: list[Json]

    def copy(self) -> Trace:
        return copy.deepcopy(self)

    def evidence(self, kind: str) -> Json:
        evidence: Json = self.events[KINDS.index(kind)]["evidence"]
        return evidence

    def rebind(self) -> Trace:
        """Give every event the digest that its content now has."""
        for event in self.events:
            event["eventDigest"] = digest(
                {"runId": self.header["run"]["id"]}
                | {key: event[key] for key in ("kind", "identity", "evidence")}
            )
        return self

    def rebind_identity(self) -> Trace:
        """Bind the mode and the baseline as they now are, in header and events."""
        select = self.evidence("selectMode")
        for identity in (self.header["identity"], *(event["identity"] for event in self.events)):
            identity["modeDigest"] = digest(select["mode"])
            identity["baselineDigest"] = digest(select["baseline"])
        return self.rebind()

    def lines(self) -> list[bytes]:
        return [json.dumps(line).encode() + b"\n" for line in (self.header, *self.events)]

    def data(self) -> bytes:
        return b"".join(self.lines())

    def judged(self) -> JudgedFile:
        return judge(self.data())


def judge(data: bytes) -> JudgedFile:
    return judge_file(io.BytesIO(data), "trace.jsonl")


def rules(judged: JudgedFile) -> list[str]:
    """The rules that something was found by, in order, each once."""
    return list(dict.fromkeys(finding.rule for finding in judged.findings))


def passes(judged: JudgedFile) -> bool:
    return judged.verdict is Verdict.PASS and not judged.findings


def build(
    mode: str = "speculative",
    *,
    fallback: bool = False,
    risk: str = "low",
    public: bool = False,
    promotions: tuple[str, ...] = (),
    run_id: str = "",
) -> Trace:
    """A run that passes."""
    slow = mode == "autoregressive"
    words = [mode, risk, "fallback" if fallback else "", "public" if public else "", *promotions]
    name = "-".join(word for word in words if word)
    run_id = run_id or f"run-{name}"
    baseline_id = run_id if slow else "run-of-the-baseline"
    subjects = {part: named(part) for part in ("target", "tokenizer", "code")}
    if not slow:
        subjects["draft"] = named("draft")
    select = _select_mode(mode, risk, baseline_id)
    identity = {
        "taskId": "addition",
        "taskVersion": 1,
        "contextDigest": digest({"promptTokenIds": [1, 2, 3], "maxNewTokens": MAX_NEW_TOKENS}),
        "taskSetDigest": digest([named(PROMPT), named("another prompt")]),
        "consumerDigest": digest({"consumer": "tests"}),
        "modeDigest": digest(select["mode"]),
        "baselineDigest": digest(select["baseline"]),
        "verifierDigest": named("target"),
        "resultDigest": digest({"slot": "result", "runId": run_id}),
        "residualDigest": digest({"slot": "residual", "runId": run_id}),
    }
    header: Json = {
        "format": "genconform-trace",
        "version": 1,
        "run": {"id": run_id, "mode": mode, "public": public},
        "identity": identity,
        "subjects": subjects,
        "environment": {
            "python": "3.11.9",
            "torch": "2.13.0",
            "transformers": "5.24.0",
            "platform": "linux-x86_64",
            "threads": 1,
            "dtype": "float32",
        },
    }
    what_happened = _Counts(slow, fallback)
    output = {"digest": digest(what_happened.output), "tokens": len(what_happened.output)}
    if public:
        output["text"] = TEXT
    evidence = (
        _bind_context(identity, public),
        select,
        _generate_draft(what_happened, subjects),
        _verify_draft(what_happened, identity, output, baseline_id),
        _account_outcome(what_happened, output, baseline_id),
        _decide(output, baseline_id, promotions),
        _close(identity, output, baseline_id, fallback),
    )
    events: list[Json] = [
        {"seq": seq, "kind": kind, "identity": dict(identity), "evidence": shown}
        for seq, (kind, shown) in enumerate(zip(KINDS, evidence, strict=True))
    ]
    for event in events:
        event["evidence"]["effectsRequested"] = []
    # Through JSON, so that no two events share an object that a test changes in one of them.
    return Trace(name, json.loads(json.dumps(header)), json.loads(json.dumps(events))).rebind()


class _Counts:
    """What a run proposed, accepted and put out."""

    def __init__(self, slow: bool, fallback: bool) -> None:
        self.slow = slow
        self.fallback = fallback
        self.proposed = [12] if slow else [4, 4, 0, 4]
        self.accepted = [12] if slow else [0, 1, 0, 0] if fallback else [4, 3, 0, 2]
        self.passes = 1 if slow else len(self.proposed)
        # Where the last step's accepted tokens end the text, it has none of the verifier's own.
        own = 0 if slow else len(self.proposed) - (self.accepted[-1] > 0)
        self.emitted = sum(self.accepted) + own
        self.output = list(range(self.emitted + (7 if fallback else 0)))
        self.fallback_passes = len(self.output)


def _bind_context(identity: Json, public: bool) -> Json:
    request = {
        "promptDigest": named(PROMPT),
        "promptTokens": 5,
        "maxNewTokens": MAX_NEW_TOKENS,
    }
    return {
        "request": request | ({"promptText": PROMPT} if public else {}),
        "contextPacket": {"digest": identity["contextDigest"], "tokens": 5},
        "taskSet": {
            "digest": identity["taskSetDigest"],
            "promptDigests": [named(PROMPT), named("another prompt")],
        },
        "consumer": {"name": "tests", "digest": identity["consumerDigest"]},
        "deadlineSeconds": 60.0,
        "rights": {"license": "Apache-2.0", "uses": ["generate"]},
    }


def _select_mode(mode: str, risk: str, baseline_id: str) -> Json:
    evidence: Json = {
        "mode": {"name": mode, "settings": {"decoding": "greedy", "draftTokens": 4}},
        "riskTier": risk,
        "qualityTarget": {"metric": "taskScore", "minimumAgainstBaseline": 0},
        "verifier": {"digest": named("target"), "kind": "model"},
        "evaluator": {"digest": named("evaluator"), "kind": "program"},
        "baseline": {
            "mode": "autoregressive",
            "runId": baseline_id,
            "modelDigest": named("target"),
            "promptDigest": named(PROMPT),
            "maxNewTokens": MAX_NEW_TOKENS,
            "dtype": "float32",
        },
        "latencyBudgetSeconds": 30.0,
        "computeBudgetPasses": 200,
        "memoryBudgetBytes": 1 << 20,
    }
    if mode == "autoregressive":
        return evidence
    evidence |= {
        "acceptancePredicate": {"name": "greedy-token-identity", "minimumAcceptedShare": 0.5},
        "slowFallback": {"mode": "autoregressive"},
    }
    if risk in ("high", "critical"):
        evidence |= {
            "riskOverride": {"approver": "a maintainer", "reason": "the output is verified"},
            "highRiskReview": {"reviewer": "another maintainer", "digest": named("review")},
        }
    return evidence


def _generate_draft(counts: _Counts, subjects: Json) -> Json:
    proposed = sum(counts.proposed)
    return {
        "generator": {"digest": subjects.get("draft", subjects["target"])},
        "draft": {"digest": digest([[7] * step for step in counts.proposed]), "tokens": proposed},
        "proposal": {"proposedTokens": proposed, "proposedPerStep": counts.proposed},
        "generationCost": {"draftForwardPasses": proposed, "draftSeconds": 0.5},
        "searchBound": {"maxProposalTokens": MAX_NEW_TOKENS if counts.slow else 4},
    }


def _verify_draft(counts: _Counts, identity: Json, output: Json, baseline_id: str) -> Json:
    accepted, rejected = sum(counts.accepted), sum(counts.proposed) - sum(counts.accepted)
    evidence: Json = {
        "verification": {
            "verifierDigest": identity["verifierDigest"],
            "verifierForwardPasses": counts.passes,
            "acceptedPerStep": counts.accepted,
            "acceptedTokens": accepted,
            "rejectedTokens": rejected,
            "emittedTokens": counts.emitted,
        },
        "reference": {"runId": baseline_id, "outputDigest": output["digest"]},
    }
    if not counts.fallback:
        quality = {"score": 1, "baselineScore": 1, "evaluatorDigest": named("evaluator")}
        return evidence | {"output": output, "quality": quality}
    return evidence | {
        "fallback": {
            "mode": "autoregressive",
            "runId": "run-of-the-fallback",
            "forwardPasses": counts.fallback_passes,
            "seconds": 0.75,
            "output": output,
            "completed": True,
        },
        "residual": {
            "slot": identity["residualDigest"],
            "rejectedTokens": rejected,
            "reason": "less was accepted than had to be",
        },
    }


def _account_outcome(counts: _Counts, output: Json, baseline_id: str) -> Json:
    fallback_seconds = 0.75 if counts.fallback else 0.0
    total = 0.5 + 0.25 + fallback_seconds + 0.125
    own = 0 if counts.slow else len(counts.proposed)
    evidence: Json = {
        "verifierCost": {"forwardPasses": counts.passes, "seconds": 0.25},
        "task": {
            "evaluatorDigest": named("evaluator"),
            "outputDigest": output["digest"],
            "passed": True,
        },
        "baselineResult": {
            "runId": baseline_id,
            "outputDigest": output["digest"],
            "passed": True,
            "seconds": 0.625,
            "tokens": output["tokens"],
        },
        "usefulWork": {
            "attemptedTokens": sum(counts.proposed)
            + own
            + (output["tokens"] if counts.fallback else 0),
            "proposedTokens": sum(counts.proposed),
            "acceptedTokens": sum(counts.accepted),
            "verifiedTokens": counts.emitted,
            "deliveredTokens": output["tokens"],
            "usefulSolutions": 1,
            "wallSeconds": total,
        },
        "costs": {
            "generationSeconds": 0.5,
            "verificationSeconds": 0.25,
            "fallbackSeconds": fallback_seconds,
            "otherSeconds": 0.125,
            "totalSeconds": total,
        },
        "output": output,
    }
    if not counts.fallback:
        return evidence
    return evidence | {
        "fallbackCost": {"forwardPasses": counts.fallback_passes, "seconds": fallback_seconds}
    }


def _decide(output: Json, baseline_id: str, promotions: tuple[str, ...]) -> Json:
    basis = {"outputDigest": output["digest"], "taskPassed": True, "baselineRunId": baseline_id}
    evidence: Json = {
        "promotionsRequested": [{"kind": kind} for kind in promotions],
        "basis": basis,
        "receipt": {"decision": "keep_experimental", "basisDigest": digest(basis)},
        "nonClaims": NON_CLAIMS,
    }
    if "support" in promotions:
        evidence["evidenceTransition"] = {"id": "transition-1", "digest": named("transition")}
    return evidence


def _close(identity: Json, output: Json, baseline_id: str, fallback: bool) -> Json:
    return {
        "acknowledgment": {
            "consumerDigest": identity["consumerDigest"],
            "outputDigest": output["digest"],
        },
        "residual": {"slot": identity["residualDigest"], "openItems": 0},
        "descendants": {"references": [baseline_id] + ["run-of-the-fallback"] * fallback},
        "result": {"slot": identity["resultDigest"], "outputDigest": output["digest"]},
        "cleanup": {
            "cacheBytesAllocated": 4096,
            "cacheBytesReleased": 4096,
            "hooksInstalled": 3,
            "hooksRemoved": 3,
        },
    }


def every_kind_of_run() -> list[Trace]:
    """A run of each shape that evidence can have."""
    return [
        build("speculative"),
        build("autoregressive"),
        build("speculative", fallback=True),
        build("speculative", risk="high"),
        build("speculative", risk="critical", fallback=True),
        build("speculative", public=True),
        build("autoregressive", public=True),
        build("speculative", public=True, fallback=True),
        build("speculative", promotions=("rawSpeed",)),
        build("speculative", promotions=("support",)),
        build("speculative", fallback=True, promotions=("rawSpeed", "support")),
        open_items_with_an_owner(),
    ]


def open_items_with_an_owner() -> Trace:
    trace = build()
    trace.evidence("close")["residual"] |= {"openItems": 2, "owner": "the maintainers"}
    trace.name = "open-items"
    return trace.rebind()


def real_traces() -> list[Trace]:
    """The recorded runs that are committed, split into one run each."""
    found = []
    folder = find_tree().path("fixtures/traces/valid")
    for path in sorted(folder.rglob("*.jsonl")):
        lines = [json.loads(line) for line in path.read_bytes().splitlines()]
        found += [
            Trace(f"{Path(path).stem}-{start // 8}", lines[start], lines[start + 1 : start + 8])
            for start in range(0, len(lines), 8)
        ]
    return found
