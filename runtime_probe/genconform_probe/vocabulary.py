"""The token ids that everything here agrees on."""

from __future__ import annotations

VOCABULARY_SIZE = 192
SPECIAL_TOKENS = ("<bos>", "<eos>", "<pad>", "<sep>", "<mask>")
BOS, EOS, PAD, SEP, MASK = range(len(SPECIAL_TOKENS))
