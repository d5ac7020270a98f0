"""A byte-pair tokenizer of 192 tokens, trained in this process on training prompts alone."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, takewhile
from pathlib import Path

from tokenizers import Regex
from tokenizers import Tokenizer as Backend
from tokenizers.decoders import Fuse
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import Split
from tokenizers.trainers import BpeTrainer

from genconform_probe.tasks import training_problems
from genconform_probe.vocabulary import BOS, EOS, SEP, SPECIAL_TOKENS, VOCABULARY_SIZE

_CORPUS_SEED = 777
_CORPUS_SIZE = 4000
# Digits and lone brackets stay one token each, so that arithmetic and nesting are seen digit by
# digit and bracket by bracket; JSON's punctuation may merge, and so may words.
_PIECES = r"[a-z]+|[0-9]|[()\[\]<>]|[{}\":,]+|[\s\S]"


class Tokenizer:
    """Text to token ids and back."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    @classmethod
    def load(cls, path: Path) -> Tokenizer:
        """Read a tokenizer.json."""
        return cls(Backend.from_file(str(path)))

    def save(self, path: Path) -> None:
        """Write a tokenizer.json."""
        self._backend.save(str(path))

    def encode(self, text: str) -> list[int]:
        """The token ids of a text."""
        ids: list[int] = self._backend.encode(text).ids
        return ids

    def encode_prompt(self, prompt: str) -> list[int]:
        """The ids of a prompt as models see it: <bos> prompt <sep>."""
        return [BOS, *self.encode(prompt), SEP]

    def decode(self, ids: Sequence[int]) -> str:
        """The text of an output up to its end token; a stray special token shows by its name."""
        shown = takewhile(lambda token: token != EOS, ids)
        text: str = self._backend.decode(list(shown), skip_special_tokens=False)
        return text


def train_tokenizer() -> Tokenizer:
    """Train the tokenizer anew; the same corpus gives the same merges."""
    backend = Backend(BPE())
    backend.pre_tokenizer = Split(Regex(_PIECES), "isolated")
    backend.decoder = Fuse()
    printable = ["\n", *(chr(code) for code in range(32, 127))]
    trainer = BpeTrainer(
        vocab_size=VOCABULARY_SIZE,
        special_tokens=list(SPECIAL_TOKENS),
        initial_alphabet=printable,
        limit_alphabet=len(printable),
        show_progress=False,
    )
    corpus = islice(training_problems(_CORPUS_SEED), _CORPUS_SIZE)
    backend.train_from_iterator((f"{p.prompt}\n{p.answer}" for p in corpus), trainer)
    return Tokenizer(backend)
