"""What the table of sub-commands holds."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One sub-command: its arguments, and what it does with them."""

    name: str
    text: str
    """What it does, to follow its name in a list."""
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]
    """Does it and returns the exit code."""
    takes_target: bool = True

    @property
    def sentence(self) -> str:
        """What it does, to stand alone."""
        return f"{self.text[:1].upper()}{self.text[1:]}."
