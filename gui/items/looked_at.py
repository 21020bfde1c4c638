"""What is looked at among rectangles: all else fades, and what rules find has their colours."""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QPainter

from core.base.frozen import NamedTuple, replace
from gui.items.painting import Brushwork, Screen
from gui.present.lod import Field, Viewport
from gui.present.rects import Lit, Positions, Rects, empty_rects
from gui.theme.tones import Tone


class LookedAt(NamedTuple):
    """Drawn over all of them."""

    others: Positions
    """Which fade."""
    faded: Field
    """These."""
    toned: Rects
    """All of them; inks are those of each tone, one after the other."""
    where: Positions
    """Which of them rules have found."""
    found: Field
    """These."""
    tones: tuple[Tone, ...]

    @classmethod
    def of(cls, rects: Rects, lit: Lit | None) -> LookedAt:
        """Among some rectangles; None is all of them, as they are."""
        nothing, nowhere = Field(empty_rects()), np.zeros(0, np.intp)
        none = cls(nowhere, nothing, rects, nowhere, nothing, ())
        if lit is None:
            return none
        keys = np.fromiter(lit.keys, np.int32, count=len(lit.keys))
        others = np.flatnonzero(~np.isin(rects.key, keys))
        faded = Field(rects.part(others))
        if not lit.tones:
            return none._replace(others=others, faded=faded)
        tones = tuple(dict.fromkeys(lit.tones.values()))
        keys = np.fromiter(lit.tones, np.int32, count=len(lit.tones))
        order = np.argsort(keys)
        places = np.array([tones.index(tone) for tone in lit.tones.values()], np.intp)[order]
        where = rects.having(frozenset(lit.tones))
        ink = rects.ink.astype(np.intp)
        ink[where] += places[np.searchsorted(keys[order], rects.key[where])] * len(rects.inks)
        toned = replace(rects, ink=ink.astype(np.uint8))
        return cls(others, faded, toned, where, Field(rects.part(where)), tones)

    def paint(
        self,
        painter: QPainter,
        screen: Screen,
        window: Viewport,
        brushwork: Brushwork,
        *,
        has_labels: bool = True,
    ) -> None:
        """Draw what is in sight; a rule's colour has the pattern of the class."""
        if (faded := self.faded.visible(window)).size:
            level = replace(faded, chosen=self.others[faded.chosen].astype(np.int32))
            brushwork.fade(painter, screen, self.toned, level, has_labels=has_labels)
        if (found := self.found.visible(window)).size:
            theme = brushwork.theme
            inks = tuple(
                theme.found(tone, Tone(name)) for tone in self.tones for name in self.toned.inks
            )
            level = replace(found, chosen=self.where[found.chosen].astype(np.int32))
            brushwork.paint(painter, screen, self.toned, level, inks, has_labels=has_labels)
