"""One graphics item that draws any number of rectangles: fast, and honest about what it merges."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from core.base.frozen import NamedTuple
from gui.items.looked_at import LookedAt
from gui.items.painting import MARKER_PX, Brushwork, Screen
from gui.items.ratio import ratio_of
from gui.items.themed_item import ThemedItem
from gui.present.lod import Field, Viewport
from gui.present.rects import Lit, Rects, empty_rects
from gui.theme.tones import LIGHT, Theme

_MARGIN_PX = 4


class Hit(NamedTuple):
    """What is drawn at a point."""

    layer: str
    """Name of the item that drew it."""
    key: int
    """Where several are merged, that of the longest."""
    position: int
    """Among the item's rectangles."""
    items: int
    """How many are merged there; 1 where it stands alone."""


class RectsItem(ThemedItem):
    """Draws a `Rects` with a `Theme`.

    Rectangles narrower than a pixel are merged with those of the same row and pixel; what was
    merged is finely hatched, and `hit` says how many it is. Inks are painted in the order of
    `Rects.inks`, so that of rectangles that overlap the later ink is on top. Rectangles without
    length are drawn as markers. Labels are written where there is room. Nothing is outlined but
    what is selected or under the pointer.
    """

    def __init__(
        self,
        name: str = "",
        theme: Theme = LIGHT,
        *,
        is_veil: bool = False,
        has_small_labels: bool = False,
    ) -> None:
        """A veil leaves to be seen what lies below it; labels may be as small as can be read, in
        rectangles that stand apart."""
        super().__init__(theme)
        self.name = name
        self._is_veil = is_veil
        self._has_small_labels = has_small_labels
        self._field = Field(empty_rects())
        self.drawn = self._field.nothing
        """What the last picture shows."""
        self.written: Sequence[QRectF] = ()
        """Where labels stand in the last picture, in pixels."""
        self._selected = frozenset[int]()
        self._selected_field = self._field
        self._lit: Lit | None = None
        self._looked_at = LookedAt.of(self.rects, None)
        self._hovered: Hit | None = None
        self.has_handle = False
        """Whether what is under the pointer can be dragged."""
        self._hovered_field = self._field
        self._ratio = 1.0
        self._brushwork: Brushwork | None = None
        self._bounds = QRectF()

    @property
    def rects(self) -> Rects:
        """What is drawn."""
        return self._field.rects

    @property
    def field(self) -> Field:
        """The same, ready to be asked what a window shows."""
        return self._field

    def set_rects(self, rects: Rects) -> None:
        """Draw other rectangles; the selected keys stay selected."""
        self.prepareGeometryChange()
        self._field = Field(rects)
        self._bounds = QRectF()
        if rects.count:
            left, right = float(rects.left.min()), float(rects.right.max())
            bottom, top = float(rects.bottom.min()), float(rects.top.max())
            self._bounds = QRectF(left, bottom, right - left, top - bottom)
        self._select()
        self._fade()
        self._hovered = None
        self._hovered_field = Field(empty_rects())

    def set_theme(self, theme: Theme) -> None:
        self._brushwork = None
        super().set_theme(theme)

    def set_selected(self, keys: Iterable[int]) -> None:
        """Outline all rectangles that have one of these keys."""
        wanted = frozenset(keys)
        if wanted != self._selected:
            self._selected = wanted
            self._select()

    def set_lit(self, lit: Lit | None) -> None:
        """Let all fade that is not looked at, and have what rules find in their colours; nothing
        without that."""
        if lit != self._lit:
            self._lit = lit
            self._fade()

    @property
    def lit(self) -> Lit | None:
        """What does not fade; None where nothing does."""
        return self._lit

    @property
    def selected(self) -> frozenset[int]:
        """Keys that are outlined."""
        return self._selected

    def selected_extent(self) -> tuple[float, float] | None:
        """From where to where along x the selected rectangles reach."""
        chosen = self._selected_field.rects
        return (float(chosen.left.min()), float(chosen.right.max())) if chosen.count else None

    def extent_of(self, keys: Iterable[int]) -> tuple[float, float, float, float] | None:
        """Left, right, bottom and top of all rectangles with one of these keys."""
        found = self.rects.part(self.rects.having(frozenset(keys)))
        if not found.count:
            return None
        return (
            float(found.left.min()),
            float(found.right.max()),
            float(found.bottom.min()),
            float(found.top.max()),
        )

    def set_hovered(self, hit: Hit | None, *, has_handle: bool = False) -> None:
        """Outline what is under the pointer, with a handle where it can be moved."""
        if (hit, has_handle) != (self._hovered, self.has_handle):
            self._hovered, self.has_handle = hit, has_handle
            where = np.zeros(0 if hit is None else 1, dtype=np.intp)
            where += 0 if hit is None else hit.position
            self._hovered_field = Field(self.rects.part(where))
            self.update()

    def hit(self, x: float, y: float) -> Hit | None:
        """What is drawn at a point of the data, or within two pixels of it along x."""
        found = self._field.at(x, y, self._window())
        if not found.size:
            return None
        index = int(found.chosen[0])
        return Hit(self.name, int(self.rects.key[index]), index, int(found.count[0]))

    def boundingRect(self) -> QRectF:
        """All rectangles, and room for markers and outlines at the border."""
        width, height = self._pixel_size()
        return self._bounds.adjusted(
            -_MARGIN_PX * width, -_MARGIN_PX * height, _MARGIN_PX * width, _MARGIN_PX * height
        )

    def viewTransformChanged(self) -> None:
        """The margin in pixels is another one in data now."""
        super().viewTransformChanged()
        self.prepareGeometryChange()

    def paint(self, painter: QPainter, *_: Any) -> None:
        """Draw what is in sight, straight in pixels."""
        if not self.rects.count:
            self.drawn, self.written = self._field.nothing, ()
            return
        if self._brushwork is None:
            self._brushwork = Brushwork(self._theme, has_small_labels=self._has_small_labels)
        self._ratio = ratio_of(painter)
        to_pixels = painter.worldTransform()
        sight = to_pixels.mapRect(self.viewRect())
        sight.adjust(-_MARGIN_PX, -_MARGIN_PX, _MARGIN_PX, _MARGIN_PX)
        screen = Screen(to_pixels, sight, self._ratio, has_gaps=not self._has_small_labels)
        window = self._window()
        self.drawn = self._field.visible(window)
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        paint = self._brushwork.paint_veil if self._is_veil else self._brushwork.paint
        paint(painter, screen, self.rects, self.drawn)
        self.written = tuple(self._brushwork.written)
        self._looked_at.paint(painter, screen, window, self._brushwork)
        if (selected := self._selected_field.visible(window)).size:
            self._brushwork.outline_selected(painter, screen, selected)
        if (hovered := self._hovered_field.visible(window)).size:
            self._brushwork.outline_hovered(painter, screen, hovered, has_handle=self.has_handle)
        painter.restore()

    def _select(self) -> None:
        chosen = empty_rects()
        if self._selected:
            chosen = self.rects.part(self.rects.having(self._selected))
        self._selected_field = Field(chosen)
        self.update()

    def _fade(self) -> None:
        """Those that are not lit, as they are drawn over, and those in the colour of a rule."""
        self._looked_at = LookedAt.of(self.rects, self._lit)
        self.update()

    def _window(self) -> Viewport:
        view = self.viewRect()
        width, _ = self._pixel_size()
        return Viewport(
            view.left() - MARKER_PX * width,
            view.right() + MARKER_PX * width,
            view.top(),
            view.bottom(),
            width / self._ratio,
        )

    def _pixel_size(self) -> tuple[float, float]:
        """How much of x and of y a pixel shows (before scaling for small pixels)."""
        width, height = self.pixelWidth(), self.pixelHeight()
        return float(width or 1.0), float(height or 1.0)
