"""Networks that come with the app."""

from __future__ import annotations

from pathlib import Path

from core.base.frozen import replace
from core.ir.options import Options
from core.ir.settings import Settings
from gui.document.document import Document

EXAMPLES = Path(__file__).parents[2] / "resources" / "examples"
FIRST_EXAMPLE = EXAMPLES / "unet_128.tflite"
"""What a start without a model shows: it has cascades, and evictions where memory is short."""
FIRST_ACCELERATOR, FIRST_LIMIT_KIB = "ethos-u65-256", 96
"""There it has both, and fits."""


def as_usual(document: Document, usual: Settings | None) -> Document:
    """What is asked of another model: not what only the first example was to be seen with."""
    if usual is None or document.settings != to_look_at(usual):
        return document
    return replace(document, settings=usual)


def to_look_at(settings: Settings) -> Settings:
    """What is asked for the first example: where no target is named, one on which something is to
    be seen."""
    if replace(settings, options=Options()) != Settings():
        return settings
    return replace(settings, accelerator=FIRST_ACCELERATOR, limit_bytes=FIRST_LIMIT_KIB << 10)
