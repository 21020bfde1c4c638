"""What the worker has to say about a document; no Qt."""

from __future__ import annotations

from typing import NamedTuple

from core.api import schedules, traces


class Solution(NamedTuple):
    """What the compiler makes of a document, or a compiled model shows."""

    scheduled: schedules.Scheduled
    analysis: traces.Analysis
    unlimited_bytes: int
