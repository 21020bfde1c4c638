"""What commands may ask of the app; the shell answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from PySide6.QtWidgets import QWidget

from core.ir.together import Calls
from gui.document.problem import Problem
from gui.document.wares import Ware
from gui.present.edits.offers import Offer
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

    def prefer(self, preferences: Preferences) -> None:
        """Remember something else."""

    def view(self, kind: type[Widget]) -> Widget:
        """The view of a class."""

    @property
    def files(self) -> Files:
        """Where models come from."""

    @property
    def panels(self) -> Panels:
        """Where views are."""

    @property
    def sights(self) -> Sights:
        """What was shown, and is shown again."""

    @property
    def dialogs(self) -> Dialogs:
        """What opens over the window."""

    @property
    def problems(self) -> Problems:
        """What the user should know of."""

    @property
    def sessions(self) -> Sessions:
        """Work that was left, and can be gone on with."""

    @property
    def note_files(self) -> NoteFiles:
        """Where notes come from."""

    @property
    def exports(self) -> Exports:
        """What hands work over."""

    @property
    def sweeps(self) -> Sweeps:
        """What makes many schedules at once."""

    @property
    def calibrations(self) -> Calibrations:
        """What finds the memories of a board."""

    @property
    def boards(self) -> Boards:
        """What tries a model on boards."""

    @property
    def reports(self) -> Reports:
        """What tells the developers of a fault."""

    @property
    def tour(self) -> Tour:
        """Steps through the window."""

    def cancel(self) -> None:
        """Stop what the worker is doing."""

    def rerun(self) -> None:
        """Ask the worker again for what it was asked."""

    def close(self) -> None:
        """Close the window, and with it the app."""


class Companions(Protocol):
    """Other models in the device of the one that is open."""

    def ask(self) -> None:
        """Let the user choose more of them."""

    def remove(self) -> None:
        """Have the model alone in the device."""

    def call(self, calls: Calls) -> None:
        """Let the firmware call the models of the device otherwise."""


class Files(Protocol):
    """Where models come from."""

    def ask(self) -> None:
        """Let the user choose a model."""

    def open(self, path: str) -> bool:
        """Open a model; whether it could be read."""

    def reload(self) -> None:
        """Read the open model again."""

    @property
    def beside(self) -> Companions:
        """Other models in the same device."""

    def find(self) -> None:
        """Let the user show where the open model is now; what is asked of it stays."""

    def ask_measured(self) -> None:
        """Let the user choose a file of measured cycles."""

    def ask_decisions(self) -> None:
        """Let the user choose a file whose decisions are to be taken."""

    def ask_kept(self) -> None:
        """Let the user choose a file that is compared with what is shown."""

    def ask_two(self) -> bool:
        """Let the user choose two files to compare; whether two were there."""

    def ask_sweep(self) -> None:
        """Let the user choose a sweep, which is then shown over the limit."""

    def forget_measured(self) -> None:
        """Show estimates alone."""


class Panels(Protocol):
    """Where views are in the window."""

    def show_panel(self, name: str) -> None:
        """Bring a view to the front, and give it the focus."""

    def step(self, by: int) -> None:
        """Give the focus to the next view in sight, or to the one before."""

    @property
    def last_focused(self) -> str:
        """The view that had the focus last; empty where none had."""

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


class Sights(Protocol):
    """What was shown, and is shown again."""

    @property
    def has_past(self) -> bool:
        """Whether there is something to go back to."""

    @property
    def has_future(self) -> bool:
        """Whether something was gone back from."""

    def back(self) -> None:
        """Show what was shown before."""

    def forward(self) -> None:
        """Show again what was gone back from."""


class Dialogs(Protocol):
    """What opens over the window."""

    def palette(self) -> None:
        """Open the list of all commands, to be filtered by typing."""

    def start(self) -> None:
        """Offer what to begin with."""

    def find(self) -> None:
        """Open the list of all that can be selected, to be filtered by typing."""

    def help(self, page: str) -> None:
        """Open the help at a page."""

    def shortcuts(self) -> None:
        """Open the sheet of keys."""

    def offer(self, title: str, offers: Sequence[Offer]) -> None:
        """Let the user choose a value from a list."""

    def ask_number(
        self, title: str, value: int, choose: Callable[[int], object], *, step: int
    ) -> None:
        """Let the user type a whole number."""

    def ask_text(self, title: str, text: str, choose: Callable[[str], object]) -> None:
        """Let the user write a line."""

    def about(self) -> None:
        """Say what this is."""

    def changelog(self) -> None:
        """Say what is new."""

    def licences(self) -> None:
        """Say whose work is in this, and under which terms."""


class Problems(Protocol):
    """What the user should know of: a strip across the top of the window."""

    @property
    def count(self) -> int:
        """How many there are."""

    @property
    def problems(self) -> Sequence[Problem]:
        """What is told, the latest first."""

    def add(self, problem: Problem) -> None:
        """Tell of a problem, in the place of an older one with its key."""

    def take_back(self, key: str) -> None:
        """Tell of it no more, because it is none any more."""

    def go_to_next(self) -> None:
        """Give the focus to the next of them."""

    def put_all_away(self) -> None:
        """Tell of none of them any more."""


class Sessions(Protocol):
    """Work that was left, and can be gone on with."""

    @property
    def offers(self) -> int:
        """How many were broken off, and wait for the user to decide."""

    @property
    def has_last(self) -> bool:
        """Whether there is work that was left on purpose."""

    def restore(self) -> None:
        """Go on with what was broken off last."""

    def dismiss(self) -> None:
        """Offer it no more."""

    def reopen_last(self) -> None:
        """Go on with what was left on purpose."""

    def ask_open(self) -> None:
        """Let the user choose a session file."""

    def ask_save(self) -> None:
        """Let the user choose where to keep the work as a file."""


class NoteFiles(Protocol):
    """Where notes come from, beside those that are written."""

    def ask(self) -> None:
        """Let the user choose a file whose notes are to be had too."""


class Exports(Protocol):
    """What hands work over."""

    @property
    def written(self) -> Sequence[Path]:
        """The files of the last export."""

    def open_written(self, *, in_folder: bool = False) -> None:
        """Have the desktop open what was written last, or the folder that it is in."""

    def ask(self, ware: Ware) -> None:
        """Let the user say how something is to be exported."""


class Sweeps(Protocol):
    """What makes many schedules at once."""

    def ask(self) -> None:
        """Let the user say what is to be swept of the model that is open."""

    def pause_or_go_on(self) -> None:
        """Begin no cell any more, or begin cells again."""

    def stop(self) -> None:
        """Give the rest up."""


class Calibrations(Protocol):
    """What finds the memories of a board."""

    def ask(self) -> None:
        """Let the user say what was measured on it."""


class Boards(Protocol):
    """What tries a model on boards."""

    def ask(self) -> None:
        """Try the model that is open, and let the user take a board."""


class Tour(Protocol):
    """Steps through the window."""

    @property
    def is_on(self) -> bool:
        """Whether a step is shown."""

    def start(self) -> None:
        """Begin with the first step."""

    def go_on(self) -> None:
        """Turn to the next step."""


class Reports(Protocol):
    """What tells the developers of a fault."""

    def show(self) -> None:
        """Show a report that can be saved."""
