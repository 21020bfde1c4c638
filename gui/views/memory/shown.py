"""What the memory view shows of an answer: one memory, and all that is worked out for it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from core.base.sentences import capitalised
from core.ir.layout import AreaLayout
from core.ir.notes import Note
from gui.document.answer import Answer
from gui.document.display import ByteUnit, Display, Span
from gui.document.selection import Selection
from gui.items.rects_item import Hit
from gui.present import units
from gui.present.company import shared_memory, shared_text, told_in_full
from gui.present.edits.pins import Pins
from gui.present.edits.rows import State
from gui.present.memory.beside import NOBODY, OTHERS, Beside, beside_of
from gui.present.memory.cut import Cut, cut_at, middle_of, peak_time, time_at
from gui.present.memory.ghosts import Ghost, ghosts_of
from gui.present.memory.map import AreaMap, TimeScale, area_map, edges_of
from gui.present.memory.picks import (
    selected_ghosts,
    selected_ranges,
    selected_times,
    selection_of,
)
from gui.present.memory.ranges import is_permanent
from gui.present.memory.tables import Table, ghosts_table, ranges_table
from gui.present.memory.text import (
    cut_summary,
    cut_title,
    ghost_label,
    ghost_text,
    legend,
    map_summary,
    range_text,
    tab_title,
    taken,
    verdict,
    verdict_in_full,
)
from gui.present.memory.users import Users, users_of
from gui.present.notes.flags import Flag, NotedMaps, maps_noted, timed_notes
from gui.present.rects import Floats
from gui.theme.tones import Tone
from gui.views.memory.header import Tab
from gui.views.memory.map_pane import GHOSTS
from gui.views.memory.marks import Band, Line

_MOST_DESCRIBED = 8


def tabs_of(answer: Answer, area: int, display: Display) -> tuple[Tab, ...]:
    """The memories that hold something, and the one that is shown."""
    return tuple(
        _tab(answer, position, part, display.byte_unit)
        for position, part in enumerate(answer.scheduled.layout.areas)
        if part.placements or position == area
    )


def _tab(answer: Answer, position: int, area: AreaLayout, unit: ByteUnit) -> Tab:
    """A memory; where other models are in the device, it is told of what all of them take."""
    scheduled, memory = answer.scheduled, shared_memory(answer, area)
    told = capitalised(taken(scheduled, area, unit))
    tip = verdict_in_full(scheduled, area, unit)
    if memory is not None:
        told = f"{capitalised(shared_text(memory, unit))}."
        tip = f"{tip}\n{told_in_full(answer, memory, unit)}"
    return Tab(
        area=position,
        title=tab_title(area),
        verdict=verdict(scheduled, area, unit),
        told=told,
        tip=tip,
        is_over=area.excess_bytes > 0 or (memory is not None and memory.excess_bytes > 0),
    )


@dataclass(slots=True)
class Shown:
    """A memory on the screen."""

    answer: Answer
    area: int
    scale: TimeScale
    drawn: AreaMap
    ghosts: tuple[Ghost, ...]
    users: Users
    peak: int
    cut: Cut
    beside: Beside = NOBODY

    @classmethod
    def of(cls, answer: Answer, area: int, scale: TimeScale, before: Shown | None = None) -> Shown:
        """A memory of an answer, cut at its peak; what was shown before may be of use."""
        scheduled = answer.scheduled
        drawn = area_map(scheduled, scheduled.layout.areas[area], edges_of(answer, scale))
        peak = peak_time(drawn)
        is_same = before is not None and before.answer.scheduled.run is scheduled.run
        users = before.users if before is not None and is_same else users_of(scheduled.run.graph)
        return cls(
            answer=answer,
            area=area,
            scale=scale,
            drawn=drawn,
            ghosts=ghosts_of(answer, drawn),
            users=users,
            peak=peak,
            cut=cut_at(drawn, peak),
            beside=beside_of(answer, drawn),
        )

    @property
    def is_at_peak(self) -> bool:
        """Whether the cut is where most is live."""
        return self.cut.time == self.peak

    def cut_through(self, x: float) -> None:
        """Cut at a place along x; the peak's own is the peak, even where that has no length."""
        is_peak = x == self.x_of(self.peak)
        self.cut = cut_at(self.drawn, self.peak if is_peak else time_at(self.drawn, x))

    def x_of(self, time: int) -> float:
        """Where a time is along x."""
        return middle_of(self.drawn, time)

    def span_of(self, start: float, end: float) -> Span:
        """The cycles between two places along x."""
        cycles = self._cycles()
        return Span(
            start_cycle=float(np.interp(start, self.drawn.edges, cycles)),
            end_cycle=float(np.interp(end, self.drawn.edges, cycles)),
        )

    def stretch_of(self, span: Span) -> tuple[float, float]:
        """Where some cycles are along x."""
        cycles, edges = self._cycles(), self.drawn.edges
        return (
            float(np.interp(span.start_cycle, cycles, edges)),
            float(np.interp(span.end_cycle, cycles, edges)),
        )

    def labels(self, display: Display) -> list[str]:
        """What stands in ghosts."""
        return [ghost_label(self.answer, ghost, display) for ghost in self.ghosts]

    def legend(self, display: Display) -> list[tuple[Tone, str]]:
        """What colours mean, and how much of each is in the cut."""
        found = legend(self.drawn, self.cut, len(self.ghosts), display.byte_unit)
        others = [(Tone.RESERVED, OTHERS)] if self.beside.rects.count else []
        return [*found, *others]

    def tables(self, display: Display) -> tuple[Table, Table]:
        """All ranges, and all ghosts."""
        return (
            ranges_table(self.answer.scheduled, self.drawn),
            ghosts_table(self.answer, self.ghosts, display),
        )

    def cut_texts(self, display: Display) -> tuple[str, str]:
        """What stands above and below the contributors."""
        title = cut_title(self.answer, self.drawn, self.cut, display, is_peak=self.is_at_peak)
        return title, cut_summary(self.cut)

    def keys_of(self, selection: Selection) -> tuple[frozenset[int], frozenset[int]]:
        """Ranges and ghosts that a selection means."""
        scheduled = self.answer.scheduled
        return (
            selected_ranges(scheduled, self.drawn, selection),
            selected_ghosts(scheduled, self.ghosts, selection),
        )

    def pins(self, pins: Pins) -> tuple[dict[int, State], dict[int, State]]:
        """Ranges and ghosts of what is decided, by their keys."""
        ranges = {
            key: state for fm, state in pins.maps.items() for key in self.drawn.by_fm.get(fm, ())
        }
        ghosts = {
            key: state
            for key, ghost in enumerate(self.ghosts)
            for fm, state in pins.maps.items()
            if fm in ghost.evicted.fms
        }
        return ranges, ghosts

    def flags(self, notes: tuple[Note, ...]) -> tuple[tuple[Flag, ...], NotedMaps, NotedMaps]:
        """What is noted of times, of ranges, and of ghosts."""
        maps = maps_noted(self.answer, notes)
        timed = tuple(
            Flag(number, note.text, *self.stretch_of(span))
            for number, note, span in timed_notes(self.answer, notes)
            if number not in maps
        )
        ranges = {
            number: (frozenset(self.drawn.by_fm.get(fm, ())), text)
            for number, (fm, text) in maps.items()
        }
        ghosts = {
            number: (
                frozenset(key for key, ghost in enumerate(self.ghosts) if fm in ghost.evicted.fms),
                text,
            )
            for number, (fm, text) in maps.items()
        }
        return timed, ranges, ghosts

    def selection_of(self, hit: Hit) -> Selection:
        """What is picked by a click."""
        if hit.layer == GHOSTS:
            return Selection(fm=self.ghosts[hit.key].evicted.fms[0])
        return selection_of(self.drawn.ranges[hit.key])

    def bands(self, selection: Selection, span: Span | None) -> list[Band]:
        """When the selected operators run, and the stretch of time that is marked."""
        bands = []
        times = selected_times(self.answer.scheduled, selection)
        if times is not None:
            edges = self.drawn.edges
            bands.append(Band(float(edges[times[0]]), float(edges[times[1] + 1])))
        if span is not None:
            bands.append(Band(*self.stretch_of(span)))
        return bands

    def band_of(self, span: Span | None) -> Band | None:
        """Where a stretch of time is, if there is one."""
        return None if span is None else Band(*self.stretch_of(span))

    def lines(self, display: Display) -> tuple[Line | None, Line | None, Line | None]:
        """The limit, the peak, and the cut where that is somewhere else."""
        limit = self.beside.limit_bytes or self.drawn.limit_bytes
        if is_permanent(self.drawn.area):
            return None, None, None
        peak = cut_at(self.drawn, self.peak) if not self.is_at_peak else self.cut
        return (
            None if limit is None else Line(limit, f"limit {units.size(limit, display.byte_unit)}"),
            Line(self.x_of(self.peak), f"peak {units.size(peak.live_bytes, display.byte_unit)}"),
            None if self.is_at_peak else Line(self.x_of(self.cut.time), f"step {self.cut.time}"),
        )

    def tip(self, hit: Hit, display: Display) -> str:
        """What the tip at the pointer tells."""
        if hit.layer == GHOSTS:
            text = ghost_text(self.answer, self.ghosts[hit.key], display)
        else:
            part = self.drawn.ranges[hit.key]
            text = range_text(self.answer, self.drawn, part, self.users, display)
        return (
            text if hit.items == 1 else f"{hit.items:,} too narrow to tell apart; of these\n{text}"
        )

    def description(self, ranges: Iterable[int], ghosts: Iterable[int], display: Display) -> str:
        """The map and what is selected in it, in words."""
        unit = display.byte_unit
        texts = [map_summary(self.answer.scheduled, self.drawn, len(self.ghosts), unit)]
        texts += [
            range_text(self.answer, self.drawn, self.drawn.ranges[key], self.users, display)
            for key in sorted(ranges)[:_MOST_DESCRIBED]
        ]
        texts += [
            ghost_text(self.answer, self.ghosts[key], display)
            for key in sorted(ghosts)[:_MOST_DESCRIBED]
        ]
        return "\n".join(texts)

    def _cycles(self) -> Floats:
        return edges_of(self.answer, TimeScale.CYCLES)


def moment_of(shown: Shown) -> float | None:
    """The cycle of the cut, where that is not at the peak."""
    x = shown.x_of(shown.cut.time)
    return None if shown.is_at_peak else shown.span_of(x, x).start_cycle


def is_over_cycles(shown: Shown) -> bool:
    """Whether x counts cycles, as the timeline does."""
    is_told = shown.drawn.edges is edges_of(shown.answer, TimeScale.CYCLES)
    return is_told and shown.scale is TimeScale.CYCLES
