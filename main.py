"""Reefpoint: no arguments or a model opens the app; a sub-command works without a window."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from pathlib import Path

# A second thread of OpenBLAS waits busily from the moment numpy is loaded; our products of small
# matrices are not faster with it.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Nothing that is loaded is garbage.
gc.disable()
try:
    from core import cli
    from core.base.frozen import replace
    from core.base.process import keep_memory
except ModuleNotFoundError as missing:
    if (missing.name or "core").split(".")[0] in {"core", "gui"}:
        raise
    print(
        f"reefpoint: the package {missing.name!r} is not installed;"
        " python -m pip install -r requirements/run.txt installs all that it needs",
        file=sys.stderr,
    )
    sys.exit(2)
gc.freeze()
gc.enable()

_FOR_THE_CLI = {"-h", "--help", "--version"}


_REPORT = cli.SubCommand(
    name="report",
    text="write a report with pictures of the views, and tables, a trace and the pictures"
    " beside it",
    module="gui.shell.command_line",
)


_COMPARE = replace(cli.COMPARE, module="gui.shell.compare_sessions")
"""With sessions, which the app alone can read."""


def opens_the_app(argv: Sequence[str]) -> bool:
    """Whether a command line asks for the window: it names no sub-command."""
    if not argv:
        return True
    first = argv[0]
    return Path(first).suffix.lower() == ".tflite" or (
        first.startswith("-") and first not in _FOR_THE_CLI
    )


def main(argv: Sequence[str]) -> int:
    """Do what a command line asks for, and return the exit code."""
    if opens_the_app(argv):
        from gui.shell.command_line import open_app  # with the app, for which no sub-command waits

        return open_app(argv)
    return cli.main(argv, [_REPORT, _COMPARE])


def command() -> int:
    """What the installed command `reefpoint` does."""
    if not opens_the_app(sys.argv[1:]):
        keep_memory()
    return cli.heard(lambda: main(sys.argv[1:]))


if __name__ == "__main__":
    sys.exit(command())
