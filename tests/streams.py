"""Sizes of weight streams, which are worked out once for all tests of a process.

Searches of the same few networks, each on a workbench of its own, are most of what tests do, and
a twelfth of their time went into sizes of streams that were known. What is remembered goes by the
weights in the order in which they are read, below all that a workbench remembers by itself: what
that confuses is found as before. Tests of the stage ask it each time.
"""

from __future__ import annotations

from hashlib import blake2b

import pytest

from core.weights import encode
from core.weights.stream import stream_sizes


@pytest.fixture
def sizes_are_worked_out_anew(monkeypatch):
    monkeypatch.setattr(encode, "stream_sizes", stream_sizes)


def remember_sizes() -> None:
    known = {}

    def remembered(weights, effort=encode.Effort.FAST, where=""):
        keys = [(effort, blake2b(part, digest_size=16).digest()) for part in weights]
        new = {key: part for key, part in zip(keys, weights, strict=True) if key not in known}
        if new or not keys:
            known.update(zip(new, stream_sizes(list(new.values()), effort, where), strict=True))
        return tuple(known[key] for key in keys)

    encode.stream_sizes = remembered
