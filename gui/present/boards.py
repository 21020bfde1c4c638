"""Boards: the one that settings are of, and what is told of each; no Qt."""

from __future__ import annotations

from core.api import boards, targets
from core.base.frozen import replace
from core.base.sentences import capitalised
from core.base.size import parse_size
from core.ir.knob import Value
from core.ir.settings import Settings
from gui.document.document import Document

NO_BOARD = "none"
FIT_HEADERS = ("", "Board", *(capitalised(head) for head in boards.FITTING[3:]))


def choices() -> tuple[Value, ...]:
    """Boards to choose from, each with its figures and who tells them."""
    none = Value(NO_BOARD, None, "accelerator, memories and limit are asked for one by one")
    return (none, *(Value(each.title, each.name, figures_text(each)) for each in targets.BOARDS))


def figures_text(board: targets.Board) -> str:
    """Each figure of a board in a line, with its source."""
    lines = (f"{what}: {value} ({source})" for _, what, value, source in boards.figures_of(board))
    return "\n".join(lines)


def board_of(settings: Settings) -> targets.Board | None:
    """The board that settings ask for, if it is one."""
    return next((each for each in targets.BOARDS if settings.on(each) == settings), None)


def assumed_text(board: targets.Board | None) -> str:
    """What of a board nobody tells."""
    if board is None:
        return ""
    return f"assumed: {', '.join(board.assumed)}" if board.assumed else "all figures are public"


def on_board(document: Document, board: targets.Board) -> Document:
    """The document that asks for a board."""
    return document.with_settings(document.settings.on(board))


def in_project(settings: Settings, project: targets.Project) -> Settings:
    """The settings for the target of a project; what it does not say is the accelerator's."""
    told = project.target
    own = tuple(map(str, project.configs))
    kept = tuple(path for path in settings.configs if path not in own)
    limit = told.get("arena_cache_size")
    return replace(
        settings,
        accelerator=told["accelerator_config"],
        system_config=told.get("system_config"),
        memory_mode=told.get("memory_mode"),
        configs=(*kept, *own),
        limit_bytes=None if limit is None else parse_size(limit),
    )


def fit_rows(fits: tuple[boards.BoardFit, ...]) -> tuple[tuple[object, ...], ...]:
    """A row for each board, under `FIT_HEADERS`."""
    return tuple((each.row[0], each.board.title, *each.row[3:]) for each in fits)


def verdict_text(fits: tuple[boards.BoardFit, ...]) -> str:
    """On how many boards it fits."""
    fitting = sum(each.holds for each in fits)
    return f"Fits {fitting} of {len(fits)} boards; schedules are those of the direct search."
