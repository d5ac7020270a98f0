"""What the tests of agreement share: the engines, and machines with one fault each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import msgspec
import pytest

from genconform.agreement.engines import Engines, engines_of
from genconform.lifecycle import machine
from genconform.lifecycle.packet import Event, State
from genconform.spec.table import Table

Step = Callable[[State, Event], tuple[State, str]]
Unmet = Callable[[State, Event], tuple[str, ...]]


@dataclass(frozen=True)
class Faulty:
    """A machine of which some part is replaced."""

    step: Step = machine.step
    unmet: Unmet = machine.unmet


def changed(state: State, **changes: object) -> State:
    return msgspec.structs.replace(state, **changes)


@pytest.fixture(scope="session")
def engines(table: Table) -> Engines:
    return engines_of(table)
