"""The sizes of a board as text for C, CMake, Kconfig and linkers."""

from __future__ import annotations

from collections.abc import Iterator

from core.base.frozen import NamedTuple
from core.base.harmless import visible
from core.report.board.linker import Held, linker_text
from core.report.board.sizes import Board
from core.target.format import ALIGNMENT_BYTES

PREFIX = "REEFPOINT"


class Named(NamedTuple):
    """A number, the name that it goes by, and what it means."""

    name: str
    number: int
    meaning: str


def named_sizes(board: Board) -> tuple[Named, ...]:
    """Everything that snippets say, in their order."""
    return tuple(
        Named(f"{PREFIX}_{name}", number, meaning) for name, number, meaning in _sizes(board)
    )


def _sizes(board: Board) -> Iterator[tuple[str, int, str]]:
    sizes = board.sizes
    yield "ARENA_BYTES", sizes.arena_bytes, "feature maps of the NPU and the CPU"
    yield (
        "FAST_SCRATCH_BYTES",
        sizes.fast_scratch_bytes,
        "fast storage beside the arena; 0 where it is in the arena",
    )
    if sizes.separate_io_bytes:
        meaning = "inputs and outputs, in buffers of yours that begin at multiples of 16 bytes"
        yield "SEPARATE_IO_BYTES", sizes.separate_io_bytes, meaning
    yield "RUNTIME_ESTIMATE_BYTES", board.runtime.size_bytes, "ESTIMATE of what the runtime adds"
    yield (
        "TENSOR_ARENA_BYTES",
        board.tensor_arena_bytes,
        "the arena to begin with: all of it, and the estimate",
    )
    yield "NPU_CONSTANTS_BYTES", sizes.npu_constants_bytes, "weights and scales"
    yield "CPU_CONSTANTS_BYTES", sizes.cpu_constants_bytes, "constants of the CPU"
    if sizes.command_stream_bytes is not None:
        yield "COMMAND_STREAM_BYTES", sizes.command_stream_bytes, "command streams"
    if sizes.file_bytes is not None:
        yield "MODEL_FILE_BYTES", sizes.file_bytes, "the whole compiled file, in flash"
    yield "ALIGNMENT_BYTES", ALIGNMENT_BYTES, "of every buffer"
    yield "NPU_MACS", board.device.macs, f"MACs in a cycle that {board.device.product} must have"


def c_text(board: Board) -> str:
    """A piece of C, or of C++: macros, and the buffers in sections of their own."""
    comment = "".join(
        f" * {line.replace('*/', '* /').replace('/*', '/ *')}\n" for line in _comment(board)
    )
    macros = "".join(
        f"#define {name:36} {f'{number}u':11} /* {meaning} */\n"
        for name, number, meaning in named_sizes(board)
    )
    buffers = [_buffer("tensor_arena", "TENSOR_ARENA", board.arena_memory)]
    if board.sizes.fast_scratch_bytes:
        buffers.append(_buffer("fast_scratch", "FAST_SCRATCH", board.fast_memory))
    return f"/*\n{comment} */\n#include <stdint.h>\n\n{macros}\n" + "\n".join(buffers)


_FAST_SECTIONS = {"TENSOR_ARENA": ".bss.tensor_arena", "FAST_SCRATCH": ".bss.ethosu_scratch"}


def _buffer(name: str, size: str, memory: str) -> str:
    """A section that the linker script puts into a memory; both names can be changed outside."""
    section = f"{PREFIX}_{size}_SECTION"
    return (
        f"#ifndef {section}\n"
        f'#define {section} "{_FAST_SECTIONS[size]}" /* to be placed in {memory} */\n'
        "#endif\n"
        f"__attribute__((aligned({PREFIX}_ALIGNMENT_BYTES), section({section})))\n"
        f"uint8_t {name}[{PREFIX}_{size}_BYTES];\n"
    )


def cmake_text(board: Board) -> str:
    """Variables of CMake: sizes, and what the core driver's build takes."""
    device = board.device
    lines = [f"set({name} {number})  # {meaning}\n" for name, number, meaning in named_sizes(board)]
    routes = " ".join(f"{name}={number}" for name, number in device.routes)
    lines += [
        f'set(ETHOSU_TARGET_NPU_CONFIG "{device.driver_config}")  # of the core driver\n',
        f"set({PREFIX}_DRIVER_DEFINITIONS {routes})  # compile definitions of it\n",
    ]
    return _hashed(board) + "".join(lines)


def kconfig_text(board: Board) -> str:
    """Symbols of Kconfig; the lines for a configuration stand among the comments."""
    entries = (
        f'config {name}\n\tint "{meaning}"\n\tdefault {number}\n'
        for name, number, meaning in named_sizes(board)
    )
    wanted = f"# Besides, in the configuration: CONFIG_ETHOS_U=y and {board.device.kconfig}=y\n"
    return _hashed(board) + wanted + "\n" + "\n".join(entries)


def _comment(board: Board) -> Iterator[str]:
    yield from map(_plain, board.subject)
    yield "Sizes are those of the schedule; what the runtime adds is an estimate:"
    yield from map(_plain, board.runtime.caveats)


def _hashed(board: Board) -> str:
    return "".join(f"# {line}\n" for line in _comment(board))


def _plain(text: str) -> str:
    """On one line, and without what an old compiler would take for the end of it."""
    return visible(" ".join(text.split())).rstrip("\\")


def linker_script(board: Board) -> str:
    """A fragment for a linker: the buffers that the C snippet has, in their memories."""
    buffers = [
        Held(
            section=_FAST_SECTIONS["TENSOR_ARENA"],
            memory=board.arena_memory,
            size_bytes=board.tensor_arena_bytes,
            what="the arena to begin with",
        )
    ]
    if board.sizes.fast_scratch_bytes:
        buffers.append(
            Held(
                section=_FAST_SECTIONS["FAST_SCRATCH"],
                memory=board.fast_memory,
                size_bytes=board.sizes.fast_scratch_bytes,
                what="fast storage beside the arena",
            )
        )
    return linker_text(_comment(board), buffers)


SNIPPETS = (
    ("C", c_text),
    ("CMake", cmake_text),
    ("Kconfig", kconfig_text),
    ("Linker", linker_script),
)
"""What can be had, by its title."""
