"""The cells of a sweep as CSV and JSON; how long each took is left out, as it is never the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from core.base.frozen import field_names, members
from core.base.harmless import csv_text, to_json
from core.ir.sweep import Cell, Totals
from core.report.json_forms.stamp import stamp

_SETTINGS = (
    "accelerator",
    "system_config",
    "memory_mode",
    "limit_bytes",
    "strategy",
    "engine",
    "search",
    "allocator",
)
_TOTALS = field_names(Totals)
COLUMNS = (
    *("model", "model_digest", "settings_digest", "reefpoint"),
    *_SETTINGS,
    "verdict",
    *_TOTALS,
    "error",
)


def row_of(cell: Cell) -> dict[str, Any]:
    """A cell by the names of its columns; None where there are no figures."""
    settings, totals = cell.settings, cell.outcome.totals
    return {
        "model": cell.model.name,
        "model_digest": cell.model.digest,
        "settings_digest": settings.digest,
        "reefpoint": settings.reefpoint,
        **{name: getattr(settings, name) for name in _SETTINGS},
        "verdict": cell.outcome.verdict.value,
        **(dict.fromkeys(_TOTALS) if totals is None else members(totals)),
        "error": cell.outcome.error,
    }


def render_csv(cells: Iterable[Cell]) -> str:
    """One line for each cell."""
    rows = (row_of(cell) for cell in cells)
    return csv_text([COLUMNS, *([row[name] for name in COLUMNS] for row in rows)])


def render_json(cells: Iterable[Cell]) -> str:
    """One object for each cell, under the names of the CSV's columns."""
    rows = ",\n".join(to_json(row_of(cell)) for cell in cells)
    head = to_json(stamp("sweep"))
    return f'{head[:-1]}, "cells": [\n{rows}\n]}}\n'
