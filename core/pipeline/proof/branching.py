"""Operators that run other subgraphs, where these have command streams: IF and WHILE.

Where they have none, LiteRT runs such an operator with all that it calls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from core.base.errors import InputError
from core.emit.conventions import CUSTOM_CODE
from core.ir.network import Network, Operator
from core.pipeline.proof.entries import callees, reached
from core.pipeline.proof.litert import Array

Caller = Callable[[int, Sequence[Array]], Sequence[Array]]
"""Runs a subgraph on its inputs."""

_KINDS = frozenset({"IF", "WHILE"})
_MOST_ROUNDS = 10_000
"""Of one loop."""


def runs_streams(network: Network, op: Operator) -> bool:
    """Whether an operator runs subgraphs with command streams."""
    if op.kind not in _KINDS:
        return False
    numbers = {at for number in callees(network, op) for at in reached(network, number)}
    return any(
        each.custom_code == CUSTOM_CODE
        for number in numbers
        for each in network.subgraphs[number].operators
    )


def branched(op: Operator, given: Sequence[Array], call: Caller) -> Sequence[Array]:
    """What an operator makes of its inputs."""
    options = op.own_options
    if op.kind == "IF":
        which = "then" if _is_true(op, given[:1]) else "else"
        return call(options.integer(f"{which}_subgraph_index"), given[1:])
    for _ in range(_MOST_ROUNDS):
        if not _is_true(op, call(options.integer("cond_subgraph_index"), given)):
            return given
        given = call(options.integer("body_subgraph_index"), given)
    raise InputError(f"{op.kind} has not come to its end after {_MOST_ROUNDS:,} rounds")


def _is_true(op: Operator, found: Sequence[Array]) -> bool:
    if len(found) != 1 or np.size(found[0]) != 1:
        raise InputError(f"{op.kind} is given no condition of one element")
    return bool(np.reshape(found[0], -1)[0])
