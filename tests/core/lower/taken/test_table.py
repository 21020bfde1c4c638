"""Who takes which operator: the two cores of the ecosystem's compiler, and we.

`pytest FILE --update-goldens` writes the page; where REEFPOINT_PEER names an interpreter with that
compiler, its answers are asked for anew.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from core.base.frozen import Frozen
from core.ir.options import LoweringOptions
from core.lower.run import run
from core.target.registry import accelerator_named
from core.tflite.writer import write
from tests.core.lower.taken import ask_peer
from tests.core.lower.taken.left import LEFT
from tests.core.lower.taken.variants import VARIANTS
from tests.core.peer import NEEDS_PEER, VARIABLE, peer_python

PAGE = Path(__file__).parents[4] / "resources" / "operators.md"
HEAD = """# Operators: who takes them

Each row is a network of one operator for ethos-u55-256: whether the ecosystem's compiler (5.2.0),
with its older and with its newer core, has it on the NPU, and whether we do. Where it does and we
do not, it is said why. The networks are in `tests/core/lower/taken/variants.py`; the page is
written and held by `test_table.py` there.

| operator | form | older core | newer core | Reefpoint | why not |
|---|---|---|---|---|---|
"""


class Row(Frozen, kw_only=False):
    """Who takes an operator."""

    older: str
    newer: str
    ours: str

    @property
    def is_behind(self) -> bool:
        """Whether the other compiler has it on the NPU, and we do not."""
        return self.ours != "NPU" and "NPU" in (self.older, self.newer)


def ours(name: str) -> str:
    graph = run(VARIANTS[name].network, accelerator_named("ethos-u55-256"), LoweringOptions())
    return "CPU" if graph.rejections else "NPU"


def read() -> dict[str, Row]:
    """The page as it is."""
    rows = {}
    for line in PAGE.read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if f"{cells[0]}: {cells[1] if cells[1:] else ''}" in VARIANTS:
            rows[f"{cells[0]}: {cells[1]}"] = Row(*cells[2:5])
    return rows


def render(rows: Mapping[str, Row]) -> str:
    lines = []
    for name in sorted(rows):
        kind, what = name.split(": ", 1)
        row = rows[name]
        cells = (kind, what, row.older, row.newer, row.ours, LEFT.get(name, ""))
        lines.append(f"| {' | '.join(cells)} |".replace("  |", " |"))
    return HEAD + "\n".join(lines) + "\n"


def asked(folder: Path) -> dict[str, Row]:
    """What the other compiler says now."""
    names = list(VARIANTS)
    for number, name in enumerate(names):
        (folder / f"{number}.tflite").write_bytes(write(VARIANTS[name].network))
    command = [peer_python(), ask_peer.__file__, str(folder)]
    said = json.loads(subprocess.run(command, check=True, capture_output=True, cwd=folder).stdout)
    older, newer = said["legacy"], said["regor"]
    return {
        name: Row(older[str(number)], newer[str(number)], ours(name))
        for number, name in enumerate(names)
    }


def test_the_page_says_what_we_take(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    if request.config.getoption("--update-goldens"):
        is_there = bool(os.environ.get(VARIABLE))
        known = {} if is_there else read()
        rows = asked(tmp_path) if is_there else {}
        rows |= {n: Row(row.older, row.newer, ours(n)) for n, row in known.items()}
        PAGE.write_text(render(rows), "utf-8", newline="\n")
    rows = read()
    assert rows.keys() == VARIANTS.keys()
    now = {name: Row(row.older, row.newer, ours(name)) for name, row in rows.items()}
    assert PAGE.read_text("utf-8") == render(now)


def test_whatever_the_other_compiler_has_on_the_npu_we_have_or_say_why_not() -> None:
    assert {name for name, row in read().items() if row.is_behind} == LEFT.keys()


@pytest.mark.parametrize("_", [pytest.param(None, marks=NEEDS_PEER, id="peer")])
def test_the_page_says_what_the_other_compiler_takes(_: None, tmp_path: Path) -> None:
    assert read() == asked(tmp_path)
