"""Plain text tables."""

from __future__ import annotations

from collections.abc import Sequence

WIDEST_CELL = 48


def table(headers: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Columns as wide as they need to be; numbers stand right, long texts are shortened inside."""
    texts = [[_shorten(str(cell)) for cell in row] for row in rows]
    widths = [
        max([len(header), *(len(row[column]) for row in texts)])
        for column, header in enumerate(headers)
    ]
    is_number = [
        bool(rows) and all(isinstance(row[column], int | float) for row in rows)
        for column in range(len(headers))
    ]
    lines = [_line(list(headers), widths, is_number), _line(["-" * w for w in widths], widths, [])]
    lines += [_line(row, widths, is_number) for row in texts]
    return "\n".join(lines)


def _line(cells: Sequence[str], widths: Sequence[int], is_number: Sequence[bool]) -> str:
    padded = [
        cell.rjust(width) if column < len(is_number) and is_number[column] else cell.ljust(width)
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return "  ".join(padded).rstrip()


def _shorten(text: str) -> str:
    if len(text) <= WIDEST_CELL:
        return text
    half = (WIDEST_CELL - 3) // 2
    return f"{text[:half]}...{text[-half:]}"
