"""What is said where a schedule needs more memory than it may use."""

from __future__ import annotations

from core.ir.layout import AreaLayout, MemoryLayout
from core.report.ecosystem_names import AREA_TITLES
from core.report.words import kib_text


def over_limits(layout: MemoryLayout) -> tuple[str, ...]:
    """One line for each limit that is exceeded."""
    return tuple(_line(area) for area in layout.areas if area.excess_bytes)


def _line(area: AreaLayout) -> str:
    needed = kib_text(area.height_bytes)
    return (
        f"limit exceeded by {area.excess_bytes:,} bytes in {AREA_TITLES[area.area]}:"
        f" {area.height_bytes:,} required, {area.limit_bytes:,} allowed;"
        f" this schedule needs --arena-cache-size {area.height_bytes} ({needed})"
    )
