"""The door to proof: whether a compiled model computes what its original does."""

from __future__ import annotations

from core.pipeline.proof.verdict import OutputVerdict, Verification
from core.pipeline.proof.verify import Names, verify, way_on

__all__ = ["Names", "OutputVerdict", "Verification", "verify", "way_on"]
