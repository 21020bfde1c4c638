"""Progress on a terminal and in a log, against a clock that the test moves."""

from __future__ import annotations

import pytest

from core.report.progress_line import ProgressLine


class Watched:
    """A progress line, its clock, and what it wrote."""

    def __init__(self, *, is_terminal: bool) -> None:
        self.now = 100.0
        self.written: list[str] = []
        self.line = ProgressLine(self.written.append, lambda: self.now, is_terminal=is_terminal)

    def at(self, now: float, stage: str, done: int, total: int) -> None:
        self.now = 100.0 + now
        self.line.advance(stage, done, total)


@pytest.mark.parametrize("is_terminal", [True, False])
def test_what_is_over_within_a_second_says_nothing(is_terminal):
    watched = Watched(is_terminal=is_terminal)
    for step in range(99):
        watched.at(step / 100, "lower", step, 100)
    watched.line.clear()
    assert watched.written == []


def test_a_terminal_has_one_line_that_leaves_nothing_behind():
    watched = Watched(is_terminal=True)
    watched.at(1.0, "propose", 1, 4)
    watched.at(1.05, "propose", 2, 4)
    watched.at(1.2, "fit", 3, 4)
    watched.line.clear()
    watched.line.clear()
    assert watched.written == ["\rpropose 25 %", "\rfit 75 %    ", "\r        \r"]


def test_every_character_of_a_longer_line_is_wiped():
    watched = Watched(is_terminal=True)
    screen = [" "] * 40
    for now, stage in ((1, "a very long stage"), (2, "short"), (3, "of some length")):
        watched.at(now, stage, 1, 2)
    watched.line.clear()
    cursor = 0
    for character in "".join(watched.written):
        if character == "\r":
            cursor = 0
        else:
            screen[cursor] = character
            cursor += 1
    assert "".join(screen).strip() == ""
    assert cursor == 0


def test_a_log_gets_few_lines():
    watched = Watched(is_terminal=False)
    for second in range(13):
        watched.at(second, "search", second, 12)
    watched.line.clear()
    assert watched.written == [
        "reefpoint: search 8 %\n",
        "reefpoint: search 50 %\n",
        "reefpoint: search 91 %\n",
    ]


def test_a_stage_without_steps_divides_by_nothing():
    watched = Watched(is_terminal=True)
    watched.at(2.0, "search", 0, 0)
    assert watched.written == ["\rsearch 0 %"]
