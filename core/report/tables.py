"""Plain text tables."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.frozen import NamedTuple
from core.base.harmless import visible

WIDEST_CELL = 48

Row = Sequence[object]


class Listing(NamedTuple):
    """What a table says, however it is drawn."""

    headers: Sequence[str]
    rows: Sequence[Row]

    def of_used(self) -> Listing:
        """The columns that are not empty in every row."""
        used = [
            column
            for column in range(len(self.headers))
            if any(row[column] not in {None, ""} for row in self.rows)
        ]
        return Listing(
            [self.headers[at] for at in used], [[row[at] for at in used] for row in self.rows]
        )

    def text(self, *, ends_whole: bool = False) -> str:
        """The used columns as plain text; nothing where there is no row."""
        return table(*self.of_used(), ends_whole=ends_whole) if self.rows else ""


def table(headers: Sequence[str], rows: Sequence[Row], *, ends_whole: bool = False) -> str:
    """Columns as wide as they need to be; numbers stand right, long texts are shortened inside.

    None is an empty cell, also among numbers. The last column may go on as long as its texts are.
    """
    last = len(headers) - 1 if ends_whole else -1
    texts = [
        [
            "" if cell is None else _shown(cell, is_whole=column == last)
            for column, cell in enumerate(row)
        ]
        for row in rows
    ]
    widths = [
        max([len(header), *(len(row[column]) for row in texts)])
        for column, header in enumerate(headers)
    ]
    is_number = [
        bool(rows) and all(cell is None or isinstance(cell, int | float) for cell in cells)
        for cells in ([row[column] for row in rows] for column in range(len(headers)))
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


def _shown(cell: object, *, is_whole: bool) -> str:
    text = visible(str(cell))
    if is_whole or len(text) <= WIDEST_CELL:
        return text
    half = (WIDEST_CELL - 3) // 2
    return f"{text[:half]}...{text[-half:]}"
