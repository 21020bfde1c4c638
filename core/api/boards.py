"""The door to boards that models are tried on: what they take there, and whether that fits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.api import networks, schedules
from core.base.checked import door
from core.base.errors import CoreError, InputError
from core.base.progress import SILENT, Progress
from core.ir.options import Options, Search
from core.ir.settings import Settings
from core.report.boards import (
    FIGURES,
    FITTING,
    BoardFit,
    figures_of,
    fit_of,
    fitting,
    listing_of,
    render_boards,
    review_of,
)
from core.target.boards import Board

__all__ = [
    "FIGURES",
    "FITTING",
    "BoardFit",
    "figures_of",
    "fitting",
    "listing_of",
    "render_boards",
    "review_of",
    "tried_on",
]


@door
def tried_on(
    name: str,
    model: bytes,
    boards: Sequence[Board],
    progress: Progress = SILENT,
) -> Iterator[BoardFit]:
    """What a model takes on each board, found by a direct search."""
    if networks.may_be_compiled(model):
        raise InputError("is compiled: it is for the target that it was made for")
    settings = Settings(options=Options(search=Search.DIRECT))
    for number, board in enumerate(boards):
        progress.advance(f"scheduling for {board.name}", number, len(boards))
        target = settings.on(board).target()
        run = networks.run(model, target, settings.options)
        try:
            found = schedules.Workbench(run).schedule(target, settings.options)
        except CoreError as error:
            yield fit_of(name, board, error)
        else:
            yield fit_of(name, board, found)
