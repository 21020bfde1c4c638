"""The lanes of the timeline as a user arranges them: order, which are low, hidden, pinned."""

from __future__ import annotations

import enum
from collections.abc import Mapping

from core.base.frozen import Frozen, replace
from core.ir.trace import Lane
from gui.document.plain import Plain


class Track(enum.Enum):
    """A lane, by the name under which its place is kept."""

    NOTES = "notes"
    CASCADES = "cascades"
    MAC = "mac"
    ELEMENTWISE = "elementwise"
    DMA_IN = "dma_in"
    DMA_OUT = "dma_out"
    CPU = "cpu"
    MEASURED = "measured"
    ERRORS = "errors"

    @property
    def title(self) -> str:
        """As it is written beside the lane."""
        return _TITLES[self]


_TITLES = {
    Track.NOTES: "Notes",
    Track.CASCADES: "Cascades",
    Track.MAC: "MAC",
    Track.ELEMENTWISE: "Element-wise",
    Track.DMA_IN: "DMA in",
    Track.DMA_OUT: "DMA out",
    Track.CPU: "CPU",
    Track.MEASURED: "Measured",
    Track.ERRORS: "Errors",
}
TRACK_OF: Mapping[Lane, Track] = {lane: Track[lane.name] for lane in Lane}
_NONE: frozenset[Track] = frozenset()


class Tracks(Frozen):
    """How lanes are arranged; a lane that is empty takes no room, however it is arranged."""

    order: tuple[Track, ...] = tuple(Track)
    low: frozenset[Track] = _NONE
    """Collapsed to a stripe."""
    hidden: frozenset[Track] = _NONE
    pinned: frozenset[Track] = _NONE
    """At the top, where they stay while the others are moved."""

    def shown(self, *, pinned: bool) -> tuple[Track, ...]:
        """Those that are pinned, or those that are not, from top to bottom."""
        return tuple(
            track
            for track in self.order
            if track not in self.hidden and (track in self.pinned) == pinned
        )

    def collapsed(self, track: Track) -> Tracks:
        """The same with a lane low, or as high as ever if it is low."""
        return replace(self, low=self.low ^ {track})

    def without(self, track: Track) -> Tracks:
        """The same with a lane hidden, or in sight if it is hidden."""
        return replace(self, hidden=self.hidden ^ {track})

    def with_pin(self, track: Track) -> Tracks:
        """The same with a lane at the top, or where it was if it is there."""
        return replace(self, pinned=self.pinned ^ {track})

    def moved(self, track: Track, onto: Track) -> Tracks:
        """The same with a lane in the place of another; those between move up or down."""
        place = self.order.index(onto)
        rest = [other for other in self.order if other is not track]
        return replace(self, order=(*rest[:place], track, *rest[place:]))

    def plain(self) -> dict[str, Plain]:
        """As a value that is kept."""
        return {
            "order": [track.value for track in self.order],
            **{name: sorted(track.value for track in getattr(self, name)) for name in _SETS},
        }


_SETS = ("low", "hidden", "pinned")


def tracks_of(plain: Mapping[str, object]) -> Tracks:
    """Such a value again; names that are not known are passed over, lanes that miss come last."""
    known = {track.value: track for track in Track}

    def named(name: str) -> list[Track]:
        found = plain.get(name)
        names = found if isinstance(found, list) else []
        return [known[value] for value in dict.fromkeys(map(str, names)) if value in known]

    order = named("order")
    return Tracks(
        order=(*order, *(track for track in Track if track not in order)),
        **{name: frozenset(named(name)) for name in _SETS},
    )
