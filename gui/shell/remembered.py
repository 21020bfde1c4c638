"""Preferences as the running app has them: read at the start, kept whenever they change."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QObject, Signal

from core.base.frozen import replace
from gui.document.changes import ChangeSet, Part
from gui.document.display import TEXT_PERCENTS, ByteUnit, Display, ThemeChoice, TimeUnit
from gui.settings.preferences import Preferences, Storage, load, save
from gui.state.store import Store


class Remembered(QObject):
    """What is remembered from one start to the next."""

    changed = Signal()

    def __init__(self, storage: Storage) -> None:
        super().__init__()
        self._storage = storage
        self._store: Store | None = None
        self.preferences = load(storage)

    def change(self, preferences: Preferences) -> None:
        """Remember something else."""
        if preferences != self.preferences:
            self.preferences = preferences
            save(self._storage, preferences)
            self.changed.emit()

    @property
    def display(self) -> Display:
        """Units and theme as they were left; what is not known any more is as at first."""
        kept = self.preferences
        return Display(
            time_unit=_choice(TimeUnit, kept.time_unit, TimeUnit.CYCLES),
            byte_unit=_choice(ByteUnit, kept.byte_unit, ByteUnit.KIB),
            theme=_choice(ThemeChoice, kept.theme, ThemeChoice.SYSTEM),
            text_percent=next((n for n in TEXT_PERCENTS if str(n) == kept.text_percent), 100),
        )

    def follow(self, store: Store) -> None:
        """Remember units and theme when they change."""
        self._store = store
        store.changed.connect(self._on_changed)

    def _on_changed(self, changes: ChangeSet) -> None:
        # A closure would be held by the store that it holds, and neither would ever go.
        if changes.has(Part.DISPLAY) and self._store is not None:
            self.change(_with_display(self.preferences, self._store.display))


def _with_display(preferences: Preferences, display: Display) -> Preferences:
    return replace(
        preferences,
        theme=display.theme.value,
        time_unit=display.time_unit.value,
        byte_unit=display.byte_unit.value,
        text_percent=str(display.text_percent),
    )


Kind = TypeVar("Kind", TimeUnit, ByteUnit, ThemeChoice)


def _choice(kinds: type[Kind], text: str, otherwise: Kind) -> Kind:
    return next((kind for kind in kinds if kind.value == text), otherwise)
