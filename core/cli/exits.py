"""Exit codes, which scripts rely on."""

from __future__ import annotations

OK = 0
DISPROVED = 1
"""The work was done, and its result does not hold."""
REFUSED = 2
INTERRUPTED = 130
