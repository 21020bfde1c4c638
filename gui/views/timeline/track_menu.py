"""Menus in which lanes are arranged, all of them or one."""

from __future__ import annotations

from functools import partial
from typing import Protocol

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu, QWidget

from gui.present.timeline.data import TimelineData
from gui.present.timeline.rows import used_tracks
from gui.present.timeline.tracks import Track, Tracks


class Arranged(Protocol):
    """Who draws lanes, and can draw them otherwise."""

    tracks: Tracks
    data: TimelineData | None

    def arrange(self, tracks: Tracks) -> None:
        """Have them so."""


def fill_tracks_menu(stage: Arranged, menu: QMenu) -> None:
    """A menu for each lane that has something in it; those that are hidden are said to be so."""
    menu.clear()
    tracks = stage.tracks
    used = frozenset(Track) if stage.data is None else used_tracks(stage.data, has_notes=True)
    for track in tracks.order:
        if track in used:
            is_hidden = track in tracks.hidden
            inner = menu.addMenu(f"{track.title} (hidden)" if is_hidden else track.title)
            _fill(stage, inner, track, used)
    menu.addSeparator()
    as_first = menu.addAction("All as at first", lambda: stage.arrange(Tracks()))
    as_first.setEnabled(tracks != Tracks())


def open_track_menu(stage: Arranged, track: Track, place: QPoint) -> None:
    """The menu of one lane, at a place of the screen."""
    parent = stage if isinstance(stage, QWidget) else None
    menu = QMenu(parent)
    menu.setObjectName("lane")
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.setAccessibleName(f"Lane {track.title}")
    used = frozenset(Track) if stage.data is None else used_tracks(stage.data, has_notes=True)
    _fill(stage, menu, track, used)
    menu.popup(place)


def _fill(stage: Arranged, menu: QMenu, track: Track, used: frozenset[Track]) -> None:
    tracks = stage.tracks
    for title, is_on, wanted in (
        ("Collapsed", track in tracks.low, tracks.collapsed(track)),
        ("Hidden", track in tracks.hidden, tracks.without(track)),
        ("Pinned to the top", track in tracks.pinned, tracks.with_pin(track)),
    ):
        action = menu.addAction(title, partial(stage.arrange, wanted))
        action.setCheckable(True)
        action.setChecked(is_on)
    menu.addSeparator()
    order = [other for other in tracks.order if other in used]
    place = order.index(track) if track in order else 0
    for title, step in (("Move up", -1), ("Move down", 1)):
        is_there = 0 <= place + step < len(order)
        onto = order[place + step] if is_there else track
        move = menu.addAction(title, partial(stage.arrange, tracks.moved(track, onto)))
        move.setEnabled(is_there)
