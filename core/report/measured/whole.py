"""What a file says of a whole inference: a log, or a table of all operators."""

from __future__ import annotations

from core.base.errors import InputError
from core.ir.scheduled import Scheduled
from core.report.measured.count import Count
from core.report.measured.logs import EXAMPLES, read_log
from core.report.measured.match import read
from core.report.measured.rows import is_table, read_rows, text_of

_WHOLE = frozenset({"total", "sum", "all", "network", "model", "inference", "npu"})
"""Names of a row that is no operator's."""


def count_of(data: bytes, material: Scheduled) -> Count:
    """What was measured of a network whose operators these are; an InputError says what is not."""
    text = text_of(data)
    if is_table(text):
        return _table(data, material)
    counted = read_log(text)
    if counted is None:
        raise InputError(
            f"has no cycles and no time of an inference, such as {EXAMPLES}, and is no table of"
            " measured operators"
        )
    return counted


def _table(data: bytes, material: Scheduled) -> Count:
    for row in read_rows(data):
        if row.name.lower() in _WHOLE and row.cycles:
            return Count(cycles=row.cycles)
    measured = read(data, material)
    if measured.unmatched:
        first = measured.unmatched[0]
        raise InputError(f"'{first.label}' {first.reason}", f"line {first.line}")
    if measured.missing:
        count, missing = len(measured.rows), len(measured.missing)
        raise InputError(
            f"has cycles of {count} operators, and of {missing} none: the whole is needed"
        )
    return Count(cycles=measured.total_cycles)
