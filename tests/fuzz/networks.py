"""Random networks: compiled, executed, and held equal to LiteRT.

python -m tests.fuzz networks [N] [--seed FIRST]
"""

from __future__ import annotations

import argparse
import time
from collections import Counter

from core.api import compiler, networks, proof, schedules, targets
from core.base.errors import CoreError
from core.ir.options import Options
from core.tflite import writer
from tests.networks.random_networks import random_network

ACCELERATORS = ("ethos-u55-128", "ethos-u65-256", "ethos-u65-512", "ethos-u55-32")
INPUTS = 2


def outcome(seed: int) -> tuple[str, str]:
    """A word for what became of the network of a seed, and what is to be said of it."""
    try:
        model = writer.write(random_network(seed))
        target = targets.resolve_target(ACCELERATORS[seed % len(ACCELERATORS)])
        made = compiler.compile_model(schedules.schedule(model, target, Options())).data
        if not networks.may_be_compiled(made):
            return "all on the CPU", ""
        found = proof.verify(made, model, inputs=INPUTS)
    except CoreError as error:
        return "refused", str(error)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
        return "crashed", repr(error)
    if not found.holds:
        return "differs", "; ".join(found.sentences())
    return ("equal" if all(one.is_equal for one in found.outputs) else "as known", "")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz networks", description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=100)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args(arguments)
    start, found = time.monotonic(), Counter[str]()
    for seed in range(asked.seed, asked.seed + asked.count):
        word, text = outcome(seed)
        found[word] += 1
        if text:
            print(f"{seed}: {word}: {text}", flush=True)
    told = ", ".join(f"{count} {word}" for word, count in found.most_common())
    print(f"{told}; seeds {asked.seed} to {seed}, {time.monotonic() - start:.0f} seconds")
    return 1 if found["refused"] + found["crashed"] + found["differs"] else 0
