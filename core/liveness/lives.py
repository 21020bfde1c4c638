"""Lives: from when to when bytes are needed, gathered while operators pass by."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from core.base.frozen import Changing, Frozen, field
from core.base.ids import FmId, NpuOpId
from core.ir.schedule import WeightPlan

TIMES_PER_STEP = 2
"""Times between two operators: one when it runs, one when what the next needs may arrive."""


class Life(Frozen, kw_only=False):
    """Bytes that are needed from one time to another, both included."""

    size_bytes: int
    start_time: int
    end_time: int
    fms: tuple[FmId, ...] = ()
    """The maps that have these bytes, one after the other."""
    op: NpuOpId | None = None
    """The operator whose weights pass through them."""
    buffer: int = 0
    """Which of its weight buffers it is."""


class Buffers(Frozen, kw_only=False):
    """The weight buffers of an operator."""

    sizes: tuple[int, ...]
    slices: int
    lead_steps: int
    """How many steps ahead the first may be filled."""

    @classmethod
    def of(cls, weights: WeightPlan) -> Buffers:
        """Those of a plan, if there are any."""
        return cls(weights.buffer_bytes, len(weights.slice_bytes), weights.lead_steps)


def spans_of(time: int, buffers: Buffers) -> Iterator[tuple[int, range]]:
    """The size of each buffer, and when it is there for an operator that runs at a time: while that
    does, and the first may be filled before it."""
    last_used = (buffers.slices - 1) % max(len(buffers.sizes), 1)
    for index, size in enumerate(buffers.sizes):
        lead_steps = 0 if index else buffers.lead_steps
        start = max(time + 1 - TIMES_PER_STEP * lead_steps, 0) if lead_steps else time
        yield size, range(start, (time + 1 if index == last_used else time) + 1)


class Visit(Frozen, kw_only=False):
    """What an operator needs while it runs."""

    op: NpuOpId
    cascade: int | None
    """Operators of one cascade run at one time."""
    fms: tuple[FmId, ...]
    """Maps that it reads and writes."""
    ofm: FmId
    overwrites: tuple[FmId, ...]
    """Inputs that the output may replace."""
    buffers: Buffers | None


class _Open(Changing):
    size_bytes: int
    start_time: int
    end_time: int
    fms: list[FmId]


class Lives(Changing):
    """Lives that are still growing, of the maps that `holds` names."""

    size_of: Callable[[FmId], int]
    holds: Callable[[FmId], bool]
    time: int = 0
    _maps: dict[FmId, _Open] = field(default_factory=dict)
    _buffers: list[Life] = field(default_factory=list)

    def touch(self, fm: FmId, time: int) -> None:
        """A map is needed at a time, and until the next."""
        life = self._maps.get(fm)
        if life is None:
            if self.holds(fm):
                self._maps[fm] = _Open(self.size_of(fm), time, time + 1, [fm])
            return
        # Called for each map of each operator, where `min` and `max` would take as long again.
        life.start_time = min(life.start_time, time)
        if time >= life.end_time:
            life.end_time = time + 1

    def keep_always(self, fm: FmId, end_time: int) -> None:
        """A map is needed from the beginning to the end."""
        self.touch(fm, 0)
        self.touch(fm, end_time - 1)

    def run(self, visits: Sequence[Visit]) -> list[int]:
        """Let operators pass by; the time of each. The clock then stands behind the last."""
        times: list[int] = []
        last: Visit | None = None
        for visit in visits:
            is_next = last is None or visit.cascade is None or visit.cascade != last.cascade
            if is_next and last is not None:
                self.time += TIMES_PER_STEP
            self._visit(visit)
            times.append(self.time)
            last = visit
        if last is not None:
            self.time += TIMES_PER_STEP
        return times

    def _visit(self, visit: Visit) -> None:
        if visit.cascade is None:
            self._replace(visit)
        for fm in visit.fms:
            self.touch(fm, self.time)
        if visit.buffers is not None:
            self._add_buffers(visit.op, visit.buffers)

    def _replace(self, visit: Visit) -> None:
        """Let the output have the bytes of an input that it may replace."""
        if visit.ofm in self._maps or not self.holds(visit.ofm):
            return
        for fm in visit.overwrites:
            if self.holds(fm):
                self.touch(fm, self.time)
                life = self._maps[fm]
                life.fms.append(visit.ofm)
                self._maps[visit.ofm] = life
                return

    def _add_buffers(self, op: NpuOpId, buffers: Buffers) -> None:
        for index, (size, times) in enumerate(spans_of(self.time, buffers)):
            life = Life(size, times.start, times.stop - 1, op=op, buffer=index)
            self._buffers.append(life)

    def closed(self) -> tuple[Life, ...]:
        """All lives: maps in the order in which they were first touched, then buffers."""
        maps = {id(life): life for life in self._maps.values()}
        return (
            *(
                Life(life.size_bytes, life.start_time, life.end_time, tuple(life.fms))
                for life in maps.values()
            ),
            *self._buffers,
        )


def usage(lives: Sequence[Life], end_time: int) -> list[int]:
    """Bytes that are needed at each time from 0 to the end, which is included."""
    steps = [0] * (end_time + 2)
    for life in lives:
        steps[life.start_time] += life.size_bytes
        steps[life.end_time + 1] -= life.size_bytes
    live = 0
    for time, step in enumerate(steps):
        live += step
        steps[time] = live
    return steps[:-1]
