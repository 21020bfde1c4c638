"""Above the map: which memory, does it fit, and what x and y count."""

from __future__ import annotations

from collections.abc import Container, Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QColor, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from core.base.frozen import NamedTuple
from gui.present.memory.map import TimeScale
from gui.theme.scale import Gap, arrange
from gui.theme.tones import LIGHT, Theme
from gui.widgets.close_tabs import set_close
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.toggle import Toggle

_LINES_A_TAB = 1.7
_SCALE_TIPS = {
    TimeScale.CYCLES: "Time as the accelerator needs it",
    TimeScale.STEPS: "Time in program order: two steps for each operator or cascade",
}


_PLACE_TIP = (
    "As long as this is on (G), a drag gives a map another address, and draws a box of bytes that"
    " are left alone on empty ground: as with Alt, which window managers may take"
)


class Tab(NamedTuple):
    """A memory that can be shown."""

    area: int
    """Position in the layout."""
    title: str
    verdict: str
    told: str
    """What it takes; its tab says which memory it is."""
    tip: str
    is_over: bool


class Header(QWidget):
    """Tabs for memories, a verdict, and switches."""

    area_chosen = Signal(int)
    """The position of another memory in the layout."""
    scale_chosen = Signal(object)
    addresses_toggled = Signal(bool)
    side_toggled = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.tabs = QTabBar()
        self.tabs.setAccessibleName("Memory")
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setUsesScrollButtons(True)
        set_close(self.tabs)
        # Without tabs it has no height, and does not ask for more when it gets some.
        self.tabs.setMinimumHeight(round(self.fontMetrics().height() * _LINES_A_TAB))
        self.tabs.currentChanged.connect(self._choose)
        self.verdict = ElidedLabel("Does this memory fit")
        self.scales = {scale: Toggle(scale.value, _SCALE_TIPS[scale]) for scale in TimeScale}
        group = QButtonGroup(self)
        for scale, button in self.scales.items():
            group.addButton(button)
            button.clicked.connect(lambda _=False, scale=scale: self.scale_chosen.emit(scale))
        self.scales[TimeScale.CYCLES].setChecked(True)
        self.addresses = Toggle("0x", "Addresses in hexadecimal digits")
        self.addresses.toggled.connect(self.addresses_toggled)
        self.places = Toggle("Place", _PLACE_TIP)
        self.side = Toggle("Details", "What is live at the peak, and all ranges")
        self.side.setChecked(True)
        self.side.toggled.connect(self.side_toggled)
        self._shown: tuple[Tab, ...] = ()
        self._theme: Theme = LIGHT
        self._is_telling = True
        self._arrange()

    @property
    def _toggles(self) -> tuple[Toggle, ...]:
        return *self.scales.values(), self.addresses, self.places, self.side

    def _arrange(self) -> None:
        line = QHBoxLayout()
        arrange(line, between=Gap.TIGHT)
        line.addWidget(self.verdict, 1)
        for button in self._toggles:
            line.addWidget(button)
        layout = QVBoxLayout(self)
        arrange(layout, (Gap.SMALL, Gap.TIGHT), Gap.TIGHT)
        layout.addWidget(self.tabs)
        layout.addLayout(line)

    def set_tabs(self, tabs: Sequence[Tab], chosen: int) -> None:
        """Offer other memories; the chosen one is a position in the layout."""
        self._is_telling = False
        self._shown = tuple(tabs)
        while self.tabs.count() > len(tabs):
            self.tabs.removeTab(self.tabs.count() - 1)
        while self.tabs.count() < len(tabs):
            self.tabs.addTab("")
        for place, tab in enumerate(tabs):
            self.tabs.setTabToolTip(place, tab.tip)
            if tab.area == chosen:
                self.tabs.setCurrentIndex(place)
        self._is_telling = True
        self._write()
        self._colour()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Write as much as there is room for."""
        super().resizeEvent(event)
        self._write()

    def _write(self) -> None:
        """Verdicts of all memories; where they have no room beside each other, of the one that is
        shown and of those that exceed a limit."""
        self._name(range(len(self._shown)))
        if self.tabs.sizeHint().width() > self.tabs.width():
            current = self.tabs.currentIndex()
            self._name({current, *(at for at, tab in enumerate(self._shown) if tab.is_over)})

    def _name(self, told: Container[int]) -> None:
        for place, tab in enumerate(self._shown):
            text = f"{tab.title}: {tab.verdict}" if place in told else tab.title
            self.tabs.setTabText(place, text)

    def set_time_unit(self, name: str) -> None:
        """Say what time is counted in where it is not steps."""
        self.scales[TimeScale.CYCLES].setText(name)

    def use_scale(self, name: str) -> None:
        """Let x count what has this name, if anything has."""
        for scale, button in self.scales.items():
            if scale.value == name:
                button.setChecked(True)
                self.scale_chosen.emit(scale)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for button in self._toggles:
            button.set_theme(theme)
        self._colour()

    def choose_next(self) -> None:
        """Go to the memory behind this one, and from the last to the first."""
        if self.tabs.count():
            self.tabs.setCurrentIndex((self.tabs.currentIndex() + 1) % self.tabs.count())

    def _choose(self, place: int) -> None:
        if self._is_telling and 0 <= place < len(self._shown):
            self._write()
            self._colour()
            self.area_chosen.emit(self._shown[place].area)

    def _colour(self) -> None:
        theme = self._theme
        for place, tab in enumerate(self._shown):
            self.tabs.setTabTextColor(place, QColor(theme.danger if tab.is_over else theme.text))
        current = self.tabs.currentIndex()
        if not 0 <= current < len(self._shown):
            self.verdict.show_text("")
            return
        tab = self._shown[current]
        self.verdict.show_text(tab.told)
        palette = QPalette(self.verdict.palette())
        colour = theme.danger if tab.is_over else theme.faint_text
        palette.setColor(QPalette.ColorRole.WindowText, QColor(colour))
        self.verdict.setPalette(palette)
