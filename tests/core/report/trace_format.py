"""The rules of Chrome's trace format as far as viewers insist on them."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

Json = dict[str, Any]
KEYS = {
    "X": {"name", "cat", "ph", "ts", "dur", "pid", "tid", "args"},
    "i": {"name", "cat", "ph", "ts", "pid", "tid", "args", "s"},
    "C": {"name", "ph", "ts", "pid", "tid", "args"},
    "M": {"name", "ph", "ts", "pid", "tid", "args"},
}
METAS = {"process_name", "process_sort_index", "thread_name", "thread_sort_index"}


def broken_rules(trace: Json) -> list[str]:
    """What a viewer would drop, misplace, or leave without a name."""
    events = trace["traceEvents"]
    broken = [f"event {at} lacks keys" for at, event in enumerate(events) if not _is_whole(event)]
    times = [event["ts"] for event in events if event["ph"] != "M"]
    broken += ["events are not sorted"] * (times != sorted(times))
    first = next((at for at, event in enumerate(events) if event["ph"] != "M"), len(events))
    broken += ["names come late"] * any(event["ph"] == "M" for event in events[first:])
    return broken + _overlaps(events) + _counters(events) + _names(events)


def _is_whole(event: Json) -> bool:
    return (
        event.keys() == KEYS.get(event.get("ph"), set())
        and isinstance(event["ts"], (int, float))
        and event["ts"] >= 0
        and event.get("dur", 0) >= 0
        and (event["ph"] != "M" or event["name"] in METAS)
    )


def _overlaps(events: list[Json]) -> list[str]:
    """Nanoseconds, which viewers keep; fractions of ticks are no good for sums."""
    ends: defaultdict[tuple[int, int], int] = defaultdict(int)
    broken = []
    for event in events:
        if event["ph"] == "X":
            lane = event["pid"], event["tid"]
            start, length = round(event["ts"] * 1000), round(event["dur"] * 1000)
            if start < ends[lane]:
                broken.append(f"lane {lane}: {event['name']} begins at {start} < {ends[lane]}")
            ends[lane] = start + length
    return broken


def _counters(events: list[Json]) -> list[str]:
    last: dict[tuple[int, str], tuple[float, Json]] = {}
    broken = []
    for event in events:
        if event["ph"] == "C":
            key = event["pid"], event["name"]
            values = event["args"]
            if len(values) != 1 or not all(value >= 0 for value in values.values()):
                broken.append(f"{event['name']} has the values {values}")
            time, before = last.get(key, (-1.0, {}))
            if event["ts"] < time or before.keys() - values.keys():
                broken.append(f"{event['name']} goes back at {event['ts']}")
            last[key] = event["ts"], values
    return broken


def _names(events: list[Json]) -> list[str]:
    named = {(e["pid"], e["tid"]) for e in events if e["name"] == "thread_name"}
    processes = {e["pid"] for e in events if e["name"] == "process_name"}
    used = {(e["pid"], e["tid"]) for e in events if e["ph"] in "Xi"}
    broken = [f"lane {lane} has no name" for lane in used - named]
    return broken + [f"process {e['pid']} has no name" for e in events if e["pid"] not in processes]
