"""The one family of errors that a user of the compiler can meet."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from core.base.harmless import visible

_MOST_NAMES = 100
"""That a sentence has, and that a near name is looked for among."""


class CoreError(Exception):
    """Anything that the compiler refuses to do, in one line that a user can act on."""

    def __str__(self) -> str:
        """Names in a file can go over several lines; what is said of them does not."""
        return visible(" ".join(super().__str__().splitlines()))


class InputError(CoreError):
    """A file or a network is not what it says it is; `where` is the place inside it."""

    def __init__(self, message: str, where: str = "") -> None:
        self.message = message
        self.where = where
        super().__init__(f"{where}: {message}" if where else message)


class UnsupportedOperator(CoreError):  # noqa: N818 - the design's word
    """An operator cannot be handled; `rule` is what it broke and `why` what was found."""

    def __init__(self, operator: str, rule: str, why: str) -> None:
        self.operator = operator
        self.rule = rule
        self.why = why
        super().__init__(f"{operator}: {rule} ({why})")


class DoesNotFit(CoreError):  # noqa: N818 - the design's word
    """Nothing can be produced within a limit; `culprits` are what there is no room for."""

    def __init__(self, limit_bytes: int, needed_bytes: int, culprits: Iterable[str]) -> None:
        self.limit_bytes = limit_bytes
        self.needed_bytes = needed_bytes
        self.culprits = tuple(culprits)
        super().__init__(
            f"needs {needed_bytes} bytes where {limit_bytes} are allowed"
            f" (because of {', '.join(self.culprits)})"
        )


class OptionError(CoreError):
    """An option has a value that cannot be used."""

    @classmethod
    def unknown(cls, what: str, name: str, known: Iterable[str]) -> OptionError:
        """Say that `name` is not among `known`, and which known name is nearest."""
        names = sorted(known)
        few = names[:_MOST_NAMES]
        near = difflib.get_close_matches(name, few, n=1, cutoff=0.4)
        if near:
            return cls(f"unknown {what} '{name}'; did you mean '{near[0]}'?")
        more = f" and {len(names) - len(few):,} more" if len(names) > len(few) else ""
        return cls(f"unknown {what} '{name}'; known are {', '.join(few)}{more}")


class InternalError(CoreError):
    """A promise of our own code was broken."""


@contextmanager
def about(name: str | Path) -> Iterator[None]:
    """Let errors about what is in a file begin with its name, where it has one."""
    try:
        yield
    except InputError as error:
        # A file that cannot be read has its name already.
        where = ": ".join(filter(None, dict.fromkeys((str(name), error.where))))
        raise InputError(error.message, where) from error
