"""Projects of CMSIS-Toolbox, all the way to a target."""

from __future__ import annotations

import tempfile
from pathlib import Path
from random import Random

from core.api import targets
from core.ir.settings import Settings
from core.target.config import PRESETS
from tests.core.target.test_mlops import TEXT
from tests.fuzz.damage import damaged_text
from tests.fuzz.kind import Kind

SYSTEM = "Ethos_U55_High_End_Embedded"


def _base(_: Random) -> str:
    return TEXT.replace("RTSS_HP", SYSTEM)


def _use(__: str, data: bytes, _: Random) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "app.cbuild-mlops.yml"
        path.write_bytes(data)
        ini = Path(folder) / ".cmsis" / "device_vela.ini"
        ini.parent.mkdir()
        ini.write_bytes(PRESETS.read_bytes())
        found = targets.stands_for(str(path))
        assert isinstance(found, targets.Project)
        told = found.target
        Settings(
            accelerator=told["accelerator_config"],
            system_config=told.get("system_config"),
            memory_mode=told.get("memory_mode"),
            configs=tuple(map(str, found.configs)),
        ).target()


KIND = Kind("yml", _base, damaged_text, _use)
