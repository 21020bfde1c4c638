"""What the table of sub-commands holds."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Callable

from core.base.frozen import Frozen
from core.base.sentences import capitalised


class Work(Frozen):
    """What a sub-command takes, and what it does with it."""

    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]
    """Does it and returns the exit code."""


class SubCommand(Frozen):
    """One sub-command, as the list of them shows it."""

    name: str
    text: str
    """What it does, to follow its name in a list."""
    module: str
    """Where its `WORK` is; by name, so that a command loads only what it needs itself."""
    takes_target: bool = True
    most_used: tuple[str, ...] = ()
    """Options that its short help has, beside those of most targets."""
    examples: tuple[str, ...] = ()
    """What somebody would type behind `reefpoint` and its name."""

    @property
    def sentence(self) -> str:
        """What it does, to stand alone."""
        return f"{capitalised(self.text)}."

    def load(self) -> Work:
        """Import what the command needs."""
        work = importlib.import_module(self.module).WORK
        if not isinstance(work, Work):
            raise TypeError(f"{self.module}.WORK is not one")
        return work
