"""The door to targets: accelerators, and the configurations of systems around them."""

from __future__ import annotations

from core.report.boards import render_boards
from core.target.boards import BOARDS, OTHERS, Board, board_named, boards_named
from core.target.config import load as load_configs
from core.target.registry import ACCELERATORS
from core.target.resolve import resolve as resolve_target

__all__ = [
    "ACCELERATORS",
    "BOARDS",
    "OTHERS",
    "Board",
    "board_named",
    "boards_named",
    "load_configs",
    "render_boards",
    "resolve_target",
]
