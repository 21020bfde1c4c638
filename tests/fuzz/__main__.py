"""Runs an attack by its name; without one, that on all kinds of input."""

from __future__ import annotations

import importlib
import os
import sys

# As main.py says it, before numpy is loaded: the second thread of its library waits busily.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

INPUTS = "tests.fuzz.campaign"
ATTACKS = {
    "flips": "tests.fuzz.flips",
    "planted": "tests.fuzz.planted",
    "networks": "tests.fuzz.networks",
    "replay": "tests.fuzz.replay",
}
"""By name, the module whose `main` takes the arguments after it and returns an exit code."""


def main(arguments: list[str]) -> int:
    name = arguments[0] if arguments else ""
    module, rest = (ATTACKS[name], arguments[1:]) if name in ATTACKS else (INPUTS, arguments)
    return int(importlib.import_module(module).main(rest))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
