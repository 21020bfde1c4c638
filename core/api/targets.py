"""The door to targets: accelerators, and the configurations of systems around them."""

from __future__ import annotations

from pathlib import Path

from core.base.checked import door
from core.target.boards import BOARDS, OTHERS, Board, board_named, boards_named
from core.target.config import load as load_configs
from core.target.mlops import Project, is_project, read_project
from core.target.registry import ACCELERATORS
from core.target.resolve import resolve as resolve_target

__all__ = [
    "ACCELERATORS",
    "BOARDS",
    "OTHERS",
    "Board",
    "Project",
    "board_named",
    "boards_named",
    "is_project",
    "load_configs",
    "read_project",
    "resolve_target",
    "stands_for",
]


@door
def stands_for(name: str) -> Board | Project:
    """What `--board` is told: a board by its name, or the project of CMSIS-Toolbox in a file."""
    return read_project(Path(name)) if is_project(name) else board_named(name)
