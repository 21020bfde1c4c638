"""What a search belongs to: all that it depends on, beside the network and sizes of memory."""

from __future__ import annotations

from core.base.frozen import Frozen, replace
from core.ir.fixed import NOTHING_FIXED, Fixed, Reserve
from core.ir.knobs import searched
from core.ir.options import Options
from core.target.target import Target


class Question(Frozen):
    """Whatever a search remembers is held under this, and it is told nothing else: a choice that
    is not in here cannot reach it, and one that is makes it another question."""

    target: Target
    """Without its limit."""
    options: Options
    """What of them one search is told."""
    fixed: Fixed = NOTHING_FIXED
    lost: tuple[Reserve, ...] = ()
    """Bytes that addresses lose while operators run: left free, though nobody has them."""

    @classmethod
    def of(cls, target: Target, options: Options, fixed: Fixed = NOTHING_FIXED) -> Question:
        """The question that a target and options ask, where some decisions are taken."""
        return cls(target=target.with_limit(None), options=searched(options), fixed=fixed)

    def with_options(self, options: Options) -> Question:
        """The same for other options."""
        return replace(self, options=searched(options))
