"""Text survives the tokenizer; an output is read up to its end."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from genconform_probe.tasks import held_out_problems
from genconform_probe.tokenizer import train_tokenizer
from genconform_probe.vocabulary import BOS, EOS, SEP, VOCABULARY_SIZE

tokenizer = train_tokenizer()
printable = st.text(st.sampled_from(["\n", *map(chr, range(32, 127))]), max_size=60)


@given(printable)
def test_decoding_undoes_encoding(text: str) -> None:
    ids = tokenizer.encode(text)
    assert tokenizer.decode(ids) == text
    assert all(0 <= token < VOCABULARY_SIZE for token in ids)


@given(printable, st.lists(st.integers(0, VOCABULARY_SIZE - 1), max_size=5))
def test_nothing_after_the_end_token_is_read(text: str, after: list[int]) -> None:
    assert tokenizer.decode([*tokenizer.encode(text), EOS, *after]) == text


def test_a_stray_special_token_shows() -> None:
    assert tokenizer.decode([*tokenizer.encode("12"), SEP, EOS]) == "12<sep>"


def test_a_prompt_stands_between_its_marks() -> None:
    ids = tokenizer.encode_prompt("add 1+2")
    assert (ids[0], ids[-1]) == (BOS, SEP)
    assert tokenizer.decode(ids[1:-1]) == "add 1+2"


def test_answers_fit_the_limit_on_new_tokens() -> None:
    longest = max(len(tokenizer.encode(p.answer)) for p in held_out_problems(1000, 0))
    assert longest + 1 <= 48
