"""Preferences: texts under keys, read with care, because anyone can edit where they are kept."""

from __future__ import annotations

import json
from typing import Protocol

from core.base.frozen import Frozen, replace

MOST_RECENTS = 8
_STAYS = "stays"
_APART = "apart"
_ANEW = "anew"


class Storage(Protocol):
    """Keeps texts under keys."""

    def read(self, key: str) -> str:
        """The text under a key; empty where there is none."""

    def write(self, key: str, text: str) -> None:
        """Keep a text."""


class Forgetful:
    """A storage that lasts as long as the process: for pictures and tests."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def read(self, key: str) -> str:
        """The text under a key; empty where there is none."""
        return self._texts.get(key, "")

    def write(self, key: str, text: str) -> None:
        """Keep a text."""
        self._texts[key] = text


class Preferences(Frozen):
    """How the user left the app; each text is empty where nothing was chosen."""

    theme: str = ""
    time_unit: str = ""
    byte_unit: str = ""
    text_percent: str = ""
    why: str = ""
    """`stays` where what is selected does not bring Why forward."""
    axes: str = ""
    """`apart` where timeline and memory map move each for itself."""
    edits: str = ""
    """`anew` where edits have the rest searched anew, and do not leave it as it is shown."""
    toured: str = ""
    """Not empty where the user was shown around, or did not want to be."""
    recents: tuple[str, ...] = ()
    """Paths of models, the latest first."""
    layout: str = ""
    """Where the panels are, as the window encodes it."""
    geometry: str = ""
    """Where the window is."""

    @property
    def follows(self) -> bool:
        """Whether Why comes forward when something is selected."""
        return self.why != _STAYS

    def with_following(self, *, follows: bool) -> Preferences:
        """The same, with Why coming forward or not."""
        return replace(self, why="" if follows else _STAYS)

    @property
    def has_one_axis(self) -> bool:
        """Whether timeline and memory map move together."""
        return self.axes != _APART

    def with_one_axis(self, *, is_one: bool) -> Preferences:
        """The same, with both moving together or not."""
        return replace(self, axes="" if is_one else _APART)

    @property
    def keeps_shown(self) -> bool:
        """Whether edits leave all else as it is shown."""
        return self.edits != _ANEW

    def with_keeping(self, *, keeps: bool) -> Preferences:
        """The same, with edits that leave all else as it is shown, or not."""
        return replace(self, edits="" if keeps else _ANEW)

    def with_recent(self, path: str) -> Preferences:
        """The same, with a model that was opened now."""
        others = (known for known in self.recents if known != path)
        return replace(self, recents=(path, *others)[:MOST_RECENTS])

    def without_recents(self) -> Preferences:
        """The same with no model remembered."""
        return replace(self, recents=())


_TEXTS = (
    "theme",
    "time_unit",
    "byte_unit",
    "text_percent",
    "why",
    "axes",
    "edits",
    "toured",
    "layout",
    "geometry",
)


def load(storage: Storage) -> Preferences:
    """What was kept; what cannot be understood counts as not chosen."""
    texts = {key: storage.read(key) for key in _TEXTS}
    return Preferences(**texts, recents=_paths(storage.read("recents")))


def save(storage: Storage, preferences: Preferences) -> None:
    """Keep all of it."""
    for key in _TEXTS:
        storage.write(key, getattr(preferences, key))
    storage.write("recents", json.dumps(preferences.recents))


def _paths(text: str) -> tuple[str, ...]:
    try:
        found = json.loads(text or "[]")
    except ValueError:
        return ()
    if not isinstance(found, list):
        return ()
    return tuple(path for path in found if isinstance(path, str))[:MOST_RECENTS]
