"""Runs are noted once, bounded, and lost last where the user has marked them."""

from __future__ import annotations

from core.base.frozen import replace
from gui.document.document import Document, ModelRef
from gui.document.runs import MOST_RUNS, Runs, Settled, is_dominated
from gui.document.session import Session, decode, encode
from tests.settings import settings_with

MODEL = ModelRef(path="/models/one.tflite", digest="1")


def run(limit, *, cycles=100.0, fast_bytes=None, excess=0, model=MODEL, **more):
    return Settled(
        document=Document(model=model, settings=settings_with(limit_bytes=limit)),
        when=f"2026-01-01 00:00:{limit % 60:02}",
        label=f"limit {limit}",
        cycles=cycles,
        fast_bytes=limit if fast_bytes is None else fast_bytes,
        evicted_bytes=0,
        excess_bytes=excess,
        **more,
    )


def test_a_document_is_one_run_whose_figures_are_the_latest():
    first = run(10, name="mine", is_starred=True)
    again = replace(run(10, cycles=90.0), when="later", label="undo")
    (found,) = Runs((first,)).with_run(again).entries
    assert found == replace(first, cycles=90.0)


def test_the_oldest_go_first_and_marked_ones_last():
    runs = Runs()
    for limit in range(2 * MOST_RUNS):
        runs = runs.with_run(run(limit, is_starred=limit == 3, name="x" if limit == 5 else ""))
    limits = [each.document.settings.limit_bytes for each in runs.entries]
    assert limits == [3, 5, *range(MOST_RUNS + 2, 2 * MOST_RUNS)]


def test_the_latest_of_a_model_comes_first():
    other = ModelRef(path="/models/two.tflite", digest="2")
    runs = Runs((run(1), run(2, model=other), run(3)))
    found = runs.of_model(Document(model=MODEL))
    assert [each.document.settings.limit_bytes for each in found] == [3, 1]


def test_what_another_beats_on_the_same_board_is_dominated():
    best, worse, other = run(10, cycles=5.0), run(20, cycles=6.0), run(30, cycles=4.0)
    runs = (best, worse, other)
    assert [is_dominated(each, runs) for each in runs] == [False, True, False]
    assert not is_dominated(best, (best, replace(best, name="the same")))
    elsewhere = replace(worse.document, settings=settings_with(accelerator="ethos-u55-32"))
    assert not is_dominated(replace(worse, document=elsewhere), (best, worse))


def test_sessions_keep_runs_and_say_their_settings_once():
    runs = tuple(run(limit, name="a name", is_starred=limit == 2) for limit in range(MOST_RUNS))
    text = encode(Session(runs=runs))
    assert decode(text).runs == runs
    assert len(text) - len(encode(Session())) < 1_500 * MOST_RUNS
    old = "\n".join(line for line in text.splitlines() if not line.startswith('"runs"'))
    assert "runs" in text
    assert old != text
