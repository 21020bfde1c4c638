"""Finds titles by some of their letters, the best first."""

from __future__ import annotations

from itertools import pairwise

from core.base.frozen import NamedTuple


class Match(NamedTuple):
    """How well a title has the letters of a query."""

    score: int
    positions: tuple[int, ...]
    """Where in the title the letters are."""
    is_whole: bool
    """Each word that was typed is in the title as it is."""


def match(query: str, title: str) -> Match | None:
    """Whether all letters of a query are in a title in this order; None where they are not.

    Words count as words: each is looked for on its own, so that their order does not matter.
    """
    positions: list[int] = []
    score = 0
    is_whole = True
    for word in query.lower().split():
        found = _match_word(word, title.lower())
        if found is None:
            return None
        score += found.score
        positions += found.positions
        is_whole &= found.is_whole
    # Of equally good ones the shorter title is the likelier.
    return Match(score * 100 - len(title), tuple(sorted(set(positions))), is_whole)


def _match_word(word: str, title: str) -> Match | None:
    whole = title.find(word)
    while whole > 0 and not _begins_word(title, whole):
        later = title.find(word, whole + 1)
        if later < 0:
            break
        whole = later
    if whole >= 0:
        bonus = 30 if _begins_word(title, whole) else 15
        places = tuple(range(whole, whole + len(word)))
        return Match(bonus + 5 * len(word), places, is_whole=True)
    return _scattered(word, title)


def _scattered(word: str, title: str) -> Match | None:
    """Letters apart from each other; those that begin a word are preferred."""
    for prefers_initials in (True, False):
        positions = _positions(word, title, prefers_initials=prefers_initials)
        if positions:
            initials = sum(_begins_word(title, at) for at in positions)
            followers = sum(b == a + 1 for a, b in pairwise(positions))
            spread = positions[-1] - positions[0]
            score = 4 * initials + 3 * followers - spread // 4
            return Match(score, positions, is_whole=False)
    return None


def _positions(word: str, title: str, *, prefers_initials: bool) -> tuple[int, ...]:
    """Where the letters are, one after the other; nothing if one is missing."""
    positions: list[int] = []
    for letter in word:
        begin = positions[-1] + 1 if positions else 0
        places = [at for at in range(begin, len(title)) if title[at] == letter]
        if not places:
            return ()
        initials = [at for at in places if _begins_word(title, at)]
        positions.append(initials[0] if prefers_initials and initials else places[0])
    return tuple(positions)


def _begins_word(title: str, position: int) -> bool:
    return position == 0 or not title[position - 1].isalnum()
