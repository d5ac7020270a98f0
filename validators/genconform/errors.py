"""Error types that explain themselves: what happened, where, what was expected, what to do.

They are printed by the command line, and only there. An error means that a command could not do
its work; what a check found about its subject is a `Finding`.
"""

from __future__ import annotations

from genconform.finding import Location


def mid_sentence(sentence: str) -> str:
    """A sentence to go on with after a colon: its first word in lowercase, unless an acronym."""
    return sentence if sentence[:2].isupper() else sentence[:1].lower() + sentence[1:]


class GenconformError(Exception):
    """Base of every error that a user may see.

    Args:
        message: what happened, in one sentence.
        location: the file and the place in it, where there is one.
        expected: what should have been there.
        actual: what was there.
        remedy: what to do about it, in one sentence.
    """

    exit_code = 1

    def __init__(
        self,
        message: str,
        *,
        location: Location | None = None,
        expected: str | None = None,
        actual: str | None = None,
        remedy: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.location = location
        self.expected = expected
        self.actual = actual
        self.remedy = remedy

    def diagnostics(self) -> str:
        """One paragraph for a person."""
        parts = [self.message if self.location is None else f"{self.location}: {self.message}"]
        if self.expected is not None:
            parts.append(f"expected {self.expected}")
        if self.actual is not None:
            parts.append(f"found {self.actual}")
        text = "; ".join(part.rstrip(".") for part in parts) + "."
        return text if self.remedy is None else f"{text} {self.remedy}"

    def __str__(self) -> str:
        return self.diagnostics()


class UsageError(GenconformError):
    """A command was asked for something that it cannot do, or is configured wrongly."""

    exit_code = 2


class MalformedInput(GenconformError):
    """An input cannot be read as what it should be."""

    exit_code = 3


class Unsupported(GenconformError):
    """Something that the work needs is not installed or not available here."""

    exit_code = 4


class Incomplete(GenconformError):
    """There was nothing, or too little, to work on."""

    exit_code = 4
