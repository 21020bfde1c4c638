"""Runs an attack by its name."""

from __future__ import annotations

import importlib
import sys

ATTACKS = {"flips": "tests.fuzz.flips"}
"""By name, the module whose `main` takes the arguments after it and returns an exit code."""


def main(arguments: list[str]) -> int:
    if not arguments or arguments[0] not in ATTACKS:
        print(f"usage: python -m tests.fuzz {{{','.join(ATTACKS)}}} ...", file=sys.stderr)
        return 2
    return int(importlib.import_module(ATTACKS[arguments[0]]).main(arguments[1:]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
