"""What is attacked: how an input of a kind is damaged, and what reads it."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple


class Kind(NamedTuple):
    """One kind of input; what it is made from is drawn first, then how it is damaged."""

    suffix: str
    base: Callable[[Random], Any]
    damaged: Callable[[Any, Random], bytes]
    use: Callable[[Any, bytes, Random], None]
    """Does with it all that a user can; a CoreError refuses it, and Inconsistent is a finding."""


class Inconsistent(Exception):  # noqa: N818 - said of a result
    """Something was made of an input, and it is not what the input says."""
