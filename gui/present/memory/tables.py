"""What the pictures of a memory show, as rows of tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from core.api.schedules import Scheduled
from core.base.frozen import NamedTuple
from gui.document.answer import Answer
from gui.document.display import Display
from gui.present import units
from gui.present.memory.cut import Cut
from gui.present.memory.ghosts import Ghost
from gui.present.memory.map import AreaMap
from gui.present.memory.text import kind_text, name_of
from gui.present.names import whole_name
from gui.theme.tones import Tone

Values = tuple[float | str, ...]


class Table(NamedTuple):
    """Rows below the names of their columns; a row is made when it is asked for."""

    headers: tuple[str, ...]
    """What matters most comes first: where there is little room, the rest is out of sight."""
    keys: Sequence[int]
    """What each row stands for, in the order in which rows are shown first."""
    tone: Callable[[int], Tone]
    name: Callable[[int], str]
    """The whole name of what a row stands for."""
    texts: Callable[[int], tuple[str, ...]]
    """The cells of the row with a key."""
    values: Callable[[int], Values]
    """What rows are sorted by."""


NO_TABLE = Table((), (), lambda _: Tone.PADDING, str, lambda _: (), lambda _: ())


def cut_table(drawn: AreaMap, cut: Cut) -> Table:
    """What is live at a time, the largest first; the bytes add up to what is live."""
    parts = {part.key: part for part in cut.contributors}

    def values(key: int) -> Values:
        part = parts[key]
        return drawn.names[key], part.size_bytes

    def texts(key: int) -> tuple[str, ...]:
        name, size = values(key)
        return str(name), f"{size:,}"

    return Table(
        headers=("range", "bytes"),
        keys=sorted(parts, key=lambda key: -parts[key].size_bytes),
        tone=lambda key: parts[key].range.tone,
        name=lambda key: whole_name(parts[key].range.placement.name),
        texts=texts,
        values=values,
    )


def ranges_table(scheduled: Scheduled, drawn: AreaMap) -> Table:
    """All ranges of a memory, in the order in which they begin, the lowest first."""
    ranges, plans = drawn.ranges, scheduled.schedule.ops

    def values(key: int) -> Values:
        part = ranges[key]
        placement = part.placement
        return (
            drawn.names[key],
            placement.size_bytes,
            placement.address,
            part.end_address - 1,
            kind_text(scheduled, plans, part),
            part.padding_bytes,
            placement.start_time,
            placement.end_time,
        )

    def texts(key: int) -> tuple[str, ...]:
        name, size, first, last, kind, *numbers = values(key)
        ends = (units.address(int(first)), units.address(int(last)))
        return str(name), f"{size:,}", *ends, str(kind), *(f"{number:,}" for number in numbers)

    return Table(
        headers=("range", "bytes", "from", "to", "what", "padding", "first step", "last step"),
        keys=np.lexsort((drawn.rects.bottom, drawn.start_time)).tolist(),
        tone=lambda key: ranges[key].tone,
        name=lambda key: whole_name(ranges[key].placement.name),
        texts=texts,
        values=values,
    )


def ghosts_table(answer: Answer, ghosts: Sequence[Ghost], display: Display) -> Table:
    """All evicted groups of maps, with what they cost."""
    names = [name_of(answer, ghost) for ghost in ghosts]
    clock = answer.scheduled.target.system.core_clock_hz

    def values(key: int) -> Values:
        ghost = ghosts[key]
        cost = ghost.cost
        known: Values = ("", "", "")
        if cost is not None:
            cycles = units.time_value(cost.cycles, display.time_unit, clock)
            known = (cycles, cost.traffic_bytes, cost.live_with_it_bytes)
        return names[key], ghost.evicted.size_bytes, *known

    def texts(key: int) -> tuple[str, ...]:
        return tuple(cell if isinstance(cell, str) else units.count(cell) for cell in values(key))

    return Table(
        headers=("evicted", "bytes", display.time_unit.value, "bytes moved", "bytes live with it"),
        keys=range(len(ghosts)),
        tone=lambda _: Tone.GHOST,
        name=lambda key: name_of(answer, ghosts[key]),
        texts=texts,
        values=values,
    )
