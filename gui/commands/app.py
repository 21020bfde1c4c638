"""What commands may ask of the app; the shell answers."""

from __future__ import annotations

from typing import Protocol, TypeVar

from PySide6.QtWidgets import QWidget

from gui.settings.preferences import Preferences
from gui.state.store import Store

Widget = TypeVar("Widget", bound=QWidget)


class App(Protocol):
    """The running app, as commands see it."""

    @property
    def store(self) -> Store:
        """What all views show."""

    @property
    def preferences(self) -> Preferences:
        """What is remembered from one start to the next."""

    def view(self, kind: type[Widget]) -> Widget:
        """The view of a class."""

    @property
    def files(self) -> Files:
        """Where models come from."""

    @property
    def panels(self) -> Panels:
        """Where views are."""

    @property
    def dialogs(self) -> Dialogs:
        """What opens over the window."""

    def cancel(self) -> None:
        """Stop what the worker is doing."""

    def rerun(self) -> None:
        """Ask the worker again for what it was asked."""

    def close(self) -> None:
        """Close the window, and with it the app."""


class Files(Protocol):
    """Where models come from."""

    def ask(self) -> None:
        """Let the user choose a model."""

    def open(self, path: str) -> bool:
        """Open a model; whether it could be read."""

    def reload(self) -> None:
        """Read the open model again."""

    def forget_recents(self) -> None:
        """Remember no model."""


class Panels(Protocol):
    """Where views are in the window."""

    def show_panel(self, name: str) -> None:
        """Bring a view to the front, and give it the focus."""

    def toggle_panel(self, name: str) -> None:
        """Hide a view that is shown, show one that is hidden."""

    def is_panel_shown(self, name: str) -> bool:
        """Whether a view has a place in the window."""

    def show_alone(self, name: str) -> None:
        """Let one view fill the window."""

    def toggle_alone(self) -> None:
        """Show the view with the focus alone, or all as before."""

    @property
    def is_alone(self) -> bool:
        """Whether one view fills the window."""

    def reset(self) -> None:
        """Put all where it was at the first start."""


class Dialogs(Protocol):
    """What opens over the window."""

    def palette(self) -> None:
        """Open the list of all commands, to be filtered by typing."""

    def shortcuts(self) -> None:
        """Open the sheet of keys."""

    def about(self) -> None:
        """Say what this is."""

    def changelog(self) -> None:
        """Say what is new."""

    def licences(self) -> None:
        """Say whose work is in this, and under which terms."""
