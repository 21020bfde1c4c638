"""What commands say: results, printed or written, and on a terminal what goes beside them.

Nothing else prints, so that whatever reaches a terminal is harmless to it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from types import MappingProxyType
from typing import Any

from core.base.files import as_utf8, write_whole
from core.base.harmless import terminal_text, to_json, visible
from core.base.outputs import Output
from core.base.progress import Progress
from core.cli.voice import voice

STANDARD_OUTPUT = Path("-")


def say(*lines: str) -> None:
    """Print results, each on a line of its own."""
    for line in lines:
        print(visible(line))


def show(text: str) -> None:
    """Print a result of several lines, which ends its last one itself."""
    print(terminal_text(text), end="")


def complain(line: str) -> None:
    """Say on standard error what goes wrong."""
    voice().complain(line)


def remark(line: str) -> None:
    """Say on standard error what is no result, and nothing wrong."""
    voice().remark(line)


def printed_options(arguments: argparse.Namespace) -> tuple[str, ...]:
    """What was asked for on standard output, in place of what a command says there."""
    return tuple(
        f"--{name.replace('_', '-')}"
        for name, value in vars(arguments).items()
        if isinstance(value, Output) and value.path == STANDARD_OUTPUT
    )


def put_texts(
    texts: Iterable[tuple[Output, str]], files: Mapping[Path, bytes] = MappingProxyType({})
) -> None:
    """Print reports, or write them; they and other files are all there in the end, or none is."""
    told = {output.path: text for output, text in texts}
    printed = told.pop(STANDARD_OUTPUT, None)
    write_whole({path: as_utf8(text) for path, text in told.items()} | dict(files))
    if printed is not None:
        show(printed)


def json_text(report: Mapping[str, Any]) -> str:
    """A report as it is written."""
    return to_json(report, indent=1) + "\n"


def warn(lines: Iterable[str]) -> None:
    """Say on standard error what does not stop a command."""
    for line in lines:
        remark(f"warning: {line}")


def progress_line() -> AbstractContextManager[Progress]:
    """Progress on standard error, which is left as it was."""
    return voice().progress()
