"""Whether a file may hold command streams, which is soon seen, before all that reads them."""

from __future__ import annotations

from core.emit.conventions import is_marked, is_raw
from core.executorch.schema import is_blob, is_program


def may_be_compiled(model: bytes) -> bool:
    """Whether a file may have been compiled, whatever its format."""
    return is_of_executorch(model) or is_marked(model) or is_raw(model)


def is_of_executorch(model: bytes) -> bool:
    """Whether a file is a program of ExecuTorch, or what one of its delegates was compiled to."""
    return is_program(model) or is_blob(model)
