"""Run by its path in the folder of a project that has modules `core`, `gui` and `main` of its own:

    python beside.py theirs|ours MODEL

imports theirs first or ours first, and uses both. Continuous integration runs it with the wheel.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

THEIRS = ("core", "gui", "main")


def mine() -> None:
    for name in THEIRS:
        module = importlib.import_module(name)
        assert module.OWNER == "the user", module
    assert importlib.import_module("core.api").OWNER == "the user"


def ours(model: Path) -> None:
    command = importlib.import_module("reefpoint.__main__").command
    sys.argv = ["reefpoint", "schedule", str(model), "--json", "schedule.json"]
    assert command() == 0


if __name__ == "__main__":
    sys.path.insert(0, str(Path.cwd()))
    first, path = sys.argv[1], Path(sys.argv[2])
    if first == "theirs":
        mine()
        ours(path)
    else:
        ours(path)
        mine()
