"""Where the reference material is: the folder `shared` beside the repository."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SHARED = Path(__file__).parents[1].parent / "shared"


def files(pattern: str) -> tuple[Path, ...]:
    """Files to parametrise a test with; where there are none, the pattern, which `need` refuses."""
    return tuple(sorted(SHARED.glob(pattern))) or (SHARED / pattern,)


def need(path: Path | str) -> Path:
    """A path in the shared folder; without it the test is skipped, and in CI it fails."""
    found = SHARED / path
    if not found.exists():
        refuse = pytest.fail if os.environ.get("CI") else pytest.skip
        refuse(f"needs {found.relative_to(SHARED.parent)} beside the repository")
    return found
