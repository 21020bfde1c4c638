"""The files that work is made from, which must not be written over."""

from __future__ import annotations

from pathlib import Path

from gui.document.document import Document
from gui.document.measurement import Measurement


def inputs_of(document: Document, measurement: Measurement | None = None) -> tuple[Path, ...]:
    """The models, files of configs, and measured cycles."""
    model = (known.path for known in document.files)
    measured = (measurement.path,) if measurement is not None else ()
    return tuple(map(Path, (*model, *document.settings.configs, *measured)))
