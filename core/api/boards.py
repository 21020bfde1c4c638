"""The door to boards that models are tried on: what they take there, and whether that fits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.api import networks, schedules
from core.base.checked import door
from core.base.errors import CoreError, InputError, OptionError, about
from core.base.progress import SILENT, Progress
from core.ir.options import Options, Search
from core.ir.settings import Settings
from core.ir.together import Calls
from core.pipeline.shown_model import shown_model
from core.pipeline.together import (
    Model,
    limited_model,
    schedule_together,
    shared_limit,
)
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
from core.target.target import Target

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
    others: Sequence[tuple[str, bytes]] = (),
    calls: Calls = Calls.IN_TURN,
) -> Iterator[BoardFit]:
    """What a model, with the others in the same device, takes on each board, found by a direct
    search."""
    if networks.may_be_compiled(model):
        raise InputError("is compiled: it is for the target that it was made for")
    names = (name, *(other for other, _ in others))
    settings = Settings(options=Options(search=Search.DIRECT))
    for number, board in enumerate(boards):
        progress.advance(f"scheduling for {board.name}", number, len(boards))
        target = settings.on(board).target()
        own = _model(name, model, target, settings.options)
        try:
            beside = [_other(each, data, target, settings.options) for each, data in others]
        except OptionError as error:
            yield fit_of(names, board, error)
            continue
        try:
            if not beside:
                yield fit_of(names, board, (own.within(None),))
                continue
            answer, together = schedule_together((own, *beside), calls, shared_limit(target))
        except CoreError as error:
            yield fit_of(names, board, error)
        else:
            yield fit_of(names, board, answer, together)


def _other(name: str, data: bytes, target: Target, options: Options) -> Model:
    with about(name):
        return shown_model(name, data, target) or _model(name, data, target, options)


def _model(name: str, data: bytes, target: Target, options: Options) -> Model:
    bench = schedules.Workbench(networks.run(data, target, options))
    return limited_model(name, target, lambda limited: bench.schedule(limited, options))
