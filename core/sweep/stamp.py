"""What tells this program from another version of it, also between releases."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from core.base.digest import DIGEST_BYTES
from core.base.version import VERSION

_CORE = Path(__file__).parents[1]


@cache
def stamp() -> str:
    """The version, and a digest of the compiler's own source."""
    state = hashlib.blake2b(digest_size=DIGEST_BYTES)
    for path in sorted(_CORE.rglob("*.py")):
        state.update(path.relative_to(_CORE).as_posix().encode() + b"\0" + path.read_bytes())
    return f"{VERSION} ({state.hexdigest()[:12]})"
