"""Exit codes, which scripts rely on."""

from __future__ import annotations

OK = 0
DISPROVED = 1
"""The work was done, and its result does not hold."""
REFUSED = 2
NOT_AS_ASKED = 3
"""A limit is exceeded or an edit not honoured, and `--strict` was asked for."""
FAULT = 70
"""Something that nobody has thought of: a fault of Reefpoint itself."""
INTERRUPTED = 130
