"""What the mouse does in pictures, as the sheet of keys tells it."""

from __future__ import annotations

from collections.abc import Mapping

from core.base.frozen import NamedTuple


class Gesture(NamedTuple):
    """A hand, and what comes of it."""

    gesture: str
    does: str


GESTURES: Mapping[str, tuple[Gesture, ...]] = {
    "in all pictures": (
        Gesture("Wheel", "zoom at the pointer; with Ctrl up and down, with Shift earlier or later"),
        Gesture("Drag", "move the picture, where nothing is taken hold of"),
        Gesture("Shift+drag", "mark a stretch of time"),
        Gesture("Double click", "show it large in all pictures"),
        Gesture("Right click", "what can be decided about it, and what each choice would cost"),
        Gesture("Esc, right button", "put back what is held"),
    ),
    "in the memory map": (
        Gesture("Drag a map up", "move it out of this memory, where there is another"),
        Gesture("Drag an evicted map down", "keep it in this memory"),
        Gesture("Alt+drag a map", "give it another address"),
        Gesture("Alt+drag on empty ground", "draw a box of bytes that are left alone"),
        Gesture("G, then drag", "the same without Alt, until G is pressed again"),
    ),
    "in the timeline": (
        Gesture("Drag the bar of a cascade", "onto its neighbour: both run as one"),
        Gesture("Drag the selected operator", "along its lane: it runs before or after another"),
        Gesture("Drag the title of a lane", "to another place; a click makes it low"),
    ),
    "in the picture of a cascade": (
        Gesture("Click between two stages", "the cascade ends there"),
        Gesture("Drag the edge of a stripe", "stripes of more or fewer rows"),
    ),
}
