"""What an eviction policy is asked, and what it answers."""

from __future__ import annotations

from typing import Protocol

from core.base.errors import InternalError
from core.base.frozen import Frozen
from core.base.progress import Progress
from core.ir.decisions import Fate


class Contender(Frozen):
    """A feature map that may live in fast storage."""

    name: str
    start_time: int
    end_time: int
    """The last time at which it is needed."""
    size_bytes: int
    worth: int
    """Of keeping it: elements that are read and written, or cycles."""

    def __post_init__(self) -> None:
        is_duration = 0 <= self.start_time <= self.end_time
        if not is_duration or min(self.size_bytes, self.worth) < 0:
            raise InternalError(f"'{self.name}' is no contender: {self}")


class Contest(Frozen):
    """Contenders for the room below a limit."""

    contenders: tuple[Contender, ...]
    base_bytes: tuple[int, ...]
    """Bytes at each time of what cannot leave, such as rolling buffers and weight buffers."""
    limit_bytes: int

    def __post_init__(self) -> None:
        for item in self.contenders:
            if item.end_time >= len(self.base_bytes):
                raise InternalError(f"'{item.name}' lives longer than {len(self.base_bytes)} times")


class Component(Frozen):
    """Contenders that were decided together, since they share times that are too full."""

    members: tuple[int, ...]
    """Their places among the contenders."""
    worth_kept: int
    worth_bound: int
    """Proven: no choice of members keeps more worth."""

    @property
    def is_proven_optimal(self) -> bool:
        """Whether no choice of members can keep more worth than this one."""
        return self.worth_kept >= self.worth_bound


class Verdict(Frozen):
    """Who stays, and why; one entry for each contender, in their order."""

    kept: tuple[bool, ...]
    fates: tuple[Fate, ...]
    components: tuple[Component, ...] = ()
    """What was searched; empty for a policy that does not search."""


class EvictionOptions(Frozen):
    """How long a search may go on; counted in nodes, so that every machine stops alike."""

    node_limit: int = 500_000
    """Partial choices that may be continued, for all components of a contest together."""


DEFAULT_OPTIONS = EvictionOptions()


class Policy(Protocol):
    """The one signature of all policies."""

    def __call__(self, contest: Contest, options: EvictionOptions, progress: Progress) -> Verdict:
        """A choice within the limit at every time at which what cannot leave is within it."""
