"""Memory that public boards have for a network, each figure with where it is told."""

from __future__ import annotations

from core.base.errors import OptionError
from core.base.frozen import Frozen


class Board(Frozen):
    """One memory of a board or chip; what an application needs beside the network is part of it."""

    name: str
    title: str
    sram_bytes: int
    source: str


BOARDS = (
    Board(
        name="corstone-300",
        title="Corstone-300, internal SRAM",
        sram_bytes=2 << 20,
        source="Arm ML embedded evaluation kit, docs/sections/memory_considerations.md:"
        " ISRAM0 and ISRAM1, 1 MiB each",
    ),
    Board(
        name="alif-ensemble-sram0",
        title="Alif Ensemble, SRAM0",
        sram_bytes=4096 << 10,
        source="alifsemi.com, RAM Regions and Linker Files in Alif Microcontrollers: 4096 KB"
        " at most, by part number",
    ),
    Board(
        name="alif-ensemble-sram1",
        title="Alif Ensemble, SRAM1",
        sram_bytes=2560 << 10,
        source="alifsemi.com, RAM Regions and Linker Files in Alif Microcontrollers: 2560 KB"
        " at most, by part number",
    ),
    Board(
        name="psoc-edge-e84",
        title="Infineon PSOC Edge E84, system SRAM",
        sram_bytes=5120 << 10,
        source="doc.qt.io, Infineon PSOC Edge E84 Evaluation Kit: 5120 KB System SRAM (SoCMEM)",
    ),
    Board(
        name="ek-ra8p1",
        title="Renesas EK-RA8P1, user SRAM",
        sram_bytes=1664 << 10,
        source="zephyrproject-rtos/zephyr, boards/renesas/ek_ra8p1/doc/index.rst: 1664 KB of user"
        " SRAM, beside 384 KB next to its two processors",
    ),
    Board(
        name="numaker-m55m1",
        title="Nuvoton NuMaker-M55M1, SRAM",
        sram_bytes=1344 << 10,
        source="docs.zephyrproject.org, NUMAKER M55M1: 1344 KB SRAM",
    ),
    Board(
        name="imx93-linux",
        title="NXP i.MX 93 under Linux, SRAM of the NPU",
        sram_bytes=96 << 10,
        source="Linux, arm64: dts: freescale: imx93: Add Ethos-U65 NPU and SRAM nodes:"
        " sram@20480000 has 0x18000 bytes; the rest is not for the non-secure world",
    ),
    Board(
        name="grove-vision-ai-v2",
        title="Seeed Grove Vision AI V2, arena of its demo",
        sram_bytes=1_135_736,
        source="HimaxWiseEyePlus/Seeed_Grove_Vision_AI_Module_V2, issue 36: 1,135,736 bytes"
        " available to the arena",
    ),
)


def boards_named(text: str) -> tuple[Board, ...]:
    """Boards by their names, with commas between; an OptionError says which is not known."""
    by_name = {board.name: board for board in BOARDS}
    names = [name.strip().lower() for name in text.split(",")]
    for name in names:
        if name not in by_name:
            raise OptionError.unknown("board", name, by_name)
    return tuple(by_name[name] for name in names)
