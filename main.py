"""Reefpoint: no arguments or a model opens the app; a sub-command works without a window."""

from __future__ import annotations

import sys
import traceback

_MISSING, _FAULT, _INTERRUPTED = 2, 70, 130
"""As in `core.cli.exits`, for what comes before that can be loaded."""


def _told(error: BaseException) -> int:
    """Say what ended the program, and return the exit code: never that of a proof that fails."""
    if isinstance(error, KeyboardInterrupt):
        print("reefpoint: interrupted", file=sys.stderr)
        return _INTERRUPTED
    name = error.name or "core" if isinstance(error, ModuleNotFoundError) else "core"
    if name.split(".")[0] not in {"core", "gui", "reefpoint"}:
        print(
            f"reefpoint: the package {name!r} is not installed;"
            " python -m pip install -r requirements/run.txt installs all that it needs",
            file=sys.stderr,
        )
        return _MISSING
    for line in "".join(traceback.format_exception(error)).split("\n"):
        # As `core.base.harmless` does, which may be what cannot be loaded.
        print(repr(line)[1:-1], file=sys.stderr)
    print(
        "reefpoint: this is a fault of Reefpoint, and nothing is known of the result",
        file=sys.stderr,
    )
    return _FAULT


try:
    import gc
    import os
    from collections.abc import Sequence
    from pathlib import Path

    # A second thread of OpenBLAS waits busily from the moment numpy is loaded; our products of
    # small matrices are not faster with it.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

    # Nothing that is loaded is garbage.
    gc.disable()
    from core import cli
    from core.base.forms import MODEL_SUFFIXES
    from core.base.frozen import replace
    from core.base.process import keep_memory

    gc.freeze()
    gc.enable()
except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - whatever it is, it has a code
    sys.exit(_told(error))

_FOR_THE_CLI = {"-h", "--help", "--version"}


_REPORT = cli.SubCommand(
    name="report",
    text="write a report with pictures of the views, and tables, a trace and the pictures"
    " beside it",
    module="gui.shell.report_command",
    most_used=("--format", "--theme", "--edits"),
    examples=("net.tflite -o folder", "net.tflite -o net.html", "sweep.sqlite -o sweep.html"),
)


_MCP = cli.SubCommand(
    name="mcp",
    text="answer the questions of agents by the Model Context Protocol, on standard input and"
    " output: schedule, why, edits that are tried, compare, advise, front",
    module="reefpoint.agents_command",
    takes_target=False,
    most_used=("--write",),
    examples=("", "--write"),
)


_COMPARE = replace(cli.COMPARE, module="gui.shell.compare_sessions")
"""With sessions, which the app alone can read."""


def opens_the_app(argv: Sequence[str]) -> bool:
    """Whether a command line asks for the window: it names no sub-command."""
    if not argv:
        return True
    first = argv[0]
    return Path(first).suffix.lower() in MODEL_SUFFIXES or (
        first.startswith("-") and first not in _FOR_THE_CLI
    )


def main(argv: Sequence[str]) -> int:
    """Do what a command line asks for, and return the exit code."""
    if opens_the_app(argv):
        from gui.shell.command_line import open_app  # with the app, for which no sub-command waits

        return open_app(argv)
    return cli.main(argv, [_REPORT, _MCP, _COMPARE])


def command() -> int:
    """What the installed command `reefpoint` does."""
    try:
        if not opens_the_app(sys.argv[1:]):
            keep_memory()
        return cli.heard(lambda: main(sys.argv[1:]))
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - as above
        return _told(error)


if __name__ == "__main__":
    sys.exit(command())
