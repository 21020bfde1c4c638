"""What a command line asks of the app; no Qt, so that it can be read where Qt cannot load."""

from __future__ import annotations

import enum

from core.base.errors import OptionError
from core.base.frozen import Frozen, NamedTuple, field
from core.ir.edits import Edit
from core.ir.notes import Note
from core.ir.settings import Settings
from core.ir.shown import Shown
from core.ir.together import Calls


class Size(NamedTuple):
    """Of a window, in pixels that do not depend on the screen's scale."""

    width: int
    height: int


DEFAULT_SIZE = Size(1280, 800)
_LEAST, _MOST = 200, 16_384


class Desktop(enum.Enum):
    """What menus and file managers of the desktop are to know of the app."""

    INSTALLED = "installed"
    REMOVED = "removed"


class Taken(NamedTuple):
    """What of a file's decisions is asked for, and what could not be."""

    name: str
    told: str
    searched: tuple[Edit, ...] | None = None
    """What is decided without the file, where a search adopts it."""


class Request(Frozen):
    """A model and a target to open, and maybe a picture to make of it."""

    model: str = ""
    """A path; empty where none is named."""
    settings: Settings = field(default_factory=Settings)
    around: Shown | None = None
    """A schedule that edits begin with."""
    taken: Taken | None = None
    """Of the file whose decisions the settings have, or whose schedule edits begin with."""
    others: tuple[str, ...] = ()
    """Paths of other models in the same device."""
    calls: Calls = Calls.IN_TURN
    notes: tuple[Note, ...] = ()
    """What is said of the model already."""
    screenshot: str = ""
    """Where to save a picture of the window; empty where it is to be used by a person."""
    size: Size | None = None
    view: str = ""
    """The view that is to be seen alone; empty for all of them."""
    theme: str = ""
    desktop: Desktop | None = None
    """What is to be done to the user's desktop, in place of a window."""


def parse_window_size(text: str) -> Size:
    """The size that a text such as 1600x900 names."""
    parts = text.lower().split("x")
    if len(parts) != 2 or not all(part.isascii() and part.isdigit() for part in parts):
        raise OptionError(f"'{text}' is not a size; sizes look like 1600x900")
    size = Size(*(int(part[:9]) for part in parts))
    if not all(_LEAST <= side <= _MOST for side in size):
        raise OptionError(f"size {text}: each side has to be {_LEAST} to {_MOST}")
    return size
