"""Does again what was found.

    python -m tests.fuzz replay FILE|KIND-SEED ...

A file has to have the name that it was written with, which says its kind and its number.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.fuzz.kinds import KINDS
from tests.fuzz.watched import Case, Ending, ending_of


def replayed(name: str) -> Ending:
    """How a case ends, from its file or from its kind and number."""
    path = Path(name)
    kind, _, number = path.stem.partition("-")
    if kind not in KINDS or not number.isdigit():
        raise SystemExit(f"{name}: no case has this name; one of {', '.join(KINDS)} and a number")
    case = Case(kind, KINDS[kind], int(number))
    return ending_of(case, path.read_bytes() if path.exists() else case.data())


def main(arguments: list[str]) -> int:
    found = False
    for name in arguments:
        ending = replayed(name)
        found |= ending.is_finding
        print(f"{name}: {ending.word} {ending.text}".rstrip())
    if not arguments:
        print("usage: python -m tests.fuzz replay FILE|KIND-SEED ...", file=sys.stderr)
        return 2
    return 1 if found else 0
