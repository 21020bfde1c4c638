"""Boards as tables: what is known of them and who tells it, and on which of them a model fits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from core.base.errors import CoreError
from core.base.frozen import Frozen
from core.base.harmless import markdown_text
from core.base.sentences import capitalised
from core.ir.scheduled import Scheduled
from core.ir.together import Together
from core.report.board_error import error_text, measured_on
from core.report.judgements import Judgement, verdict
from core.report.review import Review
from core.report.reviews import fits
from core.report.tables import Listing, Row
from core.report.together import verdicts
from core.report.words import kib_text, seconds_text
from core.target.boards import BOARDS, OTHERS, Board

_KNOWN = ("board", "NPU", "MHz", "memories", "memory mode", "SRAM", "estimate off", "assumed")
FITTING = ("", "model", "board", "fast storage", "of", "cycles", "a run", "assumed")
FIGURES = ("board", "figure", "value", "source")


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
            error_text(found) if (found := measured_on(board.name)) else None,
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
    rows = [row for board in BOARDS for row in figures_of(board)]
    lines = (f"| {' | '.join(map(markdown_text, map(str, row)))} |" for row in rows)
    return (
        "# Boards\n\n"
        "What `--board NAME` stands for, figure by figure, with who tells it. Where that is nobody,"
        " the figure is\nassumed, and each command that is told of the board says so. Where cycles"
        " were measured and published,\n`estimate off` is how far the estimate is from them.\n\n"
        f"| {' | '.join(FIGURES)} |\n{'|---' * len(FIGURES)}|\n" + "\n".join(lines) + "\n\n"
        "Boards with an Ethos-U85 are refused by their names:"
        f" {', '.join(f'`{name}`' for name in OTHERS)}.\n"
    )


def figures_of(board: Board) -> Iterator[tuple[str, str, str, str]]:
    """Each figure of a board with who tells it, under `FIGURES`."""
    told = {
        "NPU": board.accelerator,
        "MHz": board.clock,
        "memories": board.system_config,
        "memory mode": board.memory_mode,
    }
    for what, figure in told.items():
        yield board.name, what, figure.value, figure.source
    yield board.name, "SRAM", f"{board.sram_bytes:,} bytes", board.source
    if found := measured_on(board.name):
        sources = "; ".join(dict.fromkeys(each.source for each in found))
        yield board.name, "estimate off", error_text(found), sources


class BoardFit(Frozen):
    """What a model takes on a board, and whether it fits there."""

    model: str
    board: Board
    holds: bool
    found: str
    """What there is to say of it."""
    fast_bytes: int | None = None
    """None where there is no schedule."""
    cycles: float | None = None
    seconds: float | None = None

    @property
    def row(self) -> Row:
        """Under `FITTING`."""
        return (
            "fits" if self.holds else "FAILS",
            self.model,
            self.board.name,
            None if self.fast_bytes is None else kib_text(self.fast_bytes),
            kib_text(self.board.sram_bytes),
            None if self.cycles is None else f"{self.cycles:,.0f}",
            None if self.seconds is None else seconds_text(self.seconds),
            ", ".join(self.board.assumed) or None,
        )


def fit_of(
    names: Sequence[str],
    board: Board,
    answer: Sequence[Scheduled] | CoreError,
    together: Together | None = None,
) -> BoardFit:
    """Schedules of models in one device on a board, each run once, or why there are none."""
    name = " + ".join(names)
    if isinstance(answer, CoreError):
        return BoardFit(model=name, board=board, holds=False, found=str(answer))
    held = fits(name, answer[0])
    return BoardFit(
        model=name,
        board=board,
        holds=held.holds if together is None else together.fits,
        found=held.found if together is None else "; ".join(verdicts(together)),
        fast_bytes=answer[0].fast_bytes if together is None else _peak(answer[0], together),
        cycles=sum(each.total.total_cycles for each in answer),
        seconds=sum(each.total.seconds for each in answer),
    )


def _peak(scheduled: Scheduled, together: Together) -> int:
    return together.peak_bytes(scheduled.layout.fast_area.area)


def review_of(tried: Sequence[BoardFit]) -> Review:
    """On which boards models fit: those where they do not come first."""
    judged = tuple(
        Judgement(
            model=each.model, limit=f"fits {each.board.name}", holds=each.holds, found=each.found
        )
        for each in tried
    )
    return Review(
        headline=capitalised(f"boards: {verdict(judged)}"),
        judged=judged,
        tables=(("What it takes there", listing_of(tried)),),
    )


def fitting(tried: Iterable[BoardFit]) -> tuple[BoardFit, ...]:
    """Model by model the boards where it fits, the fastest first, and then the others."""
    return tuple(
        sorted(tried, key=lambda each: (each.model, not each.holds, each.seconds or float("inf")))
    )


def listing_of(tried: Iterable[BoardFit]) -> Listing:
    """What models take on boards as a table."""
    return Listing(FITTING, [each.row for each in fitting(tried)])
