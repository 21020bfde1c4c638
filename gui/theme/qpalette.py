"""Our palettes as Qt's widgets want them."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette

from gui.theme.tones import DARK, LIGHT, THEMES, Theme

ICONS = Path(__file__).parents[2] / "resources" / "icons"

_Role = QPalette.ColorRole


def palette_of(theme: Theme) -> QPalette:
    """The palette of all widgets."""
    roles = {
        _Role.Window: theme.window,
        _Role.WindowText: theme.text,
        _Role.Base: theme.base,
        _Role.AlternateBase: theme.alternate,
        _Role.Text: theme.text,
        _Role.PlaceholderText: theme.faint_text,
        _Role.Button: theme.control,
        _Role.ButtonText: theme.text,
        _Role.BrightText: theme.danger,
        _Role.ToolTipBase: theme.base,
        _Role.ToolTipText: theme.text,
        _Role.Highlight: theme.accent,
        _Role.HighlightedText: theme.accent_text,
        _Role.Accent: theme.accent,
        _Role.Link: theme.accent,
        _Role.LinkVisited: theme.accent,
        _Role.Light: theme.base,
        _Role.Midlight: theme.alternate,
        _Role.Mid: theme.grid,
        _Role.Dark: theme.grid,
        _Role.Shadow: theme.grid,
    }
    palette = QPalette()
    for role, colour in roles.items():
        palette.setColor(role, QColor(colour))
    for role in (_Role.WindowText, _Role.Text, _Role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(disabled_text(theme)))
    palette.setColor(QPalette.ColorGroup.Disabled, _Role.Highlight, QColor(theme.grid))
    return palette


def disabled_text(theme: Theme) -> str:
    """What cannot be used now is between the faint texts and what is behind them."""
    return mixed(theme.faint_text, theme.window, 0.35)


def mixed(colour: str, other: str, share: float) -> str:
    """A colour with so much of another in it."""
    first, second = QColor(colour), QColor(other)
    parts = (
        round(a + (b - a) * share)
        for a, b in zip(first.getRgb()[:3], second.getRgb()[:3], strict=True)  # type: ignore[index]
    )
    return QColor(*parts).name()


def _file(name: str, theme: Theme) -> str:
    """A drawing as a file, because a style sheet takes nothing else."""
    return (ICONS / f"{name}.{theme.drawings}.svg").as_posix()


def style_sheet(theme: Theme) -> str:
    """What a palette cannot say: quiet borders, and titles of panels that stand out."""
    return f"""
QMenu {{ background: {theme.base}; border: 1px solid {theme.grid}; padding: 3px; }}
QMenu::item {{ padding: 4px 26px 4px 10px; }}
QMenu::item:selected {{ background: {theme.accent}; color: {theme.accent_text}; }}
QMenu::item:disabled {{ background: {theme.base}; color: {disabled_text(theme)}; }}
QMenu::separator {{ height: 1px; background: {theme.grid}; margin: 3px 4px; }}
QMenu::indicator {{ width: 14px; height: 14px; left: 7px; }}
QMenu::indicator:checked {{ image: url({_file("menu.on", theme)}); }}
QMenu::indicator:exclusive:checked {{ image: url({_file("menu.chosen", theme)}); }}
QCheckBox::indicator, QAbstractItemView::indicator {{ width: 11px; height: 11px;
    border: 1px solid {theme.faint_text}; border-radius: 2px; background: {theme.base}; }}
QCheckBox::indicator:checked, QAbstractItemView::indicator:checked {{
    image: url({_file("menu.on", theme)}); }}
QCheckBox::indicator:focus {{ border-color: {theme.accent}; }}
QCheckBox::indicator:disabled, QAbstractItemView::indicator:disabled {{
    border-color: {theme.grid}; }}
QToolButton[popupMode="2"] {{ padding-right: 16px; }}
QToolButton::menu-indicator {{ subcontrol-origin: border; subcontrol-position: right center;
    right: 4px; }}
QToolTip {{ background: {theme.base}; color: {theme.text}; border: 1px solid {theme.grid};
    padding: 3px; }}
QMainWindow::separator {{ background: {theme.grid}; width: 3px; height: 3px; }}
QMainWindow::separator:hover {{ background: {theme.accent}; }}
QDockWidget {{ font-weight: bold; titlebar-close-icon: url({_file("panel.close", theme)});
    titlebar-normal-icon: url({_file("panel.float", theme)}); }}
QDockWidget::title {{ background: {theme.window}; padding: 5px 8px; }}
QDockWidget > QWidget {{ font-weight: normal; }}
QToolBar {{ border: none; border-bottom: 1px solid {theme.grid}; padding: 2px; spacing: 2px; }}
QStatusBar {{ border-top: 1px solid {theme.grid}; }}
QStatusBar::item {{ border: none; }}
QLineEdit {{ background: {theme.base}; border: 1px solid {theme.grid}; border-radius: 3px;
    padding: 2px 4px; }}
QLineEdit:focus {{ border-color: {theme.accent}; }}
QAbstractSpinBox QLineEdit, QComboBox QLineEdit, QAbstractItemView QLineEdit {{ border: none;
    padding: 0; }}
"""


def theme_for(choice: str, scheme: Qt.ColorScheme) -> Theme:
    """The palette of a name; of anything else, which means the system's."""
    return THEMES.get(choice) or (DARK if scheme is Qt.ColorScheme.Dark else LIGHT)
