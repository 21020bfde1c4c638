"""Lanes as a user arranges them, and who hands what to whom."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.ids import NpuOpId
from gui.document.selection import Selection
from gui.present.timeline.arrows import arrows
from gui.present.timeline.data import timeline_data
from gui.present.timeline.dependencies import handovers
from gui.present.timeline.picks import consumer, producer
from gui.present.timeline.picture import slice_rects
from gui.present.timeline.rows import rows_of, used_tracks
from gui.present.timeline.tracks import TRACK_OF, Track, Tracks, tracks_of
from tests.gui import answers

TRACKS = st.sampled_from(Track)
ARRANGED = st.builds(
    Tracks,
    order=st.permutations(tuple(Track)).map(tuple),
    low=st.frozensets(TRACKS),
    hidden=st.frozensets(TRACKS),
    pinned=st.frozensets(TRACKS),
)


@pytest.fixture
def answer(answer_of):
    return answer_of("resnet8", limit_bytes=12_000)


@given(ARRANGED)
def test_what_is_kept_is_the_same_again(tracks):
    assert tracks_of(tracks.plain()) == tracks


@given(ARRANGED, TRACKS, TRACKS)
def test_a_lane_that_is_moved_stands_in_the_place_of_the_other(tracks, track, onto):
    moved = tracks.moved(track, onto)
    assert sorted(track.value for track in moved.order) == sorted(track.value for track in Track)
    assert moved.order.index(track) == tracks.order.index(onto)


def test_names_that_are_not_known_are_passed_over():
    kept = {"order": ["dma_in", "nobody"], "hidden": "cpu", "low": ["mac", 3]}
    found = tracks_of(kept)
    assert found.order[0] is Track.DMA_IN
    assert set(found.order) == set(Track)
    assert (found.low, found.hidden) == (frozenset({Track.MAC}), frozenset())


@given(tracks=ARRANGED)
def test_each_lane_with_something_in_it_is_in_sight_once_or_hidden(answer_once, tracks):
    data = timeline_data(answer_once)
    main, top = (rows_of(data, {}, tracks, pinned=pinned) for pinned in (False, True))
    shown = [row.track for rows in (main, top) for row in rows.all]
    assert len(shown) == len(set(shown))
    assert set(shown) == used_tracks(data) - tracks.hidden
    assert {row.track for row in top.all} <= tracks.pinned
    slices = [slice_rects(data, rows, {}) for rows in (main, top)]
    assert sorted(key for rects in slices for key in rects.key.tolist()) == [
        at
        for at, lane in enumerate(data.trace.lane.tolist())
        if TRACK_OF[lane] not in tracks.hidden
    ]


@pytest.fixture(scope="module")
def answer_once():
    return answers.answer_of("resnet8", limit_bytes=12_000)


def test_a_collapsed_lane_is_lower(answer):
    data = timeline_data(answer)
    high, low = (
        rows_of(data, {}, tracks).lanes[0]
        for tracks in (Tracks(), Tracks(low=frozenset({Track.MAC})))
    )
    assert low.bottom - low.top < high.bottom - high.top


def test_handovers_of_an_operator_are_those_of_its_maps(answer):
    graph, data = answer.scheduled.run.graph, timeline_data(answer)
    for op in graph.ops:
        picked = Selection(op=op.id)
        found = handovers(graph, picked)
        read = {graph.feature_maps[view.fm].storage for view in op.views[:-1]}
        made = graph.feature_maps[op.ofm.fm].storage
        for maker, reader in found:
            assert picked in (maker, reader)
            other = graph.ops[maker.op if reader == picked else reader.op]
            storages = {graph.feature_maps[view.fm].storage for view in other.views}
            assert storages & (read if reader == picked else {made})
        steps = {producer(graph, picked), consumer(graph, picked)} - {Selection()}
        assert steps <= {end for handed in found for end in handed}
        drawn = arrows(found, data, rows_of(data, {}))
        assert len(drawn) == len(found)
        assert all(arrow.from_x <= arrow.to_x for arrow in drawn)


def test_arrows_of_lanes_out_of_sight_are_not_drawn(answer):
    graph, data = answer.scheduled.run.graph, timeline_data(answer)
    found = handovers(graph, Selection(op=NpuOpId(1)))
    assert found
    hidden = rows_of(data, {}, Tracks(hidden=frozenset(Track)))
    assert arrows(found, data, hidden) == ()
