"""What a client or an operator writes down by itself: claims and cache events.

Such a record has keys that begin with an underscore, and no others.
"""

from __future__ import annotations

from genconform.trace.adapters.base import Adapter, Shape

ADAPTER = Adapter(
    name="client",
    title="a client's own notes",
    switch_on="see spec/adapters.md for what a client may write beside any payload",
    shapes=(
        Shape(
            name="claims",
            needs=("_claims",),
            lacks=("usage", "choices", "timings", "events"),
            about_a_request=False,
        ),
        Shape(
            name="cache",
            needs=("_cache/event",),
            lacks=("usage", "choices", "timings", "events"),
            about_a_request=False,
        ),
    ),
)
