"""Boards as tables: what is known of them and who tells it, and on which of them a model fits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from core.base.errors import CoreError
from core.base.harmless import markdown_text
from core.base.sentences import capitalised
from core.ir.scheduled import Scheduled
from core.report.judgements import Judgement, verdict
from core.report.review import Review
from core.report.reviews import fits
from core.report.tables import Listing
from core.report.words import kib_text, seconds_text
from core.target.boards import BOARDS, OTHERS, Board

_KNOWN = ("board", "NPU", "MHz", "memories", "memory mode", "SRAM", "assumed")
_FITTING = ("", "model", "board", "fast storage", "of", "cycles", "a run", "assumed")
_FIGURES = ("board", "figure", "value", "source")


def render_boards(boards: Sequence[Board] = BOARDS) -> str:
    """What is known of boards, for a terminal."""
    rows = [
        (
            board.name,
            board.accelerator.value,
            int(board.clock.value),
            board.system_config.value,
            board.memory_mode.value,
            kib_text(board.sram_bytes),
            ", ".join(board.assumed) or None,
        )
        for board in boards
    ]
    others = "\n".join(f"{name}: {way}" for name, way in OTHERS.items())
    return (
        f"{Listing(_KNOWN, rows).text(ends_whole=True)}\n\n"
        f"Not compiled for, as they have an Ethos-U85:\n{others}\n"
    )


def page() -> str:
    """The same with the source of each figure, as `resources/boards.md`."""
    rows = [row for board in BOARDS for row in _figures(board)]
    lines = (f"| {' | '.join(map(markdown_text, map(str, row)))} |" for row in rows)
    return (
        "# Boards\n\n"
        "What `--board NAME` stands for, figure by figure, with who tells it. Where that is nobody,"
        " the figure is\nassumed, and each command that is told of the board says so.\n\n"
        f"| {' | '.join(_FIGURES)} |\n{'|---' * len(_FIGURES)}|\n" + "\n".join(lines) + "\n\n"
        "Boards with an Ethos-U85 are refused by their names:"
        f" {', '.join(f'`{name}`' for name in OTHERS)}.\n"
    )


def _figures(board: Board) -> Iterator[tuple[str, str, str, str]]:
    told = {
        "NPU": board.accelerator,
        "MHz": board.clock,
        "memories": board.system_config,
        "memory mode": board.memory_mode,
    }
    for what, figure in told.items():
        yield board.name, what, figure.value, figure.source
    yield board.name, "SRAM", f"{board.sram_bytes:,} bytes", board.source


Tried = tuple[str, Board, Scheduled | CoreError]
"""A model by its name, a board, and the schedule there or why there is none."""


def review_of(tried: Iterable[Tried]) -> Review:
    """On which boards models fit: those where they do not come first."""
    found = tuple(tried)
    judged = tuple(_judged(*each) for each in found)
    return Review(
        headline=capitalised(f"boards: {verdict(judged)}"),
        judged=judged,
        tables=(("What it takes there", fitting(found)),),
    )


def _judged(name: str, board: Board, answer: Scheduled | CoreError) -> Judgement:
    limit = f"fits {board.name}"
    if isinstance(answer, CoreError):
        return Judgement(model=name, limit=limit, holds=False, found=str(answer))
    held = fits(name, answer)
    return Judgement(model=name, limit=limit, holds=held.holds, found=held.found)


def fitting(tried: Iterable[Tried]) -> Listing:
    """What models take on boards, the fastest first; where they do not fit, last."""
    rows = [
        (
            "fits" if fits(name, answer).holds else "FAILS",
            name,
            board.name,
            kib_text(answer.fast_bytes),
            kib_text(board.sram_bytes),
            f"{answer.total.total_cycles:,.0f}",
            seconds_text(answer.total.seconds),
            ", ".join(board.assumed) or None,
            answer.total.seconds,
        )
        for name, board, answer in tried
        if not isinstance(answer, CoreError)
    ]
    rows.sort(key=lambda row: (row[1], row[0] != "fits", row[-1]))
    return Listing(_FITTING, [row[:-1] for row in rows])
