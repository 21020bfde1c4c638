"""A draft of an island that is cut into parts."""

from __future__ import annotations

from collections.abc import Iterator

from core.base.frozen import replace
from core.ir.decisions import Buffering, WeightsReason
from core.schedule.branches.flow import ring_shape
from core.schedule.branches.groups import Played
from core.schedule.draft import Buffered, Draft, OpDraft, Ring, sized
from core.schedule.front.cuts import Cut, Cuts, Piece
from core.schedule.weight_choice import transfer_cycles


def draft_of(cuts: Cuts, cut: Cut, limit_bytes: int) -> Draft:
    """The parts as they run; weights of operators outside of cascades are read where they are
    stored."""
    ground = cuts.ground
    draft = Draft(ops={}, has_kept=True)
    for piece in cut.pieces:
        first, last = piece.part
        if first == last:
            draft.ops[first] = ground.prices.whole.ops[first]
            continue
        played = ground.player.play(piece.part, list(piece.heights))
        for index, plan, told in _members(cuts, piece, limit_bytes):
            draft.ops[index] = plan
            draft.buffered += told
        cascade = sized(ground.flow.problem, draft.ops, first, last, _rings(cuts, played))
        draft.cascades[last] = replace(cascade, overlays=played.overlays)
    return draft


def _members(
    cuts: Cuts, piece: Piece, limit_bytes: int
) -> Iterator[tuple[int, OpDraft, tuple[Buffered, ...]]]:
    """The operators of a cascade, and how their weights reach them."""
    ground = cuts.ground
    prices, (first, last) = ground.prices, piece.part
    for node, height in zip(ground.flow.nodes[first : last + 1], piece.heights, strict=True):
        cost = ground.cost(node, height, ground.nearest)
        is_kept = node.index in piece.kept
        plan = prices.plan(node, height, is_otherwise=cost.is_otherwise)
        if is_kept:
            plan = prices.kept_plan(node, height)
        if plan.weights is None:
            yield node.index, replace(plan, cascade=last), ()
            continue
        if not is_kept and prices.compares_weights:
            transfer = transfer_cycles(prices.estimates, plan.weights)
            plan = replace(plan, weights=replace(plan.weights, transfer_cycles=transfer))
        reason = WeightsReason.FASTEST
        if cost.kept_bytes:
            reason = WeightsReason.NO_ROOM_BESIDE_CASCADE
        if is_kept:
            reason = WeightsReason.USED_IN_EVERY_STRIPE
        assert plan.weights is not None
        tried = ((Buffering.DIRECT, cost.cycles), (Buffering.SINGLE, cost.kept_cycles))
        told = Buffered(
            node.op.id,
            plan.weights,
            reason,
            limit_bytes,
            slack_cycles=0,
            tried=tried if cost.kept_bytes else (),
        )
        yield node.index, replace(plan, cascade=last), (told,)


def _rings(cuts: Cuts, played: Played) -> tuple[Ring, ...]:
    flow = cuts.ground.flow
    return tuple(
        Ring(fm, ring_shape(flow.problem, flow.rolling[fm], rows)) for fm, rows in played.rings
    )
