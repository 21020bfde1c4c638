"""Why an operator runs at another place than in the order of the file."""

from __future__ import annotations

from collections.abc import Iterator

from core.base.ids import NpuOpId
from core.ir.search_records import OrderTried
from core.report.why.facts import Facts, Sentence, in_bytes, in_cycles


def order_sentences(facts: Facts, number: NpuOpId) -> Iterator[Sentence]:
    """Behind which operator one was put off, and what that saves, where a search did it."""
    island, _ = facts.place(number)
    order = [plan.op for plan in island.ops]
    overtaking = [op for op in order[: order.index(number)] if op > number]
    if not overtaking:
        return
    what = (
        f"It runs after {facts.op_name(overtaking[-1])}, which comes later in the order of the file"
    )
    taken = [
        each
        for each in facts.decisions(OrderTried)
        if each.island == island.island and each.is_taken and number in each.ops
    ]
    for each in taken[-1:]:
        what += (
            f": with all that are put off the peak of {facts.fast} is"
            f" {in_bytes(each.peak_bytes)} in {in_cycles(each.cycles)}, in the file's order"
            f" {in_bytes(each.peak_bytes_before)} in {in_cycles(each.cycles_before)}"
        )
    yield Sentence("order", f"{what}.")
