"""Progress on a terminal, for programs and in a log, against a clock that the test moves."""

from __future__ import annotations

import json

from core.report.json_forms.stamp import stamp
from core.report.progress_line import ProgressJson, ProgressLine, StageTimes


class Watched:
    """A progress line, its clock, and what it wrote."""

    def __init__(self, kind: type[ProgressLine | ProgressJson] = ProgressLine) -> None:
        self.now = 100.0
        self.written: list[str] = []
        self.line = kind(self.written.append, lambda: self.now)

    def at(self, now: float, stage: str, done: int, total: int) -> None:
        self.now = 100.0 + now
        self.line.advance(stage, done, total)


def test_what_is_over_within_a_second_says_nothing():
    watched = Watched()
    for step in range(99):
        watched.at(step / 100, "lower", step, 100)
    watched.line.clear()
    assert watched.written == []


def test_a_terminal_has_one_line_that_leaves_nothing_behind():
    watched = Watched()
    watched.at(1.0, "propose", 1, 4)
    watched.at(1.05, "propose", 2, 4)
    watched.at(1.2, "fit", 3, 4)
    watched.line.clear()
    watched.line.clear()
    assert watched.written == ["\rpropose 25 %", "\rfit 75 %    ", "\r        \r"]


def test_every_character_of_a_longer_line_is_wiped():
    watched = Watched()
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


def test_programs_get_a_line_of_json_for_each_stage_and_few_while_it_lasts():
    watched = Watched(ProgressJson)
    for step in range(31):
        watched.at(step / 100, "search" if step < 30 else 'a "name"', step, 30)
    lines = [json.loads(line) for line in watched.written]
    assert [line["progress"] for line in lines] == ["search"] * 3 + ['a "name"']
    assert lines[0] == {
        **stamp("progress"),
        "progress": "search",
        "done": 0,
        "total": 30,
    }
    assert all(text.endswith("}\n") for text in watched.written)


def test_the_time_of_a_stage_is_told_when_the_next_begins():
    now, told, passed = [0.0], [], Watched()
    times = StageTimes(lambda *each: told.append(each), lambda: now[0], passed.line)
    for now[0], stage in ((1.0, "read"), (2.0, "read"), (3.0, "search"), (7.0, "search")):
        times.advance(stage, 1, 2)
    assert told == [("read", 2.0)]
    times.end()
    times.end()
    assert told == [("read", 2.0), ("search", 4.0)]


def test_a_stage_without_steps_divides_by_nothing():
    watched = Watched()
    watched.at(2.0, "search", 0, 0)
    assert watched.written == ["\rsearch 0 %"]
