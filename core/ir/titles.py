"""Short names: what people call operators and maps of one network.

A title is the number, the kind, and the part of the name that tells most: `31 conv2d · add_29`.
Files glue names together of all that was fused, in paths whose folders they share, so that their
beginnings and their ends are alike. A map has the number of the operator that makes it. No two
titles of a network are the same.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from core.base.frozen import Frozen
from core.base.harmless import visible
from core.base.ids import FmId, NpuOpId
from core.ir.layout import Placement, Purpose

BETWEEN = " · "
"""Stands before the part of the name: without what follows it, a title still tells what it is."""
_FUSED = ";"
_FOLDER = "/"
GAP = "…"
_DIGITS = "0123456789"
_MOST_LETTERS = 24
_NUMBERED = re.compile(r"[a-z ]+ (\d+)(?:: output)?")
_BEFORE_KIND = re.compile(r"(?:CPU )?\d+ ")
_MODULE = re.compile(r"(?:[A-Za-z_]+\.)+(?=[A-Za-z_])")
"""Where a layer's class is from, as in `tf.math.add`."""


class Titles(Frozen):
    """The titles of one network, by number."""

    ops: tuple[str, ...]
    maps: tuple[str, ...]
    cpu_ops: tuple[str, ...]
    op_parts: tuple[str, ...]
    """By operator: what its name has that tells most."""
    cpu_parts: tuple[str, ...]

    def op(self, number: NpuOpId) -> str:
        """An operator of the accelerator."""
        return self.ops[number]

    def map(self, number: FmId) -> str:
        """A feature map, or a constant."""
        return self.maps[number]

    def place(self, place: Placement) -> str:
        """Bytes that have an address: whose they are, and what; of several maps, by the first."""
        if place.fms:
            more = len(place.fms) - 1
            return self.maps[place.fms[0]] + (f" and {more} more" if more else "")
        if place.op is None:
            return place.name
        if place.purpose is Purpose.TABLE:
            what = "table"
        elif place.region.is_permanent:
            what = "weights"
        else:
            what = f"weight buffer{' 2' if place.buffer else ''}"
        part = self.ops[place.op].partition(BETWEEN)[2]
        return BETWEEN.join(filter(None, (f"{place.op} {what}", part)))


class Called(Frozen, kw_only=False):
    """What a title is made of: `31 conv2d`, and the whole name."""

    head: str
    name: str

    @property
    def is_told_by_head(self) -> bool:
        """Whether a name is the same again, or a kind with its number: streams show no other."""
        own = _NUMBERED.fullmatch(self.name)
        number = self.head.partition(" ")[0]
        return self.name == self.head or (own is not None and own[1] == number)

    def with_part(self, part: str) -> str:
        """The title; a part that says the kind once more is left out."""
        kind = _BEFORE_KIND.sub("", self.head, count=1)
        is_kind = part.replace("_", " ").casefold() == kind.casefold()
        if self.is_told_by_head or is_kind or not part:
            return self.head
        return f"{self.head}{BETWEEN}{part}"


def titles_of(ops: Sequence[Called], maps: Sequence[Called], cpu_ops: Sequence[Called]) -> Titles:
    """The titles of all operators and maps of a network."""
    every = (*ops, *maps, *cpu_ops)
    parts = telling([called.name for called in every])
    told = unlike(called.with_part(part) for called, part in zip(every, parts, strict=True))
    first_map, first_cpu = len(ops), len(ops) + len(maps)
    return Titles(
        ops=told[:first_map],
        maps=told[first_map:first_cpu],
        cpu_ops=told[first_cpu:],
        op_parts=parts[:first_map],
        cpu_parts=parts[first_cpu:],
    )


def telling(names: Sequence[str]) -> tuple[str, ...]:
    """Of each name the part that the fewest others have; of several such the last."""
    paths = {name: _path(name) for name in names}
    shared = Counter(part for parts in paths.values() for part in set(parts))

    def told(name: str) -> str:
        parts = paths[name]
        return _short(min(reversed(parts), key=shared.__getitem__)) if parts else ""

    found = {name: told(name) for name in paths}
    return tuple(found[name] for name in names)


def _path(name: str) -> tuple[str, ...]:
    """The parts of a name; of one that was glued together, those of the first."""
    fused = filter(None, visible(name).split(_FUSED))
    return tuple(part for part in next(fused, "").split(_FOLDER) if part)


def _short(part: str) -> str:
    """A part without the module it is from; a long one loses its middle, as its number is last."""
    return shortened(_MODULE.sub("", part, count=1), _MOST_LETTERS)


def shortened(words: str, letters: int) -> str:
    """Words without their middle, so that their beginning and their end tell them apart.

    No number ends at the gap, where it would be taken for a whole one.
    """
    if len(words) <= letters:
        return words
    end = (letters - 1) // 2
    head, tail = words[: letters - 1 - end], words[len(words) - end :]
    return f"{head.rstrip(_DIGITS)}{GAP}{tail.lstrip(_DIGITS)}"


def unlike(texts: Iterable[str]) -> tuple[str, ...]:
    """The texts, of which those that are there already get a number."""
    return tuple(_numbered(texts))


def _numbered(texts: Iterable[str]) -> Iterator[str]:
    seen: Counter[str] = Counter()
    for text in texts:
        told = text
        while seen[told]:
            seen[text] += 1
            told = f"{text} ({seen[text]})"
        seen[told] = 1
        yield told
