"""The door to what a board has to offer, and to the texts that tell its build so."""

from __future__ import annotations

from dataclasses import replace

from core.ir.scheduled import Scheduled
from core.report.board.sizes import Board, board_of
from core.report.board.snippets import SNIPPETS

__all__ = ["SNIPPETS", "Board", "board"]


def board(name: str, scheduled: Scheduled) -> Board:
    """What a board has to offer for a schedule."""
    return board_of(replace(scheduled, name=name))
