"""Names for one of a few choices, which searches look up often."""

from __future__ import annotations

import enum


class Named(enum.Enum):
    """One of a few choices, found in tables by what it is."""

    # The usual hash is that of its name, worked out in Python at each look.
    __hash__ = object.__hash__
