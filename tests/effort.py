"""How many examples of a property are tried: some in the fast suite, all of them in a long run."""

from __future__ import annotations

import hypothesis

LONG = 100
"""What a profile has to try at least, to be one of a long run."""


def some_of(count: int) -> int:
    """So many in a long run, and a third of them in a fast one."""
    is_long = hypothesis.settings.default.max_examples >= LONG
    return count if is_long else -(-count // 3)
