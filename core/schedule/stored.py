"""The maps of a network stored in one way: what the search is given for it."""

from __future__ import annotations

from collections.abc import Iterator

from core.base.frozen import Frozen, field, replace
from core.base.ids import IslandId
from core.base.memo import Memo
from core.base.progress import Progress
from core.ir.decisions import FormatChosen
from core.ir.fixed import Fixed, Precedence, Reserve
from core.ir.npugraph import NpuGraph
from core.ir.schedule import MapPlan
from core.schedule.estimates import Estimates
from core.schedule.fast_storage import FastStorage
from core.schedule.format_prices import FormatPrices, best_formats, in_rows
from core.schedule.limitless import Limitless
from core.schedule.ordering.candidates import other_orders
from core.schedule.pareto.memos import Memos
from core.schedule.problem import IslandProblem, in_order, leaving_free, problems_of, with_fixed
from core.schedule.reformat import Formats
from core.schedule.solved import default_maps

OtherOrders = Memo[tuple[IslandId, bool], tuple[tuple[IslandProblem, Limitless], ...]]

_CYCLES_OF_BYTE_FAR, _CYCLES_OF_BYTE_NEAR = 1e-9, 1e9
"""Little enough to decide between equals only, and more than any map could save in cycles."""


class Stored(Frozen):
    """The islands of a network with each map in one format."""

    problems: tuple[IslandProblem, ...]
    defaults: tuple[MapPlan, ...]
    """Where each map lives that no island moves."""
    estimates: Estimates
    """Grows with every question; its answers never change."""
    far_formats: Formats
    """The formats of maps that are not in fast storage, where maps that are may have others."""
    lost: tuple[Reserve, ...] = ()
    """Bytes that are of no use while some operators run."""
    known: Limitless = field(default_factory=Limitless)
    """What engines have worked out of islands."""
    others: OtherOrders = field(default_factory=Memo)
    """Islands in orders in which less is live, or least, as far as somebody has asked."""
    without_losses: Stored | None = None
    """The same where all bytes are of use; the orders that are searched are its."""
    pareto: Memos = field(default_factory=Memos)
    """What the Pareto engine has worked out."""

    def as_wished(self, wishes: tuple[Precedence, ...]) -> Stored:
        """The same with operators in an order in which wishes hold, each of them possible."""
        freedoms = self.estimates.options.freedoms
        problems = (
            in_order(each, each.needs.with_wishes(wishes).ops, freedoms) for each in self.problems
        )
        return replace(self, problems=tuple(problems))

    def with_fixed(self, fixed: Fixed) -> Stored:
        """The same where some decisions, each of them possible, are taken."""
        return replace(
            self,
            problems=tuple(with_fixed(problem, fixed) for problem in self.problems),
            estimates=self.estimates.with_fixed(fixed),
            known=Limitless(cuts_before=self.known.cuts),
            others=Memo(),
            pareto=Memos(),
        )

    def leaving_free(self, lost: tuple[Reserve, ...]) -> Stored:
        """The same where bytes are of no use while some operators run."""
        return replace(
            self,
            problems=tuple(leaving_free(each, lost) for each in self.problems),
            lost=lost,
            known=self.known.beside_others(),
            others=Memo(),
            without_losses=self,
            pareto=Memos(),
        )

    def in_other_orders(
        self, island: IslandId, progress: Progress, *, is_for_least: bool
    ) -> tuple[tuple[IslandProblem, Limitless], ...]:
        """An island in orders in which less is live, each with what has been worked out for it."""
        return self.others.answer(
            (island, is_for_least),
            lambda: tuple(self._orders(island, progress, is_for_least=is_for_least)),
        )

    def _orders(
        self, island: IslandId, progress: Progress, *, is_for_least: bool
    ) -> Iterator[tuple[IslandProblem, Limitless]]:
        if self.without_losses is not None:
            orders = self.without_losses.in_other_orders
            for problem, known in orders(island, progress, is_for_least=is_for_least):
                yield leaving_free(problem, self.lost), known.beside_others()
            return
        problem, estimates = self.problems[island], self.estimates
        for each in other_orders(problem, estimates, progress, is_for_least=is_for_least):
            yield each, Limitless(cuts_before=self.known.cuts)

    def heard_by(self, progress: Progress) -> Stored:
        """The same, while a question is answered that somebody may cancel."""
        return replace(self, estimates=replace(self.estimates, progress=progress))


def formats_near_and_far(
    graph: NpuGraph,
    rules: tuple[FormatChosen, ...],
    prices: FormatPrices,
    estimates: Estimates,
    storage: FastStorage,
) -> tuple[Formats, Formats]:
    """By the rules alone; or where formats are free, small in fast storage and fast beside it.

    Whatever is near and has room is in its faster format once there is a schedule.
    """
    if not estimates.options.freedoms.formats_by_cost:
        return estimates.formats, estimates.formats
    far = in_rows(rules)
    if not storage.has_all_maps:
        far = best_formats(graph, rules, prices, _CYCLES_OF_BYTE_FAR, far)
    near = best_formats(graph, rules, prices, _CYCLES_OF_BYTE_NEAR, far)
    return near, near if storage.has_all_maps else far


def stored_in(
    graph: NpuGraph, near: Formats, far: Formats, estimates: Estimates, storage: FastStorage
) -> Stored:
    """The islands with each map in the format that it has near, and in another where it is far."""
    return Stored(
        problems=problems_of(graph, near, storage, estimates.options.freedoms),
        defaults=tuple(default_maps(graph, near)),
        estimates=estimates.with_formats(near),
        far_formats=far,
    )
