"""Of very many rectangles nothing is lost, and none costs more than its pixels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.present.lod import MOST_UNMERGED, Field, Viewport, merged, runs
from gui.present.rects import Rects, empty_rects


def rects_of(starts, ends, rows, inks=None):
    count = len(starts)
    row = np.asarray(rows, dtype=np.int32)
    return Rects(
        left=np.asarray(starts, dtype=np.float64),
        right=np.asarray(ends, dtype=np.float64),
        bottom=row.astype(np.float64),
        top=row + 0.9,
        ink=np.zeros(count, dtype=np.uint8) if inks is None else inks,
        key=np.arange(count, dtype=np.int32),
        row=row,
        inks=("MAC",),
    )


def rows_of(count, rows, seed=1, longest=20.0):
    """Rectangles beside each other in rows, with gaps of no length too."""
    random = np.random.default_rng(seed)
    each = count // rows
    starts, ends = [], []
    for _ in range(rows):
        lengths = random.exponential(longest / 2, each) * random.integers(0, 2, each)
        gaps = random.exponential(2.0, each) * random.integers(0, 2, each)
        # Eighths are exact in floating point, so that neighbours do not overlap by a rounding.
        lengths, gaps = np.round(lengths * 8) / 8, np.round(gaps * 8) / 8
        end = np.cumsum(lengths + gaps)
        starts.append(end - lengths)
        ends.append(end)
    return rects_of(np.concatenate(starts), np.concatenate(ends), np.repeat(np.arange(rows), each))


def in_sight(rects, window, margin=0.0):
    return np.flatnonzero(
        (rects.right >= window.left - margin)
        & (rects.left <= window.right + margin)
        & (rects.top >= window.bottom)
        & (rects.bottom <= window.top)
    )


WINDOWS = st.tuples(
    st.floats(0.0, 0.9), st.floats(0.001, 1.0), st.integers(0, 4), st.integers(20, 2000)
)


@pytest.fixture(scope="module", params=[500, 60_000])
def field(request):
    field = Field(rows_of(request.param, 5))
    assert (field.levels > 1) == (request.param > MOST_UNMERGED)
    return field


@given(part=WINDOWS)
def test_a_window_shows_all_that_is_in_sight_and_counts_it(field, part):
    offset, width, row, pixels = part
    end = field.rects.right.max()
    left, right = offset * end, min(offset + width, 1.0) * end
    window = Viewport(left, right, row - 0.5, row + 1.5, (right - left) / pixels)
    shown = field.visible(window)
    # One that is merged may reach over the border by a pixel.
    least, most = (
        len(in_sight(field.rects, window)),
        len(in_sight(field.rects, window, window.pixel)),
    )
    assert least <= shown.count.sum() <= most
    assert set(np.unique(shown.row)) <= {row, row + 1, row - 1}


@given(pixels=st.integers(1, 3000))
def test_everything_is_counted_once_however_coarse_the_picture(field, pixels):
    end = field.rects.right.max()
    shown = field.visible(Viewport(-1.0, end + 1.0, -1.0, 9.0, end / pixels))
    assert shown.count.sum() == field.rects.count
    narrow = shown.right - shown.left < end / pixels
    # No two narrow ones of a row begin in one pixel.
    bins = np.stack([shown.row[narrow], np.floor(shown.left[narrow] / (end / pixels))])
    assert np.unique(bins, axis=1).shape[1] == bins.shape[1]
    assert shown.size <= 2 * (pixels + 2) * 5


def test_every_pixel_with_a_rectangle_is_covered(field):
    rects, pixels = field.rects, 400
    end = rects.right.max()
    pixel = end / pixels
    shown = field.visible(Viewport(0.0, end, -1.0, 9.0, pixel))
    for row in range(5):
        mine = shown.row == row
        cover = np.zeros(pixels + 2, dtype=np.int64)
        np.add.at(cover, np.floor(shown.left[mine] / pixel).astype(int), 1)
        np.add.at(cover, np.floor(shown.right[mine] / pixel).astype(int) + 1, -1)
        starts = np.floor(rects.left[rects.row == row] / pixel).astype(int)
        assert (np.cumsum(cover)[starts] > 0).all()


def test_what_is_merged_lies_within_its_members_and_names_the_longest():
    rects = rects_of([0.0, 1.0, 4.0, 9.0], [0.5, 3.0, 4.5, 30.0], [0, 0, 0, 0])
    shown = Field(rects).visible(Viewport(0.0, 40.0, -1.0, 2.0, 8.0))
    assert shown.left.tolist() == [0.0, 9.0]
    assert shown.right.tolist() == [4.5, 30.0]
    assert shown.count.tolist() == [3, 1]
    assert shown.chosen.tolist() == [1, 3]


def test_rows_are_not_merged_with_each_other():
    rects = rects_of([0.0, 0.0], [1.0, 1.0], [0, 1])
    assert Field(rects).visible(Viewport(0.0, 9.0, -1.0, 9.0, 100.0)).size == 2


@given(
    x=st.floats(0.0, 1.0), row=st.integers(0, 4), pixels=st.sampled_from((3, 300, 40_000, 10**7))
)
def test_a_point_hits_what_is_there(field, x, row, pixels):
    rects = field.rects
    end = rects.right.max()
    x, window = x * end, Viewport(0.0, end, -1.0, 9.0, end / pixels)
    found = field.at(x, row + 0.5, window, reach_pixels=0.0)
    drawn = field.visible(window)
    there = np.flatnonzero((drawn.row == row) & (drawn.left <= x) & (drawn.right >= x))
    assert found.size == min(len(there), 1)
    if found.size:
        same = [
            at
            for at in there
            if (drawn.left[at], drawn.right[at], drawn.count[at], drawn.chosen[at])
            == (found.left[0], found.right[0], found.count[0], found.chosen[0])
        ]
        assert len(same) == 1
    if pixels == 10**7:
        alone = np.flatnonzero((rects.row == row) & (rects.left <= x) & (rects.right >= x))
        assert not len(alone) or found.size


def test_nothing_can_be_asked_too():
    field = Field(empty_rects())
    window = Viewport(0.0, 1.0, 0.0, 1.0, 0.1)
    assert field.visible(window).size == 0
    assert field.at(0.5, 0.5, window).size == 0


def test_rectangles_may_come_in_any_order():
    rects = rects_of([5.0, 0.0, 2.0], [6.0, 1.0, 3.0], [1, 0, 1])
    shown = Field(rects).visible(Viewport(0.0, 9.0, -1.0, 9.0, 0.01))
    assert shown.chosen.tolist() == [1, 2, 0]


def test_runs_bridge_small_gaps_of_one_row_only():
    level = merged(
        Field(rects_of([0, 3, 9, 9], [2, 5, 10, 10], [0, 0, 0, 1])).visible(
            Viewport(-1.0, 20.0, -1.0, 9.0, 0.1)
        ),
        0.0,
    )
    left, right, first = runs(level, level.left, level.right, 1.0)
    assert left.tolist() == [0.0, 9.0, 9.0]
    assert right.tolist() == [5.0, 10.0, 10.0]
    assert first.tolist() == [0, 2, 3]


def test_a_million_are_cut_to_the_pixels_of_the_picture():
    rects = rows_of(1_000_000, 8)
    field = Field(rects)
    end = rects.right.max()
    shown = field.visible(Viewport(0.0, end, -1.0, 9.0, end / 1600))
    assert shown.count.sum() == rects.count
    assert shown.size <= 8 * 1602
