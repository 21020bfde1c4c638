"""The door to proof: whether a compiled model computes what its original does."""

from __future__ import annotations

from core.base.progress import SILENT, Progress
from core.pipeline.verdict import OutputVerdict, Verification
from core.pipeline.verify import NAMES, Names
from core.pipeline.verify import verify as verify_models

__all__ = ["Names", "OutputVerdict", "Verification", "verify"]


def verify(
    compiled: bytes,
    model: bytes,
    *,
    inputs: int = 1,
    seed: int = 0,
    progress: Progress = SILENT,
    names: Names = NAMES,
) -> Verification:
    """Whether a compiled model computes what its original does, by running both."""
    return verify_models(compiled, model, inputs=inputs, seed=seed, progress=progress, names=names)
