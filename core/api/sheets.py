"""The door to what a board has to offer for a schedule: sizes, settings, texts for its build."""

from __future__ import annotations

from core.base.checked import door
from core.base.frozen import replace
from core.ir.scheduled import Scheduled
from core.report.board.sizes import Board, board_of
from core.report.board.snippets import SNIPPETS

__all__ = ["SNIPPETS", "Board", "board"]


@door
def board(name: str, scheduled: Scheduled) -> Board:
    """What a board has to offer for a schedule."""
    return board_of(replace(scheduled, name=name))
