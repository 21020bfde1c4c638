"""One case at a time, with an eye on what it takes and on how it ends."""

from __future__ import annotations

import resource
import signal
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import NamedTuple

from core.base.errors import CoreError
from tests.fuzz.kind import Inconsistent, Kind

MOST_CPU_SECONDS = 20
"""What other work on the machine takes does not count."""
MOST_SECONDS = 200
"""For a case that waits for something that does not come."""
MOST_MIB = 512
"""That the process may grow by, beyond what it has ever taken."""
MOST_ADDRESSES_MIB = 4096
"""More is a failure to allocate."""
_KIB = 1024


class Case(NamedTuple):
    """All of it follows from the kind and the seed."""

    name: str
    kind: Kind
    seed: int

    def data(self) -> bytes:
        """The damaged input."""
        random = self._random("made")
        return self.kind.damaged(self._base(), random)

    def run(self, data: bytes) -> None:
        """What a user would do with the input."""
        self.kind.use(self._base(), data, self._random("used"))

    def _base(self) -> object:
        return self.kind.base(self._random("base"))

    def _random(self, what: str) -> Random:
        return Random(f"{self.name} {self.seed} {what}")


class Ending(NamedTuple):
    """How a case ended: accepted, refused in one line, or a finding."""

    word: str
    text: str = ""

    @property
    def is_finding(self) -> bool:
        """Whether it must not be."""
        return self.word == "finding"


class TooLong(BaseException):
    """A case has taken more time than it may."""


def ending_of(case: Case, data: bytes) -> Ending:
    """What becomes of a case."""
    before = _most_mib()
    try:
        with _limits(), warnings.catch_warnings():
            warnings.simplefilter("error")
            case.run(data)
    except CoreError as error:
        found = _of_refusal(error)
    except TooLong as error:
        found = Ending("finding", f"takes too long\n{_trace(error)}")
    except MemoryError as error:
        found = Ending("finding", f"takes too much memory\n{_trace(error)}")
    except Inconsistent as error:
        found = Ending("finding", str(error))
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
        found = Ending("finding", _trace(error))
    else:
        found = Ending("accepted")
    grown = _most_mib() - before
    if grown > MOST_MIB and not found.is_finding:
        return Ending("finding", f"takes {grown} MiB, where {MOST_MIB} are allowed")
    return found


def _of_refusal(error: CoreError) -> Ending:
    text = str(error)
    if len(text.splitlines()) != 1:
        return Ending("finding", f"refused in other than one line\n{_trace(error)}")
    return Ending("refused", text)


def _trace(error: BaseException) -> str:
    return "".join(traceback.format_exception(error))


def _most_mib() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // _KIB


@contextmanager
def _limits() -> Iterator[None]:
    """Time and addresses for what is done within."""
    handlers = {
        number: signal.signal(number, _too_long) for number in (signal.SIGALRM, signal.SIGPROF)
    }
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (_addresses_now() + (MOST_ADDRESSES_MIB << 20), hard))
    signal.setitimer(signal.ITIMER_REAL, MOST_SECONDS)
    signal.setitimer(signal.ITIMER_PROF, MOST_CPU_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _addresses_now() -> int:
    with open("/proc/self/statm") as pages:  # noqa: PTH123 - a thousand times a second
        return int(pages.read().split()[0]) * resource.getpagesize()


def _too_long(_: int, __: object) -> None:
    raise TooLong
