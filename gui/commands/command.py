"""A command: what it is called, what starts it, when it can run, and what it does."""

from __future__ import annotations

from collections.abc import Callable

from core.base.frozen import Frozen
from gui.commands.app import App
from gui.document.decisions import Deed

Run = Callable[[App], object]
When = Callable[[App], str]
"""Why a command cannot run now; empty where it can."""


def always(app: App) -> str:
    """Nothing ever stands in the way."""
    del app
    return ""


class Command(Frozen):
    """One row of the table from which menus, tool bar, palette and shortcut sheet are made."""

    id: str
    """Such as `file.open`: where it belongs, and what it does."""
    title: str
    """As a menu writes it, without the place of the menu."""
    menu: tuple[str, ...]
    """A menu, and maybe one inside it."""
    run: Run
    section: int = 0
    """Commands of a menu with another number are behind a line."""
    keys: tuple[str, ...] = ()
    """Each of these starts it; the first is shown."""
    when: When = always
    is_on: Callable[[App], bool] | None = None
    """For what can be on or off: whether it is."""
    is_choice: bool = False
    """Of the commands of its menu that are choices, one is on."""
    scopes: tuple[str, ...] = ()
    """Views of which one has to have the focus for the keys to work; none for the whole window."""
    view_listens: bool = False
    """The view itself listens to the keys, because its parts use them in other ways too."""
    label: Callable[[App], str] | None = None
    """A title that says more about now, such as what would be undone."""
    deed: Callable[[App], Deed | str] | None = None
    """For what decides something: the edits that it makes, or why it cannot now."""
    hides: bool = False
    """It is not shown while it cannot run."""

    def title_now(self, app: App) -> str:
        """The title as it is now."""
        return (self.label(app) if self.label else "") or self.title

    @property
    def full_title(self) -> str:
        """The title with the menus that it is in, as a list of everything needs it."""
        return ": ".join((*self.menu, self.title))
