"""Boards and chips that somebody can buy or simulate, each figure with where it is told."""

from __future__ import annotations

from collections.abc import Mapping

from core.base.errors import OptionError
from core.base.frozen import Frozen

ASSUMED = "no public figure was found: assumed"
"""The source of what nobody tells."""


class Told(Frozen, kw_only=False):
    """A figure, or the name of something, with its source."""

    value: str
    source: str = ASSUMED

    @property
    def is_assumed(self) -> bool:
        """Whether nobody tells it."""
        return self.source == ASSUMED


class Board(Frozen):
    """A board: its NPU, what is around that, and the SRAM that a network can have."""

    name: str
    title: str
    accelerator: Told
    clock: Told
    """Of the NPU, in MHz; a system config says the same."""
    system_config: Told
    """The memories at both ports: bandwidth, latency, bursts."""
    memory_mode: Told
    """That the board's software supports."""
    sram_bytes: int
    """That an application has, as far as that is told; what it needs beside the network is part."""
    source: str
    """Of that."""

    @property
    def target(self) -> Mapping[str, str]:
        """What says the same on a command line, by the names of its arguments."""
        return {
            "accelerator_config": self.accelerator.value,
            "system_config": self.system_config.value,
            "memory_mode": self.memory_mode.value,
            "arena_cache_size": str(self.sram_bytes),
        }

    @property
    def remarks(self) -> tuple[str, ...]:
        """Where what is told of it does not go together: nowhere."""
        return ()

    @property
    def assumed(self) -> tuple[str, ...]:
        """What of it is assumed, in words."""
        told = {
            "NPU": self.accelerator,
            "clock": self.clock,
            "memories": self.system_config,
            "memory mode": self.memory_mode,
            "SRAM": Told("", self.source),
        }
        return tuple(what for what, figure in told.items() if figure.is_assumed)


_ALIF_INI = "alifsemi/alif_ml-embedded-evaluation-kit, scripts/vela/ensemble_vela.ini"
_ALIF_CORES = (
    "alifsemi/sdk-alif, doc/appnotes/source/ethos_u55.rst: 256 MACs beside the high-performance"
    " core at up to 400 MHz, 128 beside the high-efficiency one at up to 160 MHz"
)
_ALIF_SRAM = (
    "alifsemi.com, RAM Regions and Linker Files in Alif Microcontrollers: {}, by part number"
)
_CMSIS = "arm-software.github.io/CMSIS-Ethos-U, FVP Ethos setup"
_SEEED = "files.seeedstudio.com, sscma/configs/vela_config.ini"
_SR100 = "integrated-circuit.com, AI MCU gets Cortex-M55 core, 18 March 2025"
_PRESET = "the ecosystem's presets"
_SHARED = Told("Shared_Sram")


def _alif_hp(name: str, title: str) -> Board:
    return Board(
        name=name,
        title=title,
        accelerator=Told("ethos-u55-256", _ALIF_CORES),
        clock=Told("400", _ALIF_CORES),
        system_config=Told("Board_Alif_HP", f"{_ALIF_INI}: RTSS_HP_SRAM_MRAM"),
        memory_mode=Told("Shared_Sram", _ALIF_INI),
        sram_bytes=4096 << 10,
        source=_ALIF_SRAM.format("SRAM0, 4096 KB at most"),
    )


def _alif_he(name: str, title: str, sram_bytes: int, source: str) -> Board:
    return Board(
        name=name,
        title=title,
        accelerator=Told("ethos-u55-128", _ALIF_CORES),
        clock=Told("160", _ALIF_CORES),
        system_config=Told("Board_Alif_HE", f"{_ALIF_INI}: RTSS_HE_SRAM_MRAM"),
        memory_mode=Told("Shared_Sram", _ALIF_INI),
        sram_bytes=sram_bytes,
        source=source,
    )


BOARDS = (
    Board(
        name="corstone-300",
        title="Corstone-300, internal SRAM",
        accelerator=Told("ethos-u55-128", f"{_CMSIS}: U55, 128 MACs"),
        clock=Told("500", _PRESET),
        system_config=Told("Ethos_U55_High_End_Embedded", _CMSIS),
        memory_mode=Told("Shared_Sram", _CMSIS),
        sram_bytes=2 << 20,
        source="Arm ML embedded evaluation kit, docs/sections/memory_considerations.md:"
        " ISRAM0 and ISRAM1, 1 MiB each",
    ),
    Board(
        name="corstone-300-u65",
        title="Corstone-300 with an Ethos-U65",
        accelerator=Told("ethos-u65-256", f"{_CMSIS}: U65, 256 MACs"),
        clock=Told("500", _PRESET),
        system_config=Told("Ethos_U65_Mid_End", _CMSIS),
        memory_mode=Told("Dedicated_Sram_384KB", _CMSIS),
        sram_bytes=384 << 10,
        source=f"{_CMSIS}: Dedicated_Sram_384KB",
    ),
    Board(
        name="corstone-310",
        title="Corstone-310, internal SRAM",
        accelerator=Told("ethos-u55-256"),
        clock=Told("500", _PRESET),
        system_config=Told("Ethos_U55_High_End_Embedded"),
        memory_mode=_SHARED,
        sram_bytes=2 << 20,
        source=ASSUMED,
    ),
    _alif_hp("alif-e7-hp", "Alif Ensemble E7, high-performance core"),
    _alif_he(
        "alif-e7-he",
        "Alif Ensemble E7, high-efficiency core",
        2560 << 10,
        _ALIF_SRAM.format("SRAM1, 2560 KB at most"),
    ),
    _alif_hp("alif-e3-hp", "Alif Ensemble E3, high-performance core"),
    _alif_he(
        "alif-e3-he",
        "Alif Ensemble E3, high-efficiency core",
        2560 << 10,
        _ALIF_SRAM.format("SRAM1, 2560 KB at most"),
    ),
    _alif_he("alif-e1", "Alif Ensemble E1", 2048 << 10, ASSUMED),
    _alif_he("alif-e1c", "Alif Ensemble E1C", 1024 << 10, ASSUMED),
    Board(
        name="psoc-edge-e84",
        title="Infineon PSOC Edge E84, system SRAM",
        accelerator=Told("ethos-u55-128"),
        clock=Told("400"),
        system_config=Told("Board_PSOC_Edge_E84"),
        memory_mode=_SHARED,
        sram_bytes=5120 << 10,
        source="doc.qt.io, Infineon PSOC Edge E84 Evaluation Kit: 5120 KB System SRAM (SoCMEM)",
    ),
    Board(
        name="ek-ra8p1",
        title="Renesas EK-RA8P1, user SRAM",
        accelerator=Told("ethos-u55-256", "Renesas RUHMI, get_ethos_config.py: macs=256"),
        clock=Told("500", "Renesas RUHMI, get_ethos_config.py: core_clock=500e6"),
        system_config=Told("Board_RA8P1", "Renesas RUHMI, get_ethos_config.py: RA8P1"),
        memory_mode=Told("Shared_Sram", "Renesas RUHMI, get_ethos_config.py"),
        sram_bytes=1664 << 10,
        source="zephyrproject-rtos/zephyr, boards/renesas/ek_ra8p1/doc/index.rst: 1664 KB of user"
        " SRAM, beside 384 KB next to its two processors",
    ),
    Board(
        name="numaker-m55m1",
        title="Nuvoton NuMaker-M55M1, SRAM",
        accelerator=Told("ethos-u55-256"),
        clock=Told("220", "docs.zephyrproject.org, NUMAKER M55M1: core clock up to 220 MHz"),
        system_config=Told("Board_M55M1"),
        memory_mode=_SHARED,
        sram_bytes=1344 << 10,
        source="docs.zephyrproject.org, NUMAKER M55M1: 1344 KB SRAM",
    ),
    Board(
        name="imx93-linux",
        title="NXP i.MX 93 under Linux, SRAM of the NPU",
        accelerator=Told("ethos-u65-256"),
        clock=Told("1000"),
        system_config=Told("Ethos_U65_High_End"),
        memory_mode=Told("Dedicated_Sram"),
        sram_bytes=96 << 10,
        source="Linux, arm64: dts: freescale: imx93: Add Ethos-U65 NPU and SRAM nodes:"
        " sram@20480000 has 0x18000 bytes; the rest is not for the non-secure world",
    ),
    Board(
        name="grove-vision-ai-v2",
        title="Seeed Grove Vision AI V2 (Himax WiseEye2), arena of its demo",
        accelerator=Told("ethos-u55-64", "wiki.seeedstudio.com, deploying models: ethos-u55-64"),
        clock=Told("400", f"{_SEEED}: core_clock=400e6"),
        system_config=Told("Board_WiseEye2", _SEEED),
        memory_mode=Told("Shared_Sram", _SEEED),
        sram_bytes=1_135_736,
        source="HimaxWiseEyePlus/Seeed_Grove_Vision_AI_Module_V2, issue 36: 1,135,736 bytes"
        " available to the arena",
    ),
    Board(
        name="sr100",
        title="Synaptics SR100 series, system memory",
        accelerator=Told("ethos-u55-128"),
        clock=Told(
            "400",
            f"{_SR100}: 400 MHz",
        ),
        system_config=Told("Board_SR100"),
        memory_mode=_SHARED,
        sram_bytes=3 << 20,
        source=f"{_SR100}: 3 Mbyte of system memory",
    ),
)
"""Those whose NPU we compile for."""
OTHERS: Mapping[str, str] = {
    "alif-e4": "alif-e7-hp and alif-e7-he have its other NPUs",
    "alif-e6": "alif-e7-hp and alif-e7-he have its other NPUs",
    "alif-e8": "alif-e7-hp and alif-e7-he have its other NPUs",
    "corstone-320": "corstone-300 and corstone-310 have an Ethos-U55",
}
"""Boards with an Ethos-U85, and what there is instead."""


def board_named(name: str) -> Board:
    """A board by its name; an OptionError says that it is not known, or has another NPU."""
    by_name = {board.name: board for board in BOARDS}
    lower = name.strip().lower()
    if lower in OTHERS:
        raise OptionError(f"{lower} has an Ethos-U85, which is not compiled for; {OTHERS[lower]}")
    if lower not in by_name:
        raise OptionError.unknown("board", lower, by_name)
    return by_name[lower]


def boards_named(text: str) -> tuple[Board, ...]:
    """Boards by their names, with commas between; an OptionError says which is not known."""
    return tuple(map(board_named, text.split(",")))
