"""Brings weights to fast storage before they are used, as far as memory and time allow.

Weights that are stored far away are fetched in depth slices: the first while the operator before
runs, each further one while the one before it is used. Inside a cascade every stripe needs all
weights again, so there they are fetched once and kept whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.base.frozen import Frozen, replace
from core.cost.work import Step
from core.ir.decisions import WeightsReason
from core.schedule.draft import Buffered, Draft, OpDraft, Snapshot
from core.schedule.estimates import Estimates, GuessedStreams, Wanted
from core.schedule.problem import Node
from core.schedule.weight_choice import (
    Asker,
    Slack,
    compares_ways,
    otherwise,
    transfer_cycles,
)

_WORTH_REDUCING = 1.5
"""Room for buffers is reduced by what was evicted only where it is this many times as much."""

_IN_CASCADE = {WeightsReason.USED_IN_EVERY_STRIPE, WeightsReason.NO_ROOM_BESIDE_CASCADE}


class Room(Frozen):
    """The fast storage that buffers can take."""

    limit_bytes: int
    now: Snapshot
    """What is live without them."""
    evicted_bytes: Mapping[int, int]
    """By node: maps that had no room beside its buffers in a schedule before."""
    looks_ahead: bool = False
    """Time is left for the weights of the operator after."""


def with_buffers(draft: Draft, nodes: Sequence[Node], estimates: Estimates, room: Room) -> Draft:
    """The draft with weight buffers wherever there is room.

    Slices depend on what the operator before leaves, so they are met one after the other. To encode
    them one by one would take much longer than to guess at their sizes first.
    """
    guesses = GuessedStreams(estimates)
    asker = Asker(estimates, guesses, lambda: _other_ways(draft, nodes))
    guessed = _decided(draft, nodes, asker, room)
    if not guesses.demands:
        return guessed
    estimates.expect(guesses.demands)
    return _decided(draft, nodes, replace(asker, guesses=None), room)


def expect_ways(draft: Draft, nodes: Sequence[Node], estimates: Estimates) -> None:
    """Choose blocks for weights that come in the other way: most will be asked for, and together
    they take less time."""
    if compares_ways(estimates) and estimates.options.freedoms.blocks_by_cost:
        estimates.costs(_other_ways(draft, nodes))


def _other_ways(draft: Draft, nodes: Sequence[Node]) -> list[Wanted]:
    weighted = [node for node in nodes if node.op.weights is not None]
    return [otherwise(node, draft.ops[node.index]) for node in weighted]


def _decided(draft: Draft, nodes: Sequence[Node], asker: Asker, room: Room) -> Draft:
    estimates = asker.estimates
    result = Draft(ops={}, cascades=dict(draft.cascades), near=draft.near, has_kept=draft.has_kept)
    if draft.has_kept:
        result.buffered += draft.buffered
    usage = list(room.now.usage)
    has_far_weights = estimates.model.target.has_far_constants
    slack = Slack()
    wanted: Sequence[int | None] = [None] * len(nodes)
    if room.looks_ahead:
        wanted = _wanted_cycles(draft, nodes, estimates)
    for node, wanted_cycles in zip(nodes, wanted, strict=True):
        plan = draft.ops[node.index]
        time = room.now.times[node.index]
        free = room.limit_bytes - usage[time]
        if node.op.weights is None or (draft.has_kept and plan.cascade is not None):
            plan = OpDraft(plan.cost, plan.weights, plan.cascade, plan.cost.cycles, free)
        else:
            allowed = _allowed(free, room.evicted_bytes, node)
            answer = asker.answer(node, plan, slack, allowed, wanted_cycles)
            is_kept = answer.reason in _IN_CASCADE or bool(answer.weights.buffers)
            if has_far_weights and plan.cascade is not None and is_kept:
                usage[time] += answer.weights.stream.stream_bytes
            plan = OpDraft(
                answer.cost or plan.cost,
                answer.weights,
                plan.cascade,
                slack_cycles=answer.slack_cycles,
                slack_bytes=free - answer.used_bytes,
            )
            way = answer.weights, answer.reason, allowed, slack.cycles, answer.tried
            result.buffered.append(Buffered(node.op.id, *way))
        if plan.cascade is not None:
            more = plan.buffer_bytes - draft.ops[node.index].buffer_bytes
            cascade = result.cascades[plan.cascade]
            result.cascades[plan.cascade] = replace(cascade, size_bytes=cascade.size_bytes + more)
        result.ops[node.index] = plan
        slack = Slack(_left_to_transfers(estimates, plan), plan.slack_bytes)
    return result


def _left_to_transfers(estimates: Estimates, plan: OpDraft) -> int:
    """Of the cycles that an operator leaves, those in which its maps do not keep the memory busy
    that weights come from."""
    source, work = estimates.model.target.permanent.area, plan.cost.work
    serves_no_maps = all(use is None or use.area is not source for use in work.maps)
    if serves_no_maps or not compares_ways(estimates):
        return plan.slack_cycles
    cost = estimates.model.cost(Step(work=work))
    return int(plan.slack_cycles * (1 - cost.busy_cycles(source) / max(cost.total_cycles, 1)))


def _wanted_cycles(draft: Draft, nodes: Sequence[Node], estimates: Estimates) -> list[int]:
    """By node: for how long weights of the next one come to a buffer meanwhile, if they do."""
    arriving = [
        0 if weights is None else transfer_cycles(estimates, weights)
        for weights in (draft.ops[node.index].weights for node in nodes)
    ]
    return [*arriving[1:], 0]


def _allowed(free: int, evicted_bytes: Mapping[int, int], node: Node) -> int:
    """Room for the node's buffers, less what was evicted beside them where that is reasonable."""
    evicted = evicted_bytes.get(node.index, 0)
    return free - evicted if evicted and free / evicted >= _WORTH_REDUCING else free
