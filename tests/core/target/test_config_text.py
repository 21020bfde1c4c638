"""What is written of systems and memory modes is read back as it was."""

from __future__ import annotations

import pytest

from core.base.frozen import replace
from core.target.config import load
from core.target.config_text import config_text
from core.target.target import Port

PRESETS = load()
MODES = [PRESETS.memory_mode(name) for name in PRESETS.memory_modes]


@pytest.mark.parametrize("name", PRESETS.system_configs)
@pytest.mark.parametrize("cycles", [None, 0, 93])
def test_systems_and_modes_come_back(name, cycles, tmp_path):
    system = replace(PRESETS.system_config(name), name="Mine", command_cycles=cycles)
    ini = tmp_path / "mine.ini"
    ini.write_text(
        config_text(
            system,
            MODES,
            ["How it came", "", "% and # of it", "a name\n[System_Config.Other]\nx=1"],
        ),
        "utf-8",
    )
    again = load([ini])
    assert again.system_config("Mine") == system
    assert [again.memory_mode(mode.name) for mode in MODES] == MODES


def test_a_port_that_no_mode_uses_has_no_figures(tmp_path):
    mode = next(each for each in MODES if each.constants is each.arena is Port.AXI0)
    system = PRESETS.system_config("Ethos_U55_High_End_Embedded", {Port.AXI0})
    text = config_text(system, [mode])
    assert "Sram_clock_scale" in text
    assert "OffChipFlash_" not in text
    ini = tmp_path / "mine.ini"
    ini.write_text(text.replace("Ethos_U55_High_End_Embedded", "Mine"), "utf-8")
    assert load([ini]).system_config("Mine", {Port.AXI0}) == replace(system, name="Mine")
