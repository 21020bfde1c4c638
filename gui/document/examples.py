"""Networks that come with the app."""

from __future__ import annotations

from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "resources" / "examples"
FIRST_EXAMPLE = EXAMPLES / "unet_128.tflite"
"""What a start without a model shows: it has cascades, and evictions where memory is short."""
