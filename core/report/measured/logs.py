"""Logs of an inference, as evaluation kits, drivers and runtimes print them.

A line that is known has to say its number: where a log is damaged, nothing is guessed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from statistics import median

from core.base.errors import InputError
from core.base.frozen import NamedTuple
from core.ir.cost import Direction
from core.report.measured.count import Beats, Count, typical
from core.report.measured.events import event_times
from core.report.measured.numbers import SECONDS, number_of
from core.target.target import Port

EXAMPLES = "'NPU TOTAL: 405608 cycles', 'ethosu_pmu_cycle_cntr : 405608' or 'Inference: 3.67 ms'"
"""Lines that are understood, for those whose files have none."""

_TOTAL, _ACTIVE, _IDLE, _COUNTER, _OPERATOR = range(5)
_NUMBER = r"0[xX][0-9a-fA-F]+|\d[\d,']*(?:\.\d+)?"
_CYCLES = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        (_TOTAL, r"\bNPU\s+TOTAL\b(?:\s+cycles)?\s*[:=](.*)"),
        (_ACTIVE, r"\bNPU\s+ACTIVE\b(?:\s+cycles)?\s*[:=](.*)"),
        (_IDLE, r"\bNPU\s+IDLE\b(?:\s+cycles)?\s*[:=](.*)"),
        (_COUNTER, r"\bethosu_pmu_cycle_cntr\s*[:=](.*)"),
        (_OPERATOR, r"\bethos-u\s*:\s*cycle_cnt\s*[:=](.*)"),
    )
)
_OF_CPU = re.compile(r"CPU cycles per operator", re.IGNORECASE)
"""After which operators have cycles of the processor, and not of the accelerator."""
_EVENT = r"AXI([01])_(RD|WR)_DATA_BEAT_(?:RECEIVED|WRITTEN)"
_BEATS = re.compile(rf"\b(?:NPU\s+|ETHOSU_PMU_)?{_EVENT}(?:\s+beats)?\s*[:=](.*)", re.IGNORECASE)
_NUMBERED = re.compile(r"\bethosu_pmu_cntr(\d)\s*[:=](.*)", re.IGNORECASE)
_EVENTS = re.compile(r"\bPMU Events\s*:\s*\[(.*?)(\]|$)", re.IGNORECASE)
_PER_INFERENCE = re.compile(rf"\(\s*({_NUMBER})\s+per inference\)", re.IGNORECASE)
_FIRST = re.compile(rf"\s*({_NUMBER})(?![\w.])")
_TIME = re.compile(rf"(?<![\w.])({_NUMBER})\s*({'|'.join(SECONDS)})\b", re.IGNORECASE)
_INFERENCE = re.compile(r"inference|invoke|latency|npu|execut|took|time", re.IGNORECASE)
_CLOCK = re.compile(rf"(?<![\w.])({_NUMBER})\s*([MG])Hz\b", re.IGNORECASE)
_PLAIN = re.compile(rf"\s*({_NUMBER})\s*(?:cycles)?\s*", re.IGNORECASE)

_Key = tuple[Port, Direction]


class _Lines(NamedTuple):
    """The numbers of all lines that are known."""

    cycles: dict[int, list[float]]
    beats: dict[_Key, list[float]]


def read_log(text: str) -> Count | None:
    """What a log says of an inference; None where no line of it is known."""
    if plain := _PLAIN.fullmatch(text):
        return Count(cycles=typical([number_of(plain[1]) or 0.0], "cycles"))
    found = _lines(text)
    beats = tuple(
        Beats(port=port, direction=direction, count=median(counts))
        for (port, direction), counts in found.beats.items()
    )
    cycles = _cycles(found.cycles)
    if cycles is not None:
        return Count(cycles=cycles, beats=beats)
    if beats:
        raise InputError("has beats of an inference, and not its cycles")
    return event_times(text) or _time(text)


def _lines(text: str) -> _Lines:
    cycles: dict[int, list[float]] = defaultdict(list)
    beats: dict[_Key, list[float]] = defaultdict(list)
    counters: dict[int, list[float]] = defaultdict(list)
    events: list[str] = []
    for line, content in enumerate(text.splitlines(), 1):
        for kind, pattern in _CYCLES:
            if match := pattern.search(content):
                cycles[kind].append(_number(match[1], line))
        if match := _BEATS.search(content):
            beats[_key(match[1], match[2])].append(_number(match[3], line))
        if match := _NUMBERED.search(content):
            counters[int(match[1])].append(_number(match[2], line))
        if match := _EVENTS.search(content):
            events = [name.strip() for name in match[1].split(",")]
    for number, name in enumerate(events):
        if (match := re.search(_EVENT, name)) and counters[number]:
            beats[_key(match[1], match[2])] += counters[number]
    if _OF_CPU.search(text):
        cycles.pop(_OPERATOR, None)
    return _Lines(cycles, beats)


def _key(port: str, direction: str) -> _Key:
    way = Direction.READ if direction.upper() == "RD" else Direction.WRITE
    return (Port.AXI0, Port.AXI1)[int(port)], way


def _number(text: str, line: int) -> float:
    """What stands behind a name; the mean of several inferences where it is given."""
    match = _PER_INFERENCE.search(text) or _FIRST.match(text)
    number = None if match is None else number_of(match[1])
    if number is None:
        raise InputError(f"'{text.strip()}' is no count", f"line {line}")
    return number


def _cycles(found: dict[int, list[float]]) -> float | None:
    for kind in (_TOTAL, _COUNTER, _OPERATOR):
        if found.get(kind):
            return typical(found[kind], "cycles")
    active, idle = found.get(_ACTIVE), found.get(_IDLE)
    if not active:
        return None
    return typical(active, "cycles") + (median(idle) if idle else 0.0)


def _time(text: str) -> Count | None:
    """The time of an inference: of the lines that speak of one, or the only one in the file."""
    told = list(_times(text.splitlines()))
    about = [seconds for line, seconds in told if _INFERENCE.search(line)]
    seconds = about or [seconds for _, seconds in told]
    if not seconds:
        return None
    clocks = {float(number_of(each[1]) or 0.0) * _HERTZ[each[2].upper()] for each in _clocks(text)}
    if len(clocks) > 1 or 0.0 in clocks:
        raise InputError("names more than one clock, or one of 0 MHz")
    return Count(seconds=typical(seconds, "seconds"), clock_hz=next(iter(clocks), None))


_HERTZ = {"M": 1e6, "G": 1e9}


def _clocks(text: str) -> Iterator[re.Match[str]]:
    return _CLOCK.finditer(text)


def _times(lines: list[str]) -> Iterator[tuple[str, float]]:
    for line in lines:
        for match in _TIME.finditer(line):
            number = number_of(match[1])
            if number is not None:
                yield line, number * SECONDS[match[2].lower()]
