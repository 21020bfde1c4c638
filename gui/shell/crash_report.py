"""A report of a fault: what the developers need, and nothing of the model but its digest; no Qt."""

from __future__ import annotations

import importlib.metadata
import json
import platform
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from core.base.version import VERSION
from gui.document.document import Document
from gui.document.job import JobState
from gui.document.plain import to_plain

_PACKAGES = ("PySide6-Essentials", "pyqtgraph", "numpy", "flatbuffers", "tflite")


class Fault(NamedTuple):
    """What happened, and how often."""

    trace: str
    times: int = 1


def report(faults: Iterable[Fault], document: Document, job: JobState, said: Iterable[str]) -> str:
    """The report as a text."""
    model = document.model
    parts = {
        "Versions": _versions(),
        "Model": "none"
        if model is None
        else f"{model.name}, digest {model.digest} (nothing else of it is in this report)",
        "Settings": json.dumps(to_plain(document.settings), indent=1),
        "Compiler": " ".join(filter(None, (job.phase.value, job.stage))),
        "Messages": "\n".join(said) or "none",
        "Faults": "\n".join(map(_fault, faults)) or "none since the start",
    }
    text = "\n".join(
        f"{title}\n{'-' * len(title)}\n{part.strip()}\n" for title, part in parts.items()
    )
    return anonymous(text)


def anonymous(text: str) -> str:
    """A text without the name of the user's folder, which often is the user's own."""
    home = str(Path.home())
    return text.replace(home, "~") if len(home) > 1 else text


def _versions() -> str:
    packages = "".join(f"\n{name} {importlib.metadata.version(name)}" for name in _PACKAGES)
    python = f"Python {platform.python_version()} ({platform.python_implementation()})"
    return f"Reefpoint {VERSION}\n{python}\n{platform.platform()}{packages}"


def _fault(fault: Fault) -> str:
    often = f"{fault.times} times:\n" if fault.times > 1 else ""
    return f"{often}{fault.trace.strip()}\n"
