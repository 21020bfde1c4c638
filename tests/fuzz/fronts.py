"""Files of the folder of fronts, damaged and sealed anew, and all that is told of what is taken."""

from __future__ import annotations

import functools
import hashlib
import tempfile
import zlib
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import msgspec

from core.api import listings, networks, schedules, targets
from core.base.errors import InputError
from core.base.frozen import replace
from core.ir.front import Front
from core.ir.options import Options, Search
from core.pipeline.best.kept import Kept
from core.pipeline.best.packed import pack, unpack
from core.pipeline.best.problem import Problem
from core.pipeline.scheduled import analyse
from tests.fuzz.damage import EDGES
from tests.fuzz.kind import Inconsistent, Kind

EXAMPLES = Path(__file__).parents[2] / "resources" / "examples"
CASES = (("kws_dscnn", "ethos-u55-128"), ("denoise_int16", "ethos-u65-256"))
STEPS = Options(search=Search.BEST, effort=2)
NUMBERS: tuple[Any, ...] = (
    *EDGES,
    -1,
    0.5,
    -2.5,
    1e300,
    float("nan"),
    float("inf"),
    None,
    True,
    "x",
    b"x",
    [],
    {},
)
SEAL_BYTES = hashlib.sha256().digest_size


class Base(NamedTuple):
    """A front, and what it is for."""

    name: str
    accelerator: str
    path_name: str
    data: bytes


def _base(random: Random) -> Base:
    return _front(*random.choice(CASES))


@functools.cache
def _run(name: str, accelerator: str) -> networks.Run:
    target = targets.resolve_target(accelerator)
    return networks.run((EXAMPLES / f"{name}.tflite").read_bytes(), target, STEPS)


@functools.cache
def _front(name: str, accelerator: str) -> Base:
    with tempfile.TemporaryDirectory() as folder:
        bench = schedules.Workbench(
            _run(name, accelerator), kept=Kept(folder=Path(folder) / "fronts")
        )
        bench.schedule(targets.resolve_target(accelerator).with_limit(48 << 10), STEPS)
        (path,) = (Path(folder) / "fronts").iterdir()
        return Base(name, accelerator, path.name, path.read_bytes())


def _damaged(base: Base, random: Random) -> bytes:
    """Mostly sealed anew, since what is not is found out at once."""
    content = zlib.decompress(base.data[SEAL_BYTES:])
    match random.randrange(6):
        case 0:
            return _flipped(base.data, random)
        case 1:
            return _sealed(base, _flipped(content, random))
        case 2:
            others = [case for case in CASES if case != (base.name, base.accelerator)]
            other = _front(*random.choice(others))
            return _sealed(base, zlib.decompress(other.data[SEAL_BYTES:]))
        case _:
            plain: list[list[Any]] = msgspec.msgpack.decode(content)
            for _ in range(random.choice((1, 1, 2, 5))):
                _change(random.choice([column for column in plain if column]), random)
            return _sealed(base, msgspec.msgpack.encode(plain))


def _change(column: list[Any], random: Random) -> None:
    """Another value in a column, mostly one that it has elsewhere or nearly has."""
    at = random.randrange(len(column))
    value = random.choice([each for each in column if each != column[at]] or NUMBERS)
    match random.randrange(5):
        case 0:
            column[at] = random.choice(NUMBERS)
        case 1 if isinstance(column[at], int | float):
            column[at] += random.choice((-1, 1, 16, -4096))
        case 2:
            column.append(value)
        case 3:
            del column[at]
        case _:
            column[at] = value


def _flipped(data: bytes, random: Random) -> bytes:
    found = bytearray(data)
    for _ in range(random.choice((1, 2, 8))):
        found[random.randrange(len(found))] = random.randrange(256)
    del found[len(found) - random.choice((0, 0, 0, 1, 100)) :]
    return bytes(found)


def _sealed(base: Base, content: bytes) -> bytes:
    data = zlib.compress(content)
    return hashlib.sha256(base.path_name.encode() + b"\0" + data).digest() + data


def _use(base: Base, data: bytes, random: Random) -> None:
    run, target = _run(base.name, base.accelerator), targets.resolve_target(base.accelerator)
    with tempfile.TemporaryDirectory() as folder:
        kept = Kept(folder=Path(folder) / "fronts")
        kept.put("another", b"", 0)
        path = kept.folder / base.path_name
        path.write_bytes(data)
        path.chmod(0o600)
        fronts, problem = schedules.Workbench(run, kept=kept).fronts, Problem.of(target, STEPS)
        known = fronts._find(problem)
        if not known.searches:
            raise InputError("is no front of this problem")
        _demand_same(known.by_plan, run, problem)
        for point in known.front.points:
            _tell(point.scheduled)
        limit = random.choice((8 << 10, 48 << 10, 1 << 20))
        _tell(fronts.look_up(target.with_limit(limit), replace(STEPS, effort=0)))


def _demand_same(front: Front, run: networks.Run, problem: Problem) -> None:
    again = unpack(pack(front, Front()), run, problem)
    if again is None or again[0].tried != front.tried or len(again[0].points) != len(front.points):
        raise Inconsistent("it is another front when it is written and read again")


def _tell(found: schedules.Scheduled) -> None:
    """All that a user is told of a schedule."""
    listings.describe_schedule("model", found)
    listings.render_schedule("model", found, tuple(listings.Detail))
    listings.render_summary_csv("model", found)
    listings.render_layer_csv("model", found)
    analyse(found)


KIND = Kind("front", _base, _damaged, _use)
