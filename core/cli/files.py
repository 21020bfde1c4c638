"""Results that programs read, printed or written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.base.files import write_whole

STANDARD_OUTPUT = Path("-")


def put_text(path: Path, text: str) -> None:
    """Print a report, or write it to a file."""
    if path == STANDARD_OUTPUT:
        print(text, end="")
    else:
        write_whole({path: text.encode()})


def json_text(report: Mapping[str, Any]) -> str:
    """A report as it is written."""
    return json.dumps(report, indent=1) + "\n"
