"""Random numbers and weights of the builder: their promises, and that nothing else decides them."""

from __future__ import annotations

import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.synth.draws import Draws

SEEDS = st.integers(0, 2**32)


@given(SEEDS, st.integers(-50, 50), st.integers(0, 100))
def test_numbers_stay_within_their_bounds(seed, low, extent):
    draws = Draws(seed)
    assert {draws.integer(low, low + extent) for _ in range(50)} <= {*range(low, low + extent + 1)}
    values = draws.uniform((40, 3), low, low + extent + 1)
    assert values.shape == (40, 3)
    assert values.min() >= low
    assert values.max() < low + extent + 1


def test_the_stream_is_that_of_the_raw_generator():
    raw = np.random.PCG64(np.random.SeedSequence((9,))).random_raw(4)
    assert Draws(9).uniform((4,)).tolist() == [int(each) // 2**11 / 2**53 for each in raw]


@given(SEEDS)
def test_a_seed_says_it_all(seed):
    assert np.array_equal(Draws(seed).uniform((9,)), Draws(seed).uniform((9,)))
    assert not np.array_equal(Draws(seed).uniform((9,)), Draws(seed, 1).uniform((9,)))


@given(SEEDS, st.integers(1, 40))
def test_shuffling_loses_nothing(seed, count):
    assert sorted(Draws(seed).shuffled(count)) == list(range(count))


def test_every_choice_is_picked_about_as_often():
    draws = Draws(4)
    picked = [draws.pick("abc") for _ in range(3000)]
    assert all(900 < picked.count(letter) < 1100 for letter in "abc")
    assert 650 < sum(draws.chance(0.25) for _ in range(3000)) < 850


@pytest.mark.parametrize(("shape", "axis"), [((24, 3, 3, 16), 0), ((1, 5, 5, 64), 3)])
def test_weights_are_clustered_like_trained_ones(shape, axis):
    weights = Draws(8).clustered(shape, axis)
    assert weights.shape == shape
    channels = np.moveaxis(weights, axis, 0).reshape(shape[axis], -1)
    assert (np.abs(channels).max(axis=1) == 127).all(), "each channel's scale is used to the full"
    assert len(np.unique(np.abs(weights))) <= 16
    assert 0.05 < (weights == 0).mean() < 0.2
    assert 0.4 < (weights > 0).mean() / (weights != 0).mean() < 0.6
    stored = weights.astype(np.int8).tobytes()
    assert len(zlib.compress(stored, 9)) < 0.75 * len(stored)
