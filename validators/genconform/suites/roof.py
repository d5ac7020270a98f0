"""The I/O roof: how fast tokens can come at most, if weights are read again for each of them.

With W bytes of weights reloaded a token, over a sustained bandwidth of B bytes a second, a token
takes at least W/B seconds, so that at most B/W tokens a second can be emitted. Nothing but reading
is counted: the roof is an upper bound on the rate, never a forecast.
"""

from __future__ import annotations

import re

from msgspec import Struct

from genconform.errors import UsageError

_UNITS: dict[str, int] = {"B": 1} | {
    f"{prefix}{suffix}": base**power
    for base, suffix in ((1000, "B"), (1024, "iB"))
    for power, prefix in enumerate(("k" if base == 1000 else "K", "M", "G", "T"), 1)
}
_QUANTITY = re.compile(r"(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>[A-Za-z]+)(?P<rate>/s)?")


class Roof(Struct, frozen=True, rename="camel"):
    """The bound that reading sets: seconds a token at least, tokens a second at most."""

    reloaded_bytes_per_token: float
    sustained_bytes_per_second: float

    @property
    def least_seconds_per_token(self) -> float:
        """W/B."""
        return self.reloaded_bytes_per_token / self.sustained_bytes_per_second

    @property
    def most_tokens_per_second(self) -> float | None:
        """B/W; none where nothing is reloaded, for then reading sets no bound."""
        if not self.reloaded_bytes_per_token:
            return None
        return self.sustained_bytes_per_second / self.reloaded_bytes_per_token


def parse_bytes(text: str) -> float:
    """Bytes from a size such as "14 GB" (powers of 1000) or "512 MiB" (powers of 1024).

    Raises:
        UsageError: it is not a size.
    """
    return _parse(text, rate=False)


def parse_bandwidth(text: str) -> float:
    """Bytes a second from a rate such as "3.5 GB/s", above 0.

    Raises:
        UsageError: it is not a rate, or it is 0.
    """
    bandwidth = _parse(text, rate=True)
    if bandwidth == 0:
        raise UsageError("nothing can be read at this rate", expected="a rate above 0", actual=text)
    return bandwidth


def _parse(text: str, *, rate: bool) -> float:
    found = _QUANTITY.fullmatch(text.strip())
    if found is None or found["unit"] not in _UNITS or bool(found["rate"]) is not rate:
        what, example = ("rate", "3.5 GB/s") if rate else ("size", "14 GB")
        raise UsageError(
            f"not a {what} with a unit",
            expected=f"such as {example!r}; units are {', '.join(_UNITS)}",
            actual=repr(text),
        )
    return float(found["number"]) * _UNITS[found["unit"]]
