"""What a file cannot tell of the schedule that it was made from."""

from __future__ import annotations

import enum

from core.base.frozen import NamedTuple


class Matter(enum.Enum):
    """What a statement is about."""

    NAMES = "names"
    LIMIT = "limit"
    REASONS = "reasons"
    CASCADES = "cascades"
    WEIGHTS = "weights"
    LIVES = "live ranges"
    MEMORIES = "memories"
    CPU = "CPU"


class Untold(NamedTuple):
    """Something that is not in the file, and what stands in its place."""

    matter: Matter
    text: str
