"""How much a search may still do; counted in nodes, so that every machine stops at the same one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from core.base.progress import Progress

_REPORT_INTERVAL = 1024
"""Nodes between two reports, which can end the search."""


class OutOfNodes(Exception):  # noqa: N818 - not an error: the question stays open
    """The budget ended before the answer was found."""


@dataclass(slots=True)
class Budget:
    """Nodes that a search may still visit."""

    nodes: int
    progress: Progress
    granted: int = field(init=False)

    def __post_init__(self) -> None:
        self.granted = self.nodes

    def spend(self) -> None:
        """Take one node; raises `OutOfNodes` when there is none."""
        if self.nodes <= 0:
            raise OutOfNodes
        self.nodes -= 1
        if self.nodes % _REPORT_INTERVAL == 0:
            self.progress.advance("allocating", self.granted - self.nodes, self.granted)

    @contextmanager
    def share(self, nodes: int) -> Iterator[Budget]:
        """A budget of its own out of this one, which gets back what is left of it."""
        part = Budget(min(nodes, self.nodes), self.progress)
        try:
            yield part
        finally:
            self.nodes -= part.granted - part.nodes
