"""The section of a report about the board: sizes, the runtime's estimate, settings, snippets."""

from __future__ import annotations

from collections.abc import Iterator

from core.report.board.sizes import Board
from core.report.board.snippets import SNIPPETS
from core.report.page.document import Block, Code, Heading, Note, Pairs, Points, table
from core.report.tables import Row
from core.report.words import Count, kib_text


def board_blocks(board: Board) -> Iterator[Block]:
    """Everything that a board must have."""
    yield table("board-sizes", ("what", "memory", "bytes", ""), list(_sizes(board)))
    yield Heading(text="What the runtime adds to the arena", is_estimate=True)
    rows: list[Row] = [
        (part.what, Count(part.number), Count(part.size_bytes), part.basis)
        for part in board.runtime.parts
    ]
    rows.append(("together, in steps of 16", None, Count(board.runtime.size_bytes), ""))
    yield table("board-runtime", ("what", "number", "bytes", "basis"), rows)
    yield from (Note(text=text) for text in board.runtime.caveats)
    yield Heading(text="What the device must have")
    yield Pairs(name="device", items=tuple(_device(board)))
    yield Points(texts=board.device.notes)


def snippet_blocks(board: Board) -> Iterator[Block]:
    """The sizes as text to copy."""
    for title, text in SNIPPETS:
        yield Heading(text=title)
        yield Code(text=text(board))


def _sizes(board: Board) -> Iterator[Row]:
    sizes = board.sizes
    yield _size("feature maps, in the tensor arena", board.arena_memory, sizes.arena_bytes)
    if sizes.fast_scratch_bytes:
        what = "fast scratch, for the driver"
        yield _size(what, board.fast_memory, sizes.fast_scratch_bytes)
    yield _size(
        "tensor arena to begin with, estimate included",
        board.arena_memory,
        board.tensor_arena_bytes,
    )
    constants = board.constants_memory
    yield _size("weights and constants of the NPU", constants, sizes.npu_constants_bytes)
    yield _size("constants of the CPU", constants, sizes.cpu_constants_bytes)
    if sizes.command_stream_bytes is not None:
        yield _size("command streams", constants, sizes.command_stream_bytes)
    if sizes.other_file_bytes is not None:
        yield _size("the rest of the file", constants, sizes.other_file_bytes)
    whole = "the whole file" if sizes.file_bytes is not None else "the file, at least"
    yield _size(whole, constants, sizes.flash_bytes)


def _size(what: str, memory: str, size_bytes: int) -> Row:
    return what, memory, Count(size_bytes), kib_text(size_bytes)


def _device(board: Board) -> Iterator[tuple[str, str]]:
    device = board.device
    yield "accelerator", f"{device.product}, {device.macs} MACs a cycle ({device.config_id})"
    yield "driver's build", f"ETHOSU_TARGET_NPU_CONFIG={device.driver_config}"
    yield "Zephyr", f"CONFIG_ETHOS_U=y {device.kconfig}=y"
    yield "memory routes", " ".join(f"{name}={number}" for name, number in device.routes)
    yield "command streams", device.stream_version or "known when there is a compiled file"
    yield "operators to register", ", ".join(device.resolver_ops) or "none"
