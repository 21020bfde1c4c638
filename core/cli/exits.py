"""Exit codes, which scripts rely on."""

from __future__ import annotations

OK = 0
DISPROVED = 1
"""The work was done, and its result does not hold."""
REFUSED = 2
DOES_NOT_FIT = 3
"""A limit is exceeded, and `--strict` was asked for."""
INTERRUPTED = 130
