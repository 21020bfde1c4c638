"""Several models in one device: each scheduled so that all of them fit, where they can."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from core.base.frozen import Frozen
from core.ir.scheduled import Scheduled
from core.ir.together import Arena, Calls, SharedMemory, Together
from core.memory.arenas import place
from core.target.region import Region
from core.target.target import Area, Target

Within = Callable[[int | None], Scheduled]
"""A model's schedule in so many bytes of fast storage; None asks for what was asked for."""
_LEAST_BYTES = 1


class Model(Frozen):
    """One of the models: its name, and its schedule in any limit."""

    name: str
    within: Within


def limited_model(name: str, target: Target, schedule: Callable[[Target], Scheduled]) -> Model:
    """A model that is scheduled for a target, in any limit of it."""

    def within(limit_bytes: int | None) -> Scheduled:
        return schedule(target if limit_bytes is None else target.with_limit(limit_bytes))

    return Model(name=name, within=within)


def shared_limit(target: Target) -> int | None:
    """What all models may take of fast storage together; None where nobody says."""
    limit = target.fast_limit_bytes
    return None if limit >= target.accelerator.max_address else limit


def schedule_together(
    models: Sequence[Model], calls: Calls, limit_bytes: int | None
) -> tuple[tuple[Scheduled, ...], Together]:
    """Schedules of all models, and where their arenas lie.

    Each has the whole limit first. Where they do not fit so, one has it, and the others in turn
    what is left; the fastest of what fits is taken, or else what takes least.
    """
    names = [model.name for model in models]
    found = tuple(model.within(None) for model in models)
    first = arranged(names, found, calls, limit_bytes)
    if first.fits or limit_bytes is None:
        return found, first
    tries = [(found, first)]
    for favoured in range(len(models)):
        own = _favouring(models, found, favoured, calls, limit_bytes)
        tries.append((own, arranged(names, own, calls, limit_bytes)))
    return min(tries, key=lambda each: _merit(each[1]))


def _merit(found: Together) -> tuple[bool, float]:
    missing = sum(memory.excess_bytes for memory in found.memories)
    return not found.fits, float(missing) if missing else sum(found.cycles)


def _favouring(
    models: Sequence[Model],
    found: Sequence[Scheduled],
    favoured: int,
    calls: Calls,
    limit_bytes: int,
) -> tuple[Scheduled, ...]:
    """One keeps as much as leaves the others what they cannot do without."""
    names = [model.name for model in models]
    least = [model.within(_LEAST_BYTES) for model in models]
    chosen = [found[at] if at == favoured else least[at] for at in range(len(models))]
    for at in (favoured, *(other for other in range(len(models)) if other != favoured)):
        beside = arranged(names, [*chosen[:at], least[at], *chosen[at + 1 :]], calls, limit_bytes)
        limited = (each for each in beside.memories if each.limit_bytes is not None)
        spare = min((limit_bytes - memory.peak_bytes for memory in limited), default=0)
        room = least[at].layout.fast_bytes + spare
        if room > least[at].layout.fast_bytes:
            chosen[at] = models[at].within(room)
    return tuple(chosen)


def arranged(
    names: Sequence[str], found: Sequence[Scheduled], calls: Calls, limit_bytes: int | None
) -> Together:
    """Where the arenas of schedules lie in each memory."""
    areas = dict.fromkeys(part.area for each in found for part in each.layout.areas)
    fast = found[0].layout.fast_area.area
    memories = []
    for area in areas:
        arenas = [_arena(name, each, area) for name, each in zip(names, found, strict=True)]
        if any(arena.height_bytes for arena in arenas):
            memories.append(
                SharedMemory(
                    area=area,
                    arenas=place(arenas, calls),
                    limit_bytes=limit_bytes if area is fast else None,
                )
            )
    cycles = tuple(each.total.total_cycles for each in found)
    return Together(calls=calls, memories=tuple(memories), cycles=cycles)


def _arena(name: str, scheduled: Scheduled, area: Area) -> Arena:
    """What a model has in a memory, but for constants and buffers of the application's."""
    height, states = 0, []
    for part in scheduled.layout.areas:
        if part.area is not area or not _ARENAS & set(part.regions):
            continue
        states += [
            (height + item.address, height + item.address + item.size_bytes)
            for item in part.placements
            if scheduled.graph.lives_on(item.fms)
        ]
        height += part.height_bytes
    return Arena(model=name, base=0, height_bytes=height, states=tuple(sorted(states)))


_ARENAS = {Region.SCRATCH, Region.SCRATCH_FAST}
