"""What every JSON of ours begins with: what it is, and the version of its keys."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from core.edits.notes import VERSION as NOTES_VERSION

VERSIONS: Mapping[str, int] = MappingProxyType(
    {
        # What a contest for fast storage kept was told in accesses alone.
        "schedule": 2,
        "network": 1,
        # One query had its keys at the top.
        "matches": 2,
        "compiled model": 1,
        "comparison": 1,
        "operator errors": 1,
        "advice": 1,
        "advice for a program": 1,
        "calibration": 1,
        # Its keys have had other meanings before.
        "sweep": 2,
        "notes": NOTES_VERSION,
        "progress": 1,
    }
)
"""A version grows where a key is gone or means another thing; new keys leave it."""


def stamp(what: str) -> dict[str, Any]:
    """The first two keys of a form."""
    return {"reefpoint": what, "version": VERSIONS[what]}
