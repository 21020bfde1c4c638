"""Something that the user should know of, and what can be done about it."""

from __future__ import annotations

import enum

from core.base.frozen import Frozen, NamedTuple


class Lasts(enum.Enum):
    """How long a problem is told if nobody puts it away."""

    ANSWER = "until what is asked for is answered"
    MODEL = "until a model is opened"
    EVER = "until it is put away"


class Deed(NamedTuple):
    """A command that can help."""

    command: str
    label: str = ""
    """What its button says; empty for the command's own title."""


class Problem(Frozen):
    """A message, and the commands that can help; a note is one that nothing went wrong with."""

    key: str
    """What it is about: another problem with this key takes its place."""
    message: str
    advice: str = ""
    """What to do, in a sentence; empty where the message says it."""
    deeds: tuple[Deed, ...] = ()
    lasts: Lasts = Lasts.EVER
    is_note: bool = False
    put_away: str = ""
    """A command that runs when it is put away; empty for one that need only vanish."""

    @property
    def text(self) -> str:
        """All that it says, in one line."""
        return f"{self.message} {self.advice}".strip()
