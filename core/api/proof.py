"""The door to proof: whether a compiled model computes what its original does."""

from __future__ import annotations

from core.base.progress import Progress
from core.executorch.beside import beside
from core.pipeline.proof.delegates import verify_delegates
from core.pipeline.proof.given import ARRAYS, data_files
from core.pipeline.proof.verdict import OutputVerdict, Verification
from core.pipeline.proof.verify import Names, verify, way_on
from core.tosa.schema import is_graph

__all__ = [
    "ARRAYS",
    "Names",
    "OutputVerdict",
    "Progress",
    "Verification",
    "beside",
    "data_files",
    "is_graph",
    "verify",
    "verify_delegates",
    "way_on",
]
