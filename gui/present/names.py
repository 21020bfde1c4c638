"""Names in fewer letters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from core.base.harmless import visible

_MOST_CHARACTERS = 48
_WORD = re.compile(r"[^\W\d_]+")
_MOST = 0.8
"""A folder that at least this share of names is in says nothing."""


def short_name(name: str) -> str:
    """A name that converters have glued together of many, or a long path, in fewer letters."""
    first, *others = visible(name).split(";")
    if len(first) > _MOST_CHARACTERS:
        half = _MOST_CHARACTERS // 2
        first = f"{first[:half]}…{first[-half:]}"
    return f"{first};…" if others else first


def abbreviated(name: str, letters: int) -> str:
    """A name whose words have so many letters at most: numbers, which tell names apart, stay."""
    return _WORD.sub(lambda word: word.group()[:letters], name)


def labels_of(names: Sequence[str]) -> tuple[str, ...]:
    """Names for tight places: without what was fused in, and without folders that most share."""
    labels = [visible(name).split(";", 1)[0] for name in names]
    while labels:
        folders = Counter(label.split("/", 1)[0] for label in labels if "/" in label)
        folder, count = folders.most_common(1)[0] if folders else ("", 0)
        if count < _MOST * len(labels):
            break
        labels = [label.removeprefix(f"{folder}/") for label in labels]
    return tuple(labels)
