"""How a compiled operator is known in a file."""

from __future__ import annotations

CUSTOM_CODE = "ethos-u"


def is_marked(model: bytes) -> bool:
    """Whether a file may have been compiled: the name is somewhere in it, which is soon seen."""
    return CUSTOM_CODE.encode() in model
