"""`genconform roof`: how fast tokens can come at most if weights are read again for each."""

from __future__ import annotations

import click
import msgspec

from genconform.cli.options import as_text_or_json
from genconform.suites.roof import Roof, parse_bandwidth, parse_bytes


@click.command()
@click.argument("size", metavar="BYTES-A-TOKEN")
@click.argument("bandwidth", metavar="BANDWIDTH")
@as_text_or_json
def roof(size: str, bandwidth: str, format_: str) -> None:
    """Say the I/O roof of reloading BYTES-A-TOKEN (such as "14 GB") at BANDWIDTH ("3.5 GB/s").

    A token takes at least the bytes over the bandwidth. Nothing but reading is counted, so this
    bounds the rate from above and forecasts nothing. kB, MB, GB, TB are powers of 1000; KiB, MiB,
    GiB, TiB of 1024.
    """
    bound = Roof(parse_bytes(size), parse_bandwidth(bandwidth))
    if format_ == "json":
        click.echo(msgspec.json.encode(_answer(bound)).decode())
        return
    click.echo(f"at least {bound.least_seconds_per_token:.6g} seconds a token (W/B)")
    most = bound.most_tokens_per_second
    said = "no bound" if most is None else f"at most {most:.6g} tokens a second"
    click.echo(f"{said} (B/W)")


class RoofAnswer(msgspec.Struct, frozen=True, rename="camel"):
    """What `roof` gives as JSON."""

    reloaded_bytes_per_token: float
    sustained_bytes_per_second: float
    least_seconds_per_token: float
    most_tokens_per_second: float | None


def _answer(bound: Roof) -> RoofAnswer:
    return RoofAnswer(
        bound.reloaded_bytes_per_token,
        bound.sustained_bytes_per_second,
        bound.least_seconds_per_token,
        bound.most_tokens_per_second,
    )
