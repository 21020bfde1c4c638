"""What stands in the cells of the operator table, and the table as text to take away."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from core.base.harmless import markdown_text, tab_text
from gui.document.display import ByteUnit, Display, TimeUnit
from gui.present import units
from gui.present.operators.columns import Column, Kind
from gui.present.operators.table import OperatorTable

_SMALLEST_SHARE = 0.0005
_SMALLEST_KIB = 0.005
_KILOS = {ByteUnit.KIB: units.KIB, ByteUnit.KB: 1000}


def header_text(column: Column, display: Display) -> str:
    """A column's title, with the unit where it has one."""
    if column.kind is Kind.BYTES:
        return f"{column.title} ({_byte_unit(display)})"
    if column.id == "cycles":
        return "cycles" if display.time_unit is TimeUnit.CYCLES else "time (µs)"
    if column.kind is Kind.CYCLES:
        return f"{column.title} ({display.time_unit.value})"
    return column.title


def cell_text(table: OperatorTable, column: Column, row: int, display: Display) -> str:
    """A value as the table shows it; empty where there is none."""
    if column.kind is Kind.TEXT:
        return table.texts[column.id][row]
    value = float(table.numbers[column.id][row])
    if math.isnan(value):
        return ""
    text = number_text(column.kind, value, display, table.clock_hz)
    return f"+{text}" if column.is_signed and value > 0 else text


def shown_text(table: OperatorTable, column: Column, row: int, display: Display) -> str:
    """A value where there is little room; what is copied and searched is `cell_text`."""
    if column.id == "name":
        return table.labels[row]
    return cell_text(table, column, row, display)


def number_text(kind: Kind, value: float, display: Display, clock_hz: float) -> str:
    """A number without its unit, with as many decimals as the others of its column."""
    if kind is Kind.SHARE:
        return "< 0.1 %" if 0.0 < value < _SMALLEST_SHARE else f"{value * 100:.1f} %"
    if kind is Kind.BYTES and display.byte_unit is ByteUnit.HEX:
        return f"{round(value):#x}"
    if kind is Kind.BYTES and display.byte_unit in _KILOS:
        kib = value / _KILOS[display.byte_unit]
        return "< 0.01" if 0.0 < kib < _SMALLEST_KIB else f"{kib:,.2f}"
    if kind is Kind.CYCLES and display.time_unit is TimeUnit.MICROSECONDS:
        return f"{units.time_value(value, display.time_unit, clock_hz):,.2f}"
    return units.count(value)


def bar_share(table: OperatorTable, column: Column, row: int) -> float | None:
    """How much of the cell the bar fills; above 1 where a limit is exceeded, None for no bar."""
    full = table.full.get(column.id)
    if not full:
        return None
    value = float(table.numbers[column.id][row])
    return None if math.isnan(value) else value / full


def tab_separated(
    table: OperatorTable, columns: Sequence[Column], rows: Iterable[int], display: Display
) -> str:
    """A heading and rows, for spreadsheets."""
    lines = _lines(table, columns, rows, display)
    return tab_text(lines)


def markdown(
    table: OperatorTable, columns: Sequence[Column], rows: Iterable[int], display: Display
) -> str:
    """The same as a table of Markdown."""
    heading, *lines = _lines(table, columns, rows, display)
    rule = ["---" if column.kind is Kind.TEXT else "---:" for column in columns]
    cells = [[markdown_text(cell) for cell in line] for line in lines]
    table_lines = ([markdown_text(title) for title in heading], rule, *cells)
    return "".join("| " + " | ".join(line) + " |\n" for line in table_lines)


def _lines(
    table: OperatorTable, columns: Sequence[Column], rows: Iterable[int], display: Display
) -> list[list[str]]:
    heading = [header_text(column, display) for column in columns]
    cells = ([cell_text(table, column, row, display) for column in columns] for row in rows)
    return [heading, *cells]


def _byte_unit(display: Display) -> str:
    is_plain = display.byte_unit in (ByteUnit.BYTES, ByteUnit.HEX)
    return "B" if is_plain else display.byte_unit.value


def footer_text(table: OperatorTable, rows: Sequence[int], display: Display) -> str:
    """How many operators are shown, and what they add up to."""
    cycles, macs = (table.numbers[name] for name in ("cycles", "macs"))
    shown, whole = _sum(cycles[list(rows)]), _sum(cycles)
    everything = len(rows) == table.count
    head = (
        units.counted(table.count, "operator")
        if everything
        else f"{len(rows):,} of {units.counted(table.count, 'operator')}"
    )
    parts = [head, units.time(shown, display.time_unit, table.clock_hz)]
    if not everything and whole:
        parts.append(f"{units.share(shown / whole)} of the network")
    parts.append(f"{units.count(_sum(macs[list(rows)]))} MACs")
    return " · ".join(parts)


def _sum(numbers: Iterable[float]) -> float:
    return math.fsum(number for number in numbers if not math.isnan(number))
