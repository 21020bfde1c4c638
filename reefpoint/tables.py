"""Rows of figures as a table of pandas, where that is installed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

from core.base.errors import OptionError


def data_frame(rows: Iterable[Mapping[str, object]]) -> Any:
    """A `pandas.DataFrame` with a column for each figure."""
    try:
        pandas = import_module("pandas")
    except ModuleNotFoundError as error:
        raise OptionError("tables ask for the package pandas: pip install pandas") from error
    return pandas.DataFrame([dict(row) for row in rows])
