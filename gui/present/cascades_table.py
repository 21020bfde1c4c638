"""A cascade after a step as rows of a table: the same that its picture shows."""

from __future__ import annotations

from gui.document.display import ByteUnit
from gui.present import units
from gui.present.cascades import CascadeInfo
from gui.present.cascades_play import Frame, rows_text

HEADERS = (
    "operator",
    "kind",
    "rows at once",
    "stripes",
    "made",
    "now makes",
    "now reads",
    "buffer",
    "holds",
    "held",
    "of",
)


def stage_rows(cascade: CascadeInfo, frame: Frame, unit: ByteUnit) -> list[tuple[str, ...]]:
    """One row for each operator, with the rolling buffer behind it."""
    rings = {ring.stage: ring for ring in frame.rings}
    rows: list[tuple[str, ...]] = []
    for place, (stage, state) in enumerate(zip(cascade.stages, frame.stages, strict=True)):
        ring = rings.get(place)
        buffer = ("", "", "", "")
        if ring is not None:
            buffer = (
                stage.buffer_name,
                rows_text(ring.held),
                units.size(ring.held_bytes, unit),
                units.size(ring.size_bytes, unit),
            )
        rows.append(
            (
                stage.name,
                f"{stage.kind}{stage.kernel}",
                units.count(stage.stripe_rows),
                units.count(stage.stripes),
                f"{state.made:,} of {stage.rows:,}",
                rows_text(state.makes) if state.is_running else "",
                rows_text(frame.reads) if state.is_running else "",
                *buffer,
            )
        )
    return rows
