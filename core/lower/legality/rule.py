"""A rule: what it asks, what it accepts, and how to tell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from core.base.frozen import Frozen
from core.base.ids import OpRef
from core.ir.network import Tensor
from core.ir.npugraph import Rejection
from core.lower.source import SourceOp
from core.target.limits import OperatorLimits

Check = Callable[[SourceOp], str | None]
"""The value found where the rule is broken, else None; may rely on the rules before it."""


class Rule(Frozen):
    """One condition for a place on the NPU."""

    text: str
    accepted: str
    check: Check

    def broken(self, op: OpRef, found: str) -> Rejection:
        """The rejection that goes with a value found."""
        return Rejection(op=op, rule=self.text, found=found, accepted=self.accepted)


class LimitRule(Frozen):
    """A condition whose figures are those of a family of accelerators."""

    text: str
    accepted: Callable[[OperatorLimits], str]
    check: Callable[[SourceOp, OperatorLimits], str | None]

    def under(self, limits: OperatorLimits) -> Rule:
        """The rule with the figures of a family."""
        return Rule(
            text=self.text,
            accepted=self.accepted(limits),
            check=lambda op: self.check(op, limits),
        )


AnyRule = Rule | LimitRule


def shown(shape: Sequence[int]) -> str:
    """A shape as people write it."""
    return "x".join(str(dim) for dim in shape) if shape else "scalar"


def listed(words: Iterable[str]) -> str:
    """Alternatives in a stable order."""
    return ", ".join(sorted(words))


def shapes_of(tensors: Iterable[Tensor | None]) -> str:
    """Each tensor with its shape."""
    return "; ".join(f"'{t.name}' is {shown(t.shape)}" for t in tensors if t is not None)


def types_of(tensors: Iterable[Tensor | None]) -> str:
    """Each tensor with its element type."""
    return "; ".join(f"'{t.name}' is {t.dtype.name.lower()}" for t in tensors if t is not None)
