"""Zooming and panning as arithmetic: a range in, a range within limits out."""

from __future__ import annotations

from core.base.frozen import NamedTuple


class Range(NamedTuple):
    """From where to where."""

    start: float
    end: float

    @property
    def length(self) -> float:
        """How long it is."""
        return self.end - self.start


class Limits(NamedTuple):
    """Everything there is, and the least of it that may fill the view."""

    all: Range
    least_length: float
    margin: float = 0.03
    """Room at both ends, as a share of everything."""

    @property
    def widest(self) -> Range:
        """Everything with its margins."""
        room = max(self.all.length, self.least_length) * self.margin
        return Range(self.all.start - room, max(self.all.end, self.all.start) + room)

    def held(self, wanted: Range) -> Range:
        """The allowed range that is nearest to a wanted one."""
        widest = self.widest
        length = min(max(wanted.length, min(self.least_length, widest.length)), widest.length)
        start = (wanted.start + wanted.end - length) / 2
        start = min(max(start, widest.start), widest.end - length)
        return Range(start, start + length)


def zoomed(shown: Range, centre: float, factor: float, limits: Limits) -> Range:
    """A range `factor` times as long, in which the centre stays where it is, if limits allow."""
    widest = limits.widest.length
    length = min(max(shown.length * factor, min(limits.least_length, widest)), widest)
    share = (centre - shown.start) / shown.length if shown.length else 0.5
    return limits.held(Range(centre - share * length, centre + (1 - share) * length))


def panned(shown: Range, shift: float, limits: Limits) -> Range:
    """The range moved, as far as there is something to see."""
    return limits.held(Range(shown.start + shift, shown.end + shift))


def padded(start: float, end: float, share: float = 0.1) -> Range:
    """A range with some room around it."""
    room = (end - start) * share
    return Range(start - room, end + room)
