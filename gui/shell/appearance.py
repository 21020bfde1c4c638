"""Dresses the app: style, font, and the palette that the user or the system wants."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget

from gui.document.changes import ChangeSet, Part
from gui.state.store import Store
from gui.theme import fonts
from gui.theme.qpalette import palette_of, style_sheet, theme_for
from gui.theme.scale import follow_font
from gui.theme.tones import Theme

_STYLE = "Fusion"


class Appearance(QObject):
    """Keeps the app's looks as the display's choice and the system want them."""

    def __init__(self, app: QApplication, store: Store) -> None:
        super().__init__()
        self._app = app
        self._store = store
        self._window: QWidget | None = None
        if app.style().objectName() != _STYLE.lower():
            # Else each widget that is there would be dressed anew for nothing.
            app.setStyle(_STYLE)
        self._percent = 0
        """How large texts are by now."""
        self._show_size()
        QGuiApplication.styleHints().colorSchemeChanged.connect(self.refresh)
        store.changed.connect(self._on_changed)
        self.refresh()

    def dress(self, window: QWidget) -> None:
        """Keep this window and all above it dressed too."""
        self._window = window
        window.setStyleSheet(style_sheet(self._store.theme))

    def _show_size(self) -> None:
        """Write in the size that is chosen."""
        percent = self._store.display.text_percent
        if percent != self._percent:
            self._percent = percent
            font = fonts.sans(percent)
            if font != self._app.font():
                self._app.setFont(font)
                follow_font()

    def refresh(self) -> None:
        """Work out the palette, and use it."""
        theme = self._wanted()
        self._app.setPalette(palette_of(theme))
        if self._window is not None:
            self._window.setStyleSheet(style_sheet(theme))
        self._store.set_theme(theme)

    def _wanted(self) -> Theme:
        scheme = QGuiApplication.styleHints().colorScheme()
        return theme_for(self._store.display.theme.value, scheme)

    def _on_changed(self, changes: ChangeSet) -> None:
        if changes.has(Part.DISPLAY):
            self._show_size()
            if self._wanted() is not self._store.theme:
                self.refresh()
