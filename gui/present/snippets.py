"""What a board needs for a schedule, as texts to read and to copy; no Qt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.api import sheets
from core.base.frozen import replace
from gui.document.answer import Answer
from gui.present.compiled import is_compiled, origin
from gui.present.units import counted, size_exact

SIZES, DEVICE = "Sizes", "Device"
TITLES = (SIZES, DEVICE, *(title for title, _ in sheets.SNIPPETS))
"""What can be had."""


def board_of(answer: Answer) -> sheets.Board:
    """What a board needs for an answer."""
    model, scheduled = answer.document.model, answer.scheduled
    name = model.name if model is not None else "a model"
    board = sheets.board(name, scheduled)
    if not is_compiled(answer):
        return board
    target = scheduled.target
    where = f"for {target.accelerator.name}, {target.system.name}, {target.mode.name}"
    return replace(board, subject=(f"{name}, {origin(answer)}", where))


def texts_of(answer: Answer) -> tuple[tuple[str, str], ...]:
    """Each text under its title."""
    board = board_of(answer)
    return (
        (SIZES, _sizes_text(board)),
        (DEVICE, _device_text(board)),
        *((title, write(board)) for title, write in sheets.SNIPPETS),
    )


def _sizes_text(board: sheets.Board) -> str:
    """Bytes by what they are for; what is an estimate is marked as one."""
    lines = [*board.subject, "", *_aligned(list(_sizes(board))), "", "What the runtime adds:"]
    parts = [
        (f"  ESTIMATE  {part.what}", f"{part.size_bytes:,} B", part.basis)
        for part in board.runtime.parts
    ]
    return "\n".join((*lines, *_aligned(parts), "", *board.runtime.caveats)) + "\n"


def _sizes(board: sheets.Board) -> Iterator[tuple[str, str, str]]:
    sizes = board.sizes
    yield "Scratch (feature maps)", size_exact(sizes.arena_bytes), board.arena_memory
    if sizes.fast_scratch_bytes:
        yield "Fast scratch", size_exact(sizes.fast_scratch_bytes), board.fast_memory
    if sizes.separate_io_bytes:
        separate = size_exact(sizes.separate_io_bytes)
        yield "Inputs and outputs, yours", separate, board.arena_memory
    constants = sizes.npu_constants_bytes + sizes.cpu_constants_bytes
    yield "Flash (constants, at least)", size_exact(constants), board.constants_memory
    runtime = size_exact(board.runtime.size_bytes)
    yield "Runtime adds to the arena", runtime, f"{board.arena_memory}, ESTIMATE"
    arena = size_exact(board.tensor_arena_bytes)
    yield "Tensor arena to begin with", arena, f"{board.arena_memory}, estimate included"


def _device_text(board: sheets.Board) -> str:
    """What the chip must have, and how its driver is built."""
    device = board.device
    rows = [
        ("Accelerator", f"{device.product}, {counted(device.macs, 'MAC')} a cycle"),
        ("Configuration", f"{device.config_id}; any other makes the driver refuse the file"),
        ("Core driver", f"ETHOSU_TARGET_NPU_CONFIG={device.driver_config}"),
        ("Zephyr", f"CONFIG_ETHOS_U=y {device.kconfig}=y"),
        ("Memory routes", " ".join(f"{name}={number}" for name, number in device.routes)),
        ("Command streams", device.stream_version or "known when there is a compiled file"),
        ("Operators", ", ".join(device.resolver_ops) or "none"),
    ]
    return "\n".join((*_aligned(rows), "", *(f"- {note}" for note in device.notes))) + "\n"


def _aligned(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Rows as lines whose columns stand below each other."""
    widths = [max((len(row[at]) for row in rows), default=0) for at in range(len(rows[0]))]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip()
