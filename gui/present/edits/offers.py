"""Lists of values to choose from, with what is known of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from core.base.frozen import NamedTuple
from core.ir.edits import Living, Processor, Traversal, WeightsAsked, What
from core.ir.npugraph import OpKind
from core.target.format import ALIGNMENT_BYTES, Format
from gui.document.decisions import Deed
from gui.present.edits import deeds
from gui.present.edits.deeds import Asked, Obstacle, asked_value
from gui.present.edits.subjects import (
    address_of,
    blocks_of,
    formats_of,
    heights_of,
    maps_of,
    most_lead_of,
    ops_of,
    plan_of,
    slices_of,
)
from gui.present.edits.text import value_text
from gui.present.units import count, counted, size_exact

ADDRESS_STEP = ALIGNMENT_BYTES
RESERVE_BYTES = 8192
"""What a reserve is at first."""
_MOST_HEIGHTS = 24
"""So many heights are listed; others are reached step by step."""


_LEADS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
"""So many operators ahead weights are offered; others are typed."""

_NO_WEIGHTS = "it has no weights"
_NO_BLOCKS = "it does not work in blocks"


class Offer(NamedTuple):
    """A value that can be asked for."""

    text: str
    deed: Deed
    is_applied: bool
    """The schedule has it."""
    is_asked: bool
    """An edit asks for it."""


def _offers(rows: Iterable[tuple[str, Deed | Obstacle, bool, bool]]) -> tuple[Offer, ...]:
    return tuple(
        Offer(text, deed, is_applied, is_asked)
        for text, deed, is_applied, is_asked in rows
        if isinstance(deed, Deed)
    )


def heights(asked: Asked) -> tuple[Offer, ...] | Obstacle:
    """Stripe heights that all selected operators can have."""
    ops = ops_of(asked.answer, asked.selection)
    if not ops:
        return deeds.NO_OPERATOR
    common = set.intersection(*(set(heights_of(asked.answer, op)) for op in ops))
    if len(common) < 2:
        return "it cannot run in stripes"
    applied = {plan_of(asked.answer, op).stripe.ofm.h for op in ops}
    wanted = {asked_value(asked, op, What.STRIPE) for op in ops}
    listed = _spread(sorted(common), {*applied, *(each for each in wanted if each in common)})
    return _offers(
        (
            f"{value_text(What.STRIPE, rows)}{' (whole)' if rows == max(common) else ''}",
            deeds.striped(asked, rows),
            applied == {rows},
            wanted == {rows},
        )
        for rows in listed
    )


def _spread(rows: list[int], kept: set[object]) -> list[int]:
    """Not too many of them: all low ones, then further and further apart."""
    if len(rows) <= _MOST_HEIGHTS:
        return rows
    found, step = [], 1.0
    at = 0.0
    while at < len(rows):
        found.append(rows[int(at)])
        step = max(step, at / 8)
        at += step
    return sorted({*found, rows[-1], *(row for row in rows if row in kept)})


def blocks(asked: Asked) -> tuple[Offer, ...] | Obstacle:
    """Blocks that all selected operators can work in, with the cycles of the first."""
    ops = ops_of(asked.answer, asked.selection)
    if not ops:
        return deeds.NO_OPERATOR
    by_op = [{offer.block: offer.cycles for offer in blocks_of(asked.answer, op)} for op in ops]
    common = [block for block in by_op[0] if all(block in each for each in by_op)]
    if not common:
        return _NO_BLOCKS if len(ops) == 1 else "they have no block in common"
    applied = {plan_of(asked.answer, op).block.ofm_block for op in ops}
    wanted = {asked_value(asked, op, What.BLOCK) for op in ops}
    cycles = {block: sum(each[block] for each in by_op) for block in common}
    return _offers(
        (
            f"{value_text(What.BLOCK, block)}, about {count(cycles[block])} cycles",
            deeds.blocked(asked, block),
            applied == {block},
            wanted == {block},
        )
        for block in sorted(common, key=lambda block: (cycles[block], block))
    )


def can_choose_block(asked: Asked) -> Obstacle:
    """Why no block can be chosen; of one operator without working out what its blocks cost."""
    ops = ops_of(asked.answer, asked.selection)
    if len(ops) != 1:
        found = blocks(asked)
        return found if isinstance(found, str) else ""
    is_copy = asked.answer.scheduled.graph.ops[ops[0]].kind is OpKind.COPY
    return _NO_BLOCKS if is_copy else ""


def can_choose_height(asked: Asked) -> Obstacle:
    """Why no stripe height can be chosen."""
    found = heights(asked)
    return found if isinstance(found, str) else ""


def buffers(asked: Asked) -> tuple[Offer, ...] | Obstacle:
    """Ways in which weights can reach the selected operators."""
    ops = ops_of(asked.answer, asked.selection)
    plans = [plan_of(asked.answer, op).weights for op in ops]
    applied = {len(plan.buffer_bytes) for plan in plans if plan is not None}
    if not applied:
        return "it has no weights" if ops else deeds.NO_OPERATOR
    wanted = {asked_value(asked, op, What.WEIGHTS) for op in ops}
    values = [WeightsAsked(buffers=count) for count in range(3)]
    return _offers(
        (
            value_text(What.WEIGHTS, value),
            deeds.fetched(asked, value),
            applied == {value.buffers},
            wanted == {value},
        )
        for value in values
    )


def slices(asked: Asked) -> tuple[Offer, ...] | Obstacle:
    """Equal slices in which weights of all selected operators can arrive."""
    ops = ops_of(asked.answer, asked.selection)
    by_op = [found for op in ops if (found := slices_of(asked.answer, op))]
    if not by_op:
        return "it has no weights" if ops else deeds.NO_OPERATOR
    plans = [plan_of(asked.answer, op).weights for op in ops]
    applied = {plan.depth_slices for plan in plans if plan is not None}
    wanted = [asked_value(asked, op, What.WEIGHTS) for op in ops]
    asked_for = {each.depths for each in wanted if isinstance(each, WeightsAsked)}
    return _offers(
        (
            f"{counted(len(depths) - 1, 'slice')} of up to {depths[1]} channels",
            deeds.fetched(asked, WeightsAsked(depths=depths)),
            applied == {depths},
            asked_for == {depths},
        )
        for depths in by_op[0]
        if all(depths in each for each in by_op)
    )


def can_choose_slices(asked: Asked) -> Obstacle:
    """Why no slices can be chosen."""
    found = slices(asked)
    return found if isinstance(found, str) else ""


def fetchings(asked: Asked) -> tuple[Offer, ...] | Obstacle:
    """Whether weights of the selected operators begin to arrive while operators before run, as far
    ahead as pays, or so many operators ahead."""
    ops = ops_of(asked.answer, asked.selection)
    by_op = {op: plan_of(asked.answer, op).weights for op in ops}
    plans = [plan for plan in by_op.values() if plan is not None]
    if not plans:
        return _NO_WEIGHTS if ops else deeds.NO_OPERATOR
    early, leads = {plan.is_prefetched for plan in plans}, {plan.lead_steps for plan in plans}
    wanted = {asked_value(asked, op, What.WEIGHTS) for op in ops}
    asked_for = {each.lead_steps for each in wanted if isinstance(each, WeightsAsked)}
    most = min(most_lead_of(asked.answer, op) for op, plan in by_op.items() if plan is not None)
    listed = sorted({*_LEADS, *leads, *(each for each in asked_for if each)})
    values = [WeightsAsked(prefetch=is_early) for is_early in (True, False)]
    values += [WeightsAsked(prefetch=True, lead_steps=n) for n in listed if 0 < n <= most]
    return _offers(
        (
            value_text(What.WEIGHTS, value),
            deeds.fetched(asked, value),
            early == {value.prefetch} and (value.lead_steps is None or leads == {value.lead_steps}),
            value.lead_steps is not None and asked_for == {value.lead_steps},
        )
        for value in values
    )


def traversals(asked: Asked) -> tuple[Offer, ...] | Obstacle:
    """Orders in which the selected operators can take their weights."""
    ops = ops_of(asked.answer, asked.selection)
    if not ops:
        return deeds.NO_OPERATOR
    graph = asked.answer.scheduled.graph
    if any(graph.ops[op].kind is not OpKind.CONV_2D for op in ops):
        return "convolutions alone have two orders to choose from"
    applied = {Traversal.of(plan_of(asked.answer, op).block.is_part_kernel) for op in ops}
    wanted = {asked_value(asked, op, What.TRAVERSAL) for op in ops}
    return _offers(
        (
            value_text(What.TRAVERSAL, value),
            deeds.traversed(asked, value),
            applied == {value},
            wanted == {value},
        )
        for value in Traversal
    )


def processors(asked: Asked) -> tuple[Offer, ...] | Obstacle:
    """What else can run the operators of the file that the selected ones do the work of."""
    deed = deeds.put_on_cpu(asked)
    if isinstance(deed, str):
        return deed
    text = value_text(What.PROCESSOR, Processor.CPU)
    return (Offer(text, deed, is_applied=False, is_asked=False),)


def orders(asked: Asked) -> tuple[Offer, ...] | Obstacle:
    """Sooner or later than now, past what the selected operator need not wait for."""
    made = (deeds.run_sooner(asked), deeds.run_later(asked))
    if all(isinstance(each, str) for each in made):
        return next(each for each in made if isinstance(each, str))
    return _offers(
        (text, deed, False, False) for text, deed in zip(("sooner", "later"), made, strict=True)
    )


def memories(asked: Asked) -> tuple[Offer, ...] | Obstacle:
    """Memories in which the selected maps can lie."""
    maps = maps_of(asked.answer, asked.selection)
    plans = asked.answer.scheduled.schedule.maps
    applied = {Living.of(plans[fm].region) for fm in maps}
    made = [(value, deeds.lives(asked, value)) for value in Living]
    told = [each for _, each in made if isinstance(each, str)]
    if told:
        return told[0]
    return _offers(
        (value_text(What.REGION, value), deed, applied == {value}, False) for value, deed in made
    )


def formats(asked: Asked) -> tuple[Offer, ...] | Obstacle:
    """Orders of elements that the selected maps can have, with the bytes of all of them."""
    maps = maps_of(asked.answer, asked.selection)
    if not maps:
        return deeds.NO_OPERATOR
    plans = asked.answer.scheduled.schedule.maps
    applied = {plans[fm].format for fm in maps}
    sizes: dict[Format, int] = dict.fromkeys(Format, 0)
    for fm in maps:
        for offer in formats_of(asked.answer)[fm]:
            sizes[offer.format] += offer.size_bytes
    return _offers(
        (
            f"{value_text(What.FORMAT, order)}, {size_exact(sizes[order])}",
            deeds.stored(asked, order),
            applied == {order},
            False,
        )
        for order in Format
    )


def groupings(asked: Asked) -> tuple[Offer, ...] | Obstacle:
    """Cascades that the selected operators can run in, and none."""
    ops = ops_of(asked.answer, asked.selection)
    if not ops:
        return deeds.NO_OPERATOR
    is_alone = {plan_of(asked.answer, op).cascade is None for op in ops} == {True}
    return _offers(
        (
            ("in no cascade", deeds.kept_out(asked), is_alone, False),
            ("in one cascade, or with what follows", deeds.merged(asked), False, False),
            ("in no cascade with what is before", deeds.split_before(asked), False, False),
            ("as the search decides", deeds.let_decide(asked, What.CASCADE), False, False),
        )
    )


BY_COLUMN: Mapping[str, Callable[[Asked], tuple[Offer, ...] | Obstacle]] = {
    "stripe": heights,
    "block": blocks,
    "buffering": buffers,
    "slices": slices,
    "cascade": groupings,
    "memory": memories,
    "format": formats,
}
"""By the columns of the operator table that are decisions."""


def stored(asked: Asked, order: Format) -> Deed | Obstacle:
    """The selected maps in an order of elements; the label tells the bytes of one."""
    found = deeds.stored(asked, order)
    maps = maps_of(asked.answer, asked.selection)
    if isinstance(found, str) or len(maps) > 1:
        return found
    offered = formats_of(asked.answer)[maps[0]]
    size = next(offer.size_bytes for offer in offered if offer.format is order)
    return found._replace(label=f"{found.label}, {size_exact(size)}")


def address_now(asked: Asked) -> int:
    """Where the selected map lies."""
    return address_of(asked.answer, maps_of(asked.answer, asked.selection)[0]) or 0
