"""Attacks all kinds of input by turns for some time, and tells what became of the cases.

    python -m tests.fuzz [SECONDS] [--cases N] [--seed FIRST] [--kind KIND ...] [--into FOLDER]

With --cases it ends after so many of each kind, however long these take. Every case follows from
its kind and its number, so another run from the same first number begins with the same cases. What
was found is written to the folder, and can be replayed from there.
"""

from __future__ import annotations

import argparse
import faulthandler
import itertools
import math
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from tests.fuzz.kinds import KINDS
from tests.fuzz.watched import Case, Ending, ending_of

COLUMNS = ("cases", "refused", "accepted", "finding")
UNDER_WAY = "under_way.txt"
"""Names the case that took the whole process down, if one did."""
USUAL_SECONDS = 60.0
TELLS_EVERY_SECONDS = 300.0


def main(arguments: list[str]) -> int:
    asked = _parser().parse_args(arguments)
    faulthandler.enable()
    asked.into.mkdir(parents=True, exist_ok=True)
    usual = math.inf if asked.cases else USUAL_SECONDS
    seconds = usual if asked.seconds is None else asked.seconds
    counts = {name: Counter[str]() for name in asked.kind}
    start = told = time.monotonic()
    try:
        for number in itertools.islice(itertools.count(), asked.cases):
            for name, found in counts.items():
                now = time.monotonic()
                if now - start > seconds:
                    return _told(counts, asked.seed, start)
                if now - told > TELLS_EVERY_SECONDS:
                    _told(counts, asked.seed, start)
                    told = now
                ending = attacked(Case(name, KINDS[name], asked.seed + number), asked.into)
                found.update(("cases", ending.word))
    except KeyboardInterrupt:
        _told(counts, asked.seed, start)
        raise
    return _told(counts, asked.seed, start)


def _told(counts: Mapping[str, Counter[str]], first: int, start: float) -> int:
    """What became of the cases so far is printed; 1 if there are findings."""
    print(f"| kind | {' | '.join(COLUMNS)} | seeds |")
    print(f"|---|{'---|' * (len(COLUMNS) + 1)}")
    for name, found in counts.items():
        cells = " | ".join(str(found[column]) for column in COLUMNS)
        print(f"| {name} | {cells} | {first} to {first + max(found['cases'], 1) - 1} |")
    print(f"{time.monotonic() - start:.0f} seconds", flush=True)
    return 1 if any(found["finding"] for found in counts.values()) else 0


def attacked(case: Case, folder: Path) -> Ending:
    """How a case ends; a finding is told, and its input kept."""
    title = f"{case.name}-{case.seed}"
    (folder / UNDER_WAY).write_text(title, "utf-8")
    data = case.data()
    ending = ending_of(case, data)
    if ending.is_finding:
        path = folder / f"{title}.{case.kind.suffix}"
        path.write_bytes(data)
        path.with_suffix(".txt").write_text(ending.text, "utf-8")
        print(f"{path}: {ending.text.strip().splitlines()[-1]}", flush=True)
    return ending


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("seconds", type=float, nargs="?")
    parser.add_argument("--cases", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", choices=KINDS, nargs="+", default=list(KINDS))
    folder = Path(tempfile.gettempdir()) / "reefpoint-fuzz"
    parser.add_argument("--into", type=Path, default=folder)
    return parser
