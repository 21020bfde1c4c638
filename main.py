"""Reefpoint: no arguments or a model opens the app; a sub-command works without a window."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from core import cli
from gui.shell import bootstrap

_FOR_THE_CLI = {"-h", "--help", "--version"}


def opens_the_app(argv: Sequence[str]) -> bool:
    """Whether a command line asks for the window: it names no sub-command."""
    if not argv:
        return True
    first = argv[0]
    return Path(first).suffix == ".tflite" or (first.startswith("-") and first not in _FOR_THE_CLI)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    sys.exit(bootstrap.run(arguments) if opens_the_app(arguments) else cli.main(arguments))
