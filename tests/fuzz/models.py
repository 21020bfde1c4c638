"""Source models: read, told, scheduled, compiled, and as `PROVED` held against LiteRT."""

from __future__ import annotations

import functools
import struct
from pathlib import Path
from random import Random

from core.api import compiler, listings, networks, proof, schedules, targets
from core.base.errors import CoreError
from core.ir.options import Options
from core.tflite import reader, writer
from tests.core.tflite.mutations import mutated, structure_of
from tests.fuzz.kind import Inconsistent, Kind
from tests.fuzz.spoilt_networks import spoilt
from tests.networks.random_networks import random_network

RANDOM_NETWORKS = 300
BROKEN_ONCE = Path(__file__).parents[3] / "shared" / "regressions"
ACCELERATORS = ("ethos-u55-32", "ethos-u55-128", "ethos-u65-256", "ethos-u65-512")


def base_model(random: Random) -> bytes:
    """A small network; where files are at hand that broke something once, also one of these."""
    broken = sorted(BROKEN_ONCE.glob("malformed/ss_*")) + sorted(BROKEN_ONCE.glob("[a-z]*.tflite"))
    if broken and random.random() < 0.2:
        return random.choice(broken).read_bytes()
    return random_model(random.randrange(RANDOM_NETWORKS))


@functools.lru_cache(maxsize=400)
def random_model(seed: int) -> bytes:
    return writer.write(random_network(seed))


def damaged_model(data: bytes, random: Random) -> bytes:
    """A file whose parts or whose bytes are spoilt."""
    if random.random() < 0.3:
        return mutated(data, structure_of(data), random)
    network = reader.read(data)
    other = reader.read(random_model(random.randrange(RANDOM_NETWORKS)))
    try:
        return writer.write(spoilt(network, other, random))
    except (CoreError, struct.error, OverflowError):
        # Numbers that no file can have.
        return mutated(data, structure_of(data), random)


def _use(_: bytes, data: bytes, random: Random) -> None:
    _compiled(data, random)


def _compiled(data: bytes, random: Random) -> bytes:
    target, options = targets.resolve_target(random.choice(ACCELERATORS)), Options()
    run = networks.run(data, target, options)
    networks.check_network(run.network)
    networks.describe("model", run, target)
    networks.render("model", run, target)
    scheduled = schedules.Workbench(run).schedule(target, options)
    listings.describe_schedule("model", scheduled)
    listings.render_schedule("model", scheduled)
    return compiler.compile_model(scheduled).data


def _prove(_: bytes, data: bytes, random: Random) -> None:
    found = proof.verify(_compiled(data, random), data, inputs=1)
    if not found.holds:
        raise Inconsistent(f"compiled to another network: {'; '.join(found.sentences())}")


KIND = Kind("tflite", base_model, damaged_model, _use)
PROVED = KIND._replace(use=_prove)
