"""Rows of cells as CSV, by the rules that every reader of it knows."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """Lines of cells with commas between them; whatever a cell holds is quoted where it must be."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
