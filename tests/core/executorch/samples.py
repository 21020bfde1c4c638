"""Programs of ExecuTorch and blobs of their delegates, with what the references say of them."""

from __future__ import annotations

from pathlib import Path

from tests.shared import files

FOLDERS = ("executorch", "executorch/real")
PROGRAMS = [path for folder in FOLDERS for path in files(f"{folder}/*.pte")]
READ = [path for path in PROGRAMS if "_u85" not in path.name]
"""Those for accelerators whose commands are known."""
LATER = [path for path in PROGRAMS if "_u85" in path.name]
BLOBS = [
    path for folder in ("executorch", "executorch/*") for path in files(f"{folder}/*.vela_bin")
]
SMALL = "executorch/cpubetween_u65-256.pte"
"""Two delegates with a kernel of the CPU between them."""
EXTERNAL = "executorch/convres_external_u55-128.pte"


def title(path: Path) -> str:
    return path.stem
