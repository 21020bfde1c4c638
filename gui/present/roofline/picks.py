"""Which marks are at a place, which stand for what is selected, and which operator comes next."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from core.base.ids import NpuOpId
from gui.document.answer import Answer
from gui.document.selection import NOTHING_SELECTED, Selection
from gui.present.rects import Floats
from gui.present.roofline.picture import Extent, Picture

_SAME_PLACE = 1e-6
"""As powers of ten."""
_AROUND = 0.5
"""Powers of ten beside what is framed."""


def nearest_mark(x: Floats, y: Floats, at: tuple[float, float], reach: float) -> int | None:
    """The mark that is nearest to a place, and no further than the reach."""
    if not len(x):
        return None
    distances = np.hypot(x - at[0], y - at[1])
    nearest = int(distances.argmin())
    return nearest if distances[nearest] <= reach else None


def operators_on(picture: Picture, mark: int) -> tuple[NpuOpId, ...]:
    """The operator of a mark, and those whose marks lie on it, as all that is alike does."""
    distances = np.hypot(picture.x - picture.x[mark], picture.y - picture.y[mark])
    found = (picture.marks[each].op for each in np.flatnonzero(distances < _SAME_PLACE))
    return tuple(dict.fromkeys(found))


def marks_of(picture: Picture, ops: Collection[int]) -> frozenset[int]:
    """All marks of some operators."""
    return frozenset(place for place, mark in enumerate(picture.marks) if mark.op in ops)


def picked(ops: Sequence[NpuOpId], before: Selection, *, is_added: bool) -> Selection:
    """What is selected after operators were clicked; with what was, if they are added to it.

    What is added once more is taken away.
    """
    taken = set(before.ops) if is_added else set[NpuOpId]()
    chosen = taken - set(ops) if taken.issuperset(ops) else taken | set(ops)
    if not chosen:
        return NOTHING_SELECTED
    # What is told of one is told of the one that was clicked last.
    first = ops[0] if ops[0] in chosen else min(chosen)
    return Selection(op=first, more_ops=tuple(sorted(chosen - {first})))


def stepped(answer: Answer, picture: Picture, before: Selection, step: int) -> Selection:
    """The next operator that is drawn or the one before, in the order in which they run."""
    drawn = {mark.op for mark in picture.marks}
    ops = [plan.op for plan in answer.scheduled.plans() if plan.op in drawn]
    if not ops:
        return NOTHING_SELECTED
    if before.op not in ops:
        return Selection(op=ops[0 if step > 0 else -1])
    return Selection(op=ops[(ops.index(before.op) + step) % len(ops)])


def extent_of(picture: Picture, marks: Collection[int]) -> Extent | None:
    """Where some marks are, with room around them."""
    if not marks:
        return None
    places = sorted(marks)
    x, y = picture.x[places], picture.y[places]
    return Extent(
        float(x.min()) - _AROUND,
        float(x.max()) + _AROUND,
        float(y.min()) - _AROUND,
        float(y.max()) + _AROUND,
    )
