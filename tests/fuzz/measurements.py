"""Files of measured cycles, in both formats."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from random import Random

from core.api import measurements, schedules, targets
from core.ir.options import Options
from core.ir.scheduled import Scheduled
from tests.fuzz.damage import damaged_json, damaged_text
from tests.fuzz.kind import Inconsistent, Kind

EXAMPLE = Path(__file__).parents[2] / "resources" / "examples" / "kws_dscnn.tflite"


@functools.cache
def _scheduled() -> Scheduled:
    return schedules.schedule(EXAMPLE.read_bytes(), targets.resolve_target(), Options())


def _base(random: Random) -> str:
    ops = [(op.id, op.name, 100.5 * op.id) for op in _scheduled().graph.ops]
    rows = [{"id": number, "name": name, "cycles": cycles} for number, name, cycles in ops]
    trace = [{"ph": "X", "name": row["name"], "args": {"ccnt": row["cycles"]}} for row in rows]
    values = (rows, {"layers": rows}, {name: cycles for _, name, cycles in ops}, trace)
    comma = random.choice(",;\t")
    lines = [("id", "name", "cycles"), *ops]
    csv = "\n".join(comma.join(map(str, line)) for line in lines)
    return random.choice((csv, *map(json.dumps, values)))


def _damaged(text: str, random: Random) -> bytes:
    return (damaged_json if text[0] in "[{" else damaged_text)(text, random)


def _use(_: str, data: bytes, __: Random) -> None:
    scheduled = _scheduled()
    found = measurements.read_measured(data, scheduled)
    told = {row.op for row in found.rows} | set(found.missing)
    if told != {op.id for op in scheduled.graph.ops} or len(found.rows) != len(found.cycles_of):
        raise Inconsistent("an operator is neither measured nor missing, or it is both")


KIND = Kind("measured", _base, _damaged, _use)
