"""Config files of systems and memory modes, all the way to a target."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path
from random import Random

from core.api import targets
from core.base.errors import CoreError
from core.target.config import PRESETS
from tests.fuzz.damage import damaged_text
from tests.fuzz.kind import Kind

TARGETS = 6
"""So many are tried of all that a file allows."""


def _base(_: Random) -> str:
    return PRESETS.read_text("utf-8")


def _damaged(text: str, random: Random) -> bytes:
    """Some of the sections, so that what is damaged is also looked at."""
    sections = text.split("\n[")
    chosen = random.sample(sections[1:], random.randint(1, len(sections) - 1))
    return damaged_text("[" + "\n[".join(chosen), random)


def _use(__: str, data: bytes, random: Random) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "of_a_board.ini"
        path.write_bytes(data)
        catalogue = targets.load_configs((path,))
        for _ in range(TARGETS):
            system = random.choice(catalogue.system_configs)
            mode = random.choice(catalogue.memory_modes)
            with suppress(CoreError):
                targets.resolve_target("ethos-u65-256", system, mode, config_files=(path,))


KIND = Kind("ini", _base, _damaged, _use)
