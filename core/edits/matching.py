"""Which operators of one schedule are those of another: by names, shapes and kernels, in order."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import product

import numpy as np
import numpy.typing as npt

from core.base.frozen import Frozen
from core.edits.told import Sign

_Ints = npt.NDArray[np.int64]
_Truths = npt.NDArray[np.bool_]
_NAME, _SHAPE, _SEEN = 4, 2, 1
"""What speaks for a pair: equal names, an equal shape of the output, equal input and kernel."""


class Matching(Frozen):
    """Pairs of operators by their places."""

    pairs: tuple[tuple[int, int], ...]
    """In the order of the first."""
    ambiguous: frozenset[int]
    """Places in the first of those for which another pair would be as good."""


def match(theirs: Sequence[Sign], ours: Sequence[Sign]) -> Matching:
    """The pairs, in one order on both sides, that are most like each other all together; and those
    beside them that no others have the names or are the like of, wherever they run."""
    if not theirs or not ours:
        return Matching(pairs=(), ambiguous=frozenset())
    worth = _worth(theirs, ours)
    before, behind = _best(worth), _best(worth[::-1, ::-1])[::-1, ::-1]
    through = before[:-1, :-1] + worth + behind[1:, 1:]
    is_best = (through == before[-1, -1]) & (worth > 0)
    pairs = _pairs(is_best, worth, before)
    in_rows, in_columns = is_best.sum(axis=1), is_best.sum(axis=0)
    known = (*pairs, *_elsewhere(theirs, ours, worth, pairs))
    return Matching(
        pairs=tuple(sorted((*known, *_alike(worth, known)))),
        ambiguous=frozenset(
            one for one, other in pairs if in_rows[one] > 1 or in_columns[other] > 1
        ),
    )


def _elsewhere(
    theirs: Sequence[Sign],
    ours: Sequence[Sign],
    worth: _Ints,
    pairs: Sequence[tuple[int, int]],
) -> Iterator[tuple[int, int]]:
    """Of what has no pair, those that run in another order and are alone in having their names."""
    known = {one for one, _ in pairs}, {other for _, other in pairs}
    left = [
        [(at, (sign.name, sign.made)) for at, sign in enumerate(signs) if at not in own]
        for signs, own in zip((theirs, ours), known, strict=True)
    ]
    counts = [Counter(name for _, name in side) for side in left]
    places = {name: at for at, name in left[1]}
    for at, name in left[0]:
        is_alone = counts[0][name] == counts[1][name] == 1
        if any(name) and is_alone and worth[at, places[name]] > 0:
            yield at, places[name]


def _alike(worth: _Ints, pairs: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Of what still has no pair, those of which no other on either side has shapes and kernel.

    Compiled files have no names of what is between inputs and outputs.
    """
    is_like = worth >= 1 + _SHAPE + _SEEN
    is_alone = (is_like.sum(axis=1) == 1)[:, None] & (is_like.sum(axis=0) == 1)[None, :]
    for one, other in pairs:
        is_like[one, :] = is_like[:, other] = False
    for one, other in np.argwhere(is_like & is_alone):
        yield int(one), int(other)


def _worth(theirs: Sequence[Sign], ours: Sequence[Sign]) -> _Ints:
    """How much each two are alike; nothing where they cannot be the same."""

    def equal(of: Callable[[Sign], Sequence[Hashable]]) -> _Truths:
        """Where one of the things that both are known by is the same."""
        numbers: dict[Hashable, int] = {}
        found = np.zeros((len(theirs), len(ours)), dtype=np.bool_)
        for rows, columns in product(_columns(theirs, of, numbers), _columns(ours, of, numbers)):
            found |= rows[:, None] == columns[None, :]
        return found

    is_named = equal(lambda sign: (sign.made,)) | equal(lambda sign: (sign.name,))
    is_made = equal(lambda sign: sign.ofm)
    is_seen = equal(lambda sign: sign.ifm) & equal(lambda sign: (sign.kernel,))
    is_possible = equal(lambda sign: tuple(map(math.prod, sign.ofm)))
    is_possible &= equal(lambda sign: (sign.has_weights,))
    worth: _Ints = 1 + _NAME * is_named + _SHAPE * is_made + _SEEN * is_seen
    return np.where(is_possible, worth, 0)


def _columns(
    signs: Sequence[Sign], of: Callable[[Sign], Sequence[Hashable]], numbers: dict[Hashable, int]
) -> list[_Ints]:
    """The first things by which all are known, the second, and so on, as numbers."""
    rows = [of(sign) for sign in signs]
    return [
        np.array(
            [numbers.setdefault(row[min(at, len(row) - 1)], len(numbers)) for row in rows],
            dtype=np.int64,
        )
        for at in range(max(map(len, rows)))
    ]


def _best(worth: _Ints) -> _Ints:
    """The most that pairs of the first so many on both sides are worth."""
    rows, columns = worth.shape
    best = np.zeros((rows + 1, columns + 1), dtype=np.int64)
    for at in range(rows):
        taken = np.where(worth[at] > 0, best[at, :-1] + worth[at], 0)
        best[at + 1, 1:] = np.maximum.accumulate(np.maximum(best[at, 1:], taken))
    return best


def _pairs(is_best: _Truths, worth: _Ints, before: _Ints) -> tuple[tuple[int, int], ...]:
    """One way to have the most; the first of those that are as good."""
    found: list[tuple[int, int]] = []
    at, have = 0, 0
    for one in range(len(worth)):
        for other in np.flatnonzero(is_best[one, at:]) + at:
            if before[one, other] == have:
                found.append((one, int(other)))
                at, have = int(other) + 1, have + int(worth[one, other])
                break
    return tuple(found)
