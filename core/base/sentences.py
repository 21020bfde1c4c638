"""How a sentence is made of its parts."""

from __future__ import annotations


def capitalised(text: str) -> str:
    """A text as a sentence begins; what follows keeps its case, as names must."""
    return text[:1].upper() + text[1:]
