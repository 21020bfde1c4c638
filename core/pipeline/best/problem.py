"""What one front is for."""

from __future__ import annotations

from core.base.frozen import Frozen, replace
from core.ir.front import Ask
from core.ir.options import Options, ParetoOptions, Search
from core.target.target import Target


class Problem(Frozen):
    """A target without its limit, and options that are not searched over."""

    target: Target
    options: Options

    @classmethod
    def of(cls, target: Target, options: Options) -> Problem:
        """The problem that a question belongs to."""
        ask = Ask()
        plain = replace(
            options,
            search=Search.DIRECT,
            engine=ask.engine,
            strategy=ask.strategy,
            eviction=ask.eviction,
            pareto=ParetoOptions(),
            effort=0,
            robust=False,
        )
        return cls(target=target.with_limit(None), options=plain)

    def asking(self, ask: Ask) -> Options:
        """The options of one search."""
        return replace(
            self.options,
            engine=ask.engine,
            strategy=ask.strategy,
            eviction=ask.eviction,
            pareto=ParetoOptions(metric=ask.metric, blocks_per_end=ask.blocks_per_end),
        )
