"""The bulk engine's look-up compiled by numba: two small gathers in place of one large one.

It needs the extra `fast`. The first call of a process compiles, which takes a second or so.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

import numpy as np

from genconform.errors import Unsupported
from genconform.lifecycle.bulk import NO_CODE, OWN_BITS, BulkEngine, Codes, Packed
from genconform.lifecycle.space import COMMON_NAMES

_LOW_OWN = (1 << OWN_BITS) - 1
_LOW_COMMON = (1 << len(COMMON_NAMES)) - 1


def compiled_route(engine: BulkEngine) -> Callable[[Packed, Codes], Codes]:
    """A function that writes, for every packet, what `engine.route(packed, out)` writes.

    Raises:
        Unsupported: numba is not installed, or the table's lines do not fall into common ones and
            those of a stage, so that two look-ups cannot hold them.
    """
    if find_spec("numba") is None:
        raise Unsupported(
            "numba is not installed", remedy="Install it with `pip install 'genconform[fast]'`."
        )
    from numba import njit

    common, own = halves(engine)
    kernel = njit(nogil=True)(look_up)

    def route(packed: Packed, out: Codes) -> Codes:
        kernel(packed, common, own, out)
        return out

    return route


def halves(engine: BulkEngine) -> tuple[Codes, Codes]:
    """The code that each common combination decides alone, NO_CODE where the stage's own lines do;
    and the code of each own combination where they do.
    """
    grid = engine.flat.reshape(1 << len(COMMON_NAMES), 1 << OWN_BITS)
    packets = grid[0] != NO_CODE
    constant = (grid[:, packets] == grid[:, packets][:, :1]).all(axis=1)
    common = np.where(constant, grid[:, packets][:, 0], NO_CODE).astype(np.uint8)
    own_rows = grid[~constant]
    if not len(own_rows) or (own_rows != own_rows[0]).any():
        raise Unsupported("this table does not fall into common lines and lines of a stage")
    return common, own_rows[0]


def look_up(packed: Packed, common: Codes, own: Codes, out: Codes) -> None:
    """Two look-ups a packet, as a plain loop for numba to compile."""
    for place in range(packed.size):
        packet = packed[place]
        code = common[(packet >> OWN_BITS) & _LOW_COMMON]
        out[place] = own[packet & _LOW_OWN] if code == NO_CODE else code
