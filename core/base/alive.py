"""Whether processes of this machine still run."""

from __future__ import annotations

import os


def is_gone(pid: int) -> bool:
    """Whether no process has this number any more; False where nobody can say."""
    if os.name != "posix":
        return False
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return True
    except OSError:
        return False
    return False
