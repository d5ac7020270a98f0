"""How often a model answers right: greedy decoding, in batches of prompts of one length."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import torch
from transformers import LlamaForCausalLM

from genconform_probe.tasks import Problem
from genconform_probe.tokenizer import Tokenizer


def success(
    model: LlamaForCausalLM,
    tokenizer: Tokenizer,
    problems: Iterable[Problem],
    max_new_tokens: int = 48,
) -> dict[str, float]:
    """The share of right answers, by task and over all of them ("all")."""
    by_length: dict[int, list[tuple[Problem, list[int]]]] = defaultdict(list)
    for problem in problems:
        ids = tokenizer.encode_prompt(problem.prompt)
        by_length[len(ids)].append((problem, ids))
    verdicts: dict[str, list[bool]] = defaultdict(list)
    for group in by_length.values():
        prompts = torch.tensor([ids for _, ids in group])
        outputs = model.generate(
            prompts,
            attention_mask=torch.ones_like(prompts),
            max_new_tokens=max_new_tokens,
            do_sample=False,
        )
        for (problem, ids), output in zip(group, outputs.tolist(), strict=True):
            answer = tokenizer.decode(output[len(ids) :])
            right = problem.task.check(problem.prompt, answer)
            verdicts[problem.task.name].append(right)
            verdicts["all"].append(right)
    return {name: sum(seen) / len(seen) for name, seen in sorted(verdicts.items())}
