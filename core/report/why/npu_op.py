"""An operator in sentences: where it comes from, how it runs, what it waits for, and why."""

from __future__ import annotations

from collections.abc import Iterator

from core.base.ids import NpuOpId
from core.ir.addresses_tried import LimitMet
from core.ir.decisions import BlockChosen, ConstantPlaced, SmallestMemory
from core.ir.npugraph import FoldReason, ShapeFolded
from core.ir.rewritten import Measure, Rewrite, RewriteTried
from core.report.why.attributes import attribute_sentences
from core.report.why.cost import cost_sentences
from core.report.why.eviction import absence_text, price_text, staying_text
from core.report.why.facts import Facts, Sentence, in_bytes, in_cycles, listed, ops_text
from core.report.why.feature_map import home_text
from core.report.why.order import order_sentences
from core.report.why.reasons import because
from core.report.why.stripes import stripe_sentences
from core.report.why.weights import weight_sentences
from core.report.words import counted, shape_text
from core.target.shram import Accumulator

_ACCUMULATORS = {
    Accumulator.ACC16: "16-bit accumulators",
    Accumulator.ACC32: "32-bit accumulators",
    Accumulator.ACC40: "40-bit accumulators",
}


_MEASURED = {
    Measure.CYCLES: "if memories were as fast as the port, it takes",
    Measure.LIVE_BYTES: "if maps were whole, what is live at most is",
    Measure.MOVED_BYTES: "what is moved for it is",
    Measure.MADE_BYTES: "what has to exist at once of the map within it takes",
    Measure.BYTES_TOGETHER: "what is moved there in one piece is",
}
_DONE = {
    Rewrite.ONE_TABLE: "What the model computes of one map is looked up in one table",
    Rewrite.TABLE_BY_POOLING: "What is looked up passes through a pooling, and not through a sum",
    Rewrite.COLUMNS_AS_CHANNELS: "Neighbouring columns are read as channels",
    Rewrite.WRITTEN_IN_PLACE: "What it makes is written where it belongs, and no copy brings it",
    Rewrite.COPIED_LATE: "The copy is made when all else is there that its reader needs",
    Rewrite.PADDING_TAKEN_OVER: "The PAD before it is a part of it",
    Rewrite.CONSTANT_NEAR: "The constant is copied to fast storage first",
    Rewrite.NUMBERS_NEAR: "Its numbers are copied to fast storage first, all at once",
    Rewrite.HANDED_OUT_BY_COPY: "What it makes is copied to where the CPU reads it",
    Rewrite.SEARCHED_IN_STEPS: "The greatest channel is searched in steps of two or three",
    Rewrite.COPIED_APART: "Each part is copied to its place, and the map is not turned",
    Rewrite.TURNED_BY_PRODUCT: "The transposition is a product with ones and zeros",
    Rewrite.TURNED_LATE: "What it joins is turned behind it, as far as anybody needs that",
    Rewrite.ENLARGED: "Rows and columns are repeated at once, by doublings",
    Rewrite.DILATION_JOINED: "Its input is not taken apart for its dilation",
    Rewrite.LOOKED_UP: "What the model computes in real numbers is looked up in one table",
}
_NOT_DONE = {
    Rewrite.ONE_TABLE: "What the model computes of one map is not looked up in one table",
    Rewrite.TABLE_BY_POOLING: "What is looked up passes through a sum, and not through a pooling",
    Rewrite.COLUMNS_AS_CHANNELS: "Neighbouring columns are not read as channels",
    Rewrite.WRITTEN_IN_PLACE: "A part is copied to where it belongs, and not written there",
    Rewrite.COPIED_LATE: "The copy is not made later",
    Rewrite.PADDING_TAKEN_OVER: "The PAD is not a part of what reads it",
    Rewrite.CONSTANT_NEAR: "The constant is not copied to fast storage",
    Rewrite.NUMBERS_NEAR: "Each of its numbers is read where it is stored",
    Rewrite.HANDED_OUT_BY_COPY: "What it makes is written where the CPU reads it",
    Rewrite.SEARCHED_IN_STEPS: "The greatest channel is searched among all at once",
    Rewrite.COPIED_APART: "The map is turned, and its parts are not copied to their places",
    Rewrite.TURNED_BY_PRODUCT: "The transposition is not a product with ones and zeros",
    Rewrite.TURNED_LATE: "What it joins is turned before it",
    Rewrite.ENLARGED: "Rows and columns are repeated one after the other",
    Rewrite.DILATION_JOINED: "Its input is taken apart for its dilation",
    Rewrite.LOOKED_UP: "What the model computes in real numbers is not looked up in one table",
}


def operator_sentences(facts: Facts, number: NpuOpId) -> Iterator[Sentence]:
    """Everything that explains an operator."""
    yield Sentence("what it is", what_text(facts, number))
    yield from attribute_sentences(facts, number)
    yield Sentence("origin", _origin(facts, number))
    # Of two groups of what is one operator now, the same may have to be said.
    yield from dict.fromkeys(_rewrites(facts, number))
    yield from _fold(facts, number)
    yield from order_sentences(facts, number)
    yield from cost_sentences(facts, number)
    yield from stripe_sentences(facts, number)
    yield Sentence("block", block_text(facts, number))
    for decision in facts.decisions(BlockChosen):
        if decision.op == number:
            yield Sentence("block", _choice_text(facts, decision))
    yield from weight_sentences(facts, number)
    yield from _memory(facts, number)
    yield from _constants(facts, number)


def what_text(facts: Facts, number: NpuOpId) -> str:
    """An operator in a sentence: its kind, its kernel, its shapes, and its turn."""
    op = facts.op(number)
    before = [plan.op for plan in facts.material.plans()].index(number)
    turn = f"after {counted(before, 'other')}" if before else "first"
    kernel = op.kernel
    how = ""
    if kernel.taps > 1:
        how += f" with a kernel of {kernel.h}x{kernel.w}"
    if kernel.stride_h > 1 or kernel.stride_w > 1:
        how += f" in steps of {kernel.stride_h}x{kernel.stride_w}"
    given = shape_text(op.ifm.touched)
    if op.ifm2 is not None:
        given += f" and {shape_text(op.ifm2.touched)}"
    return (
        f"Operator {number} is {_article(op.kind.value)} {op.kind.value}{how}: it makes"
        f" {shape_text(op.ofm.touched)} of {given}, and runs {turn}."
    )


def _article(noun: str) -> str:
    return "an" if noun[0] in "aeiou" else "a"


def _origin(facts: Facts, number: NpuOpId) -> str:
    op, network = facts.op(number), facts.material.network
    sources = [f"{network.operator(ref).title} (number {ref.op})" for ref in op.sources]
    if not sources:
        return "The compiler added it; no operator of the model stands for it."
    related = [
        each.npu_ops
        for each in facts.material.graph.lineage
        if each.op in op.sources and number in each.npu_ops and len(each.npu_ops) > 1
    ]
    text = f"It does the work of {listed(sources)} of the model"
    if related:
        most = max(related, key=len)
        text += f", as one of {len(most):,} operators of the accelerator"
    return f"{text}."


def _rewrites(facts: Facts, number: NpuOpId) -> Iterator[Sentence]:
    """What lowering did with it that the file does not say, and what it could have done."""
    sources = set(facts.op(number).sources)
    for tried in facts.decisions(RewriteTried):
        if not sources.issuperset(tried.sources):
            continue
        what = (_DONE if tried.reason.speaks_for else _NOT_DONE)[tried.rewrite]
        without, with_it = (
            in_cycles(figure) if tried.measure is Measure.CYCLES else in_bytes(round(figure))
            for figure in (tried.figure_without, tried.figure_with)
        )
        yield Sentence(
            "lowering",
            f"{what}, since {because(tried.reason)}: {_MEASURED[tried.measure]} {without}"
            f" without and {with_it} with it.",
        )


def _fold(facts: Facts, number: NpuOpId) -> Iterator[Sentence]:
    """In which shape it sees its maps, where another was tried."""
    for fold in facts.decisions(ShapeFolded):
        if number not in fold.ops:
            continue
        given, seen = shape_text(fold.shape), shape_text(fold.seen_as)
        is_folded = fold.reason is FoldReason.CHEAPER
        what = (
            f"sees its maps of {given} as {seen}" if is_folded else f"does not see them as {seen}"
        )
        near = f"{ops_text(fold.ops)} and those beside would take"
        yield Sentence(
            "shape",
            f"It {what}, since {because(fold.reason, 'a map')}: with maps of {given} {near}"
            f" {in_cycles(fold.cycles)}, with {seen} {in_cycles(fold.cycles_folded)}, if memories"
            " were as fast as the port.",
        )


def block_text(facts: Facts, number: NpuOpId) -> str:
    """The blocks that an operator works in."""
    _, plan = facts.place(number)
    block = plan.block
    text = f"It works in blocks of {shape_text(block.ofm_block)} of its output"
    if facts.op(number).weights is not None:
        text += ", kernel part by kernel part" if block.is_part_kernel else ", depth first"
    return f"{text}, with {_ACCUMULATORS[block.accumulator]}."


def _choice_text(facts: Facts, chosen: BlockChosen) -> str:
    """What a block was taken for, and what others would have cost."""
    is_whole = chosen.height == facts.op(chosen.op).ofm.shape.h
    rows = "" if is_whole else f" for {counted(chosen.height, 'row')} of it"
    told = [
        f"{shape_text(block)} takes {in_cycles(cycles)} and fetches {in_bytes(round(fetched))}"
        for block, cycles, fetched in zip(
            chosen.blocks, chosen.cycles, chosen.fetched_bytes, strict=True
        )
    ]
    text = f"That is the cheapest of {counted(chosen.asked, 'block')}{rows}: {told[0]}"
    if len(told) > 2:
        text += f"; the next, {told[1]}"
    if chosen.blocks[0] != chosen.blocks[-1]:
        text += f"; the one that the ecosystem's compiler takes, {told[-1]}"
    return f"{text}."


def _memory(facts: Facts, number: NpuOpId) -> Iterator[Sentence]:
    """Its maps, and what is live while it runs."""
    op = facts.op(number)
    reads = [op.ifm] if op.ifm2 is None else [op.ifm, op.ifm2]
    graph = facts.material.graph
    given = [
        f"{facts.map_name(view.fm)} {home_text(facts, view.fm)}"
        for view in reads
        if graph.fm(view).data is None
    ]
    made = f"writes {facts.map_name(op.ofm.fm)} {home_text(facts, op.ofm.fm)}"
    text = f"It reads {listed(given)} and {made}" if given else f"It {made}"
    yield Sentence("memory", f"{text}.")
    island, plan = facts.place(number)
    limit = f" of {in_bytes(island.limit_bytes)}" if facts.is_limit(island.limit_bytes) else ""
    yield Sentence(
        "memory",
        f"While it runs, {in_bytes(island.snapshot[plan.time])}{limit} of {facts.fast} are"
        f" live; the most of its command stream is {in_bytes(island.peak_bytes)}.",
    )
    for met in facts.decisions(LimitMet):
        for size in (size for op, size in met.lost_bytes if op == number):
            yield Sentence(
                "memory",
                f"It leaves {in_bytes(size)} free, since addresses for all that is live at once"
                " stood too high here.",
            )
    if plan.slack_cycles:
        yield Sentence(
            "memory",
            f"For {in_cycles(plan.slack_cycles)} of that time DMA is free to fetch what the next"
            " operator needs.",
        )
    for decision in facts.decisions(SmallestMemory):
        if decision.op == number:
            yield Sentence(
                "memory",
                "It sets the smallest memory of its command stream: maps that must exist whole"
                f" take {in_bytes(decision.size_bytes)} while it runs, whatever the schedule.",
            )
    for cost in facts.analysis.evictions:
        if cost.island == island.island:
            evicted = island.evicted[cost.position]
            mine = [fm for fm in evicted.fms if fm in {view.fm for view in op.views}]
            for fm in mine[:1]:
                yield Sentence(
                    "eviction",
                    f"Map {facts.map_name(fm)} {absence_text(facts, cost)}, which"
                    f" {price_text(facts, cost)}; {staying_text(facts, cost)}.",
                )


def _constants(facts: Facts, number: NpuOpId) -> Iterator[Sentence]:
    for decision in facts.decisions(ConstantPlaced):
        if decision.op != number:
            continue
        if decision.fm is None:
            what = "Its look-up table is brought to the shared buffer by DMA"
        else:
            size = facts.material.graph.feature_maps[decision.fm].data
            held = in_bytes(size.size_bytes) if size is not None else "nothing"
            name = facts.map_name(decision.fm)
            what = f"Constant {name} ({held}) stays in {facts.permanent}"
        yield Sentence("memory", f"{what}: {because(decision.reason)}.")
