"""The door to what happens when: a schedule's cycles, step by step, and what eviction costs."""

from __future__ import annotations

from core.ir.trace import Analysis
from core.pipeline.analysis import analyse

__all__ = ["Analysis", "analyse"]
