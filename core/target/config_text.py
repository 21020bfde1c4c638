"""Systems and memory modes as text that `config` reads, and the ecosystem's tools read too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from core.base.harmless import visible
from core.target.config import COMMAND_CYCLES, MODE, SYSTEM
from core.target.target import Memory, MemoryMode, Port, SystemConfig


def config_text(
    system: SystemConfig, modes: Sequence[MemoryMode], comments: Iterable[str] = ()
) -> str:
    """A file with a system and the modes that it is used in."""
    used = {port for mode in modes for port in (mode.constants, mode.arena, mode.cache)}
    sections = [_system(system, used), *map(_mode, dict.fromkeys(modes))]
    # Names of files are in them, none of which may end a comment.
    head = [f"# {visible(line)}".rstrip() for line in comments]
    parts = ["\n".join(lines) for lines in (head, *sections) if lines]
    return "\n\n".join(parts) + "\n"


def _system(system: SystemConfig, used: set[Port]) -> list[str]:
    lines = [
        f"[{SYSTEM}{system.name}]",
        f"core_clock={system.core_clock_hz:.10g}",
        f"axi0_port={system.axi0.area.value}",
        f"axi1_port={system.axi1.area.value}",
    ]
    memories = {Port.AXI0: system.axi0, Port.AXI1: system.axi1}
    # Both ports may have the same kind of memory, whose keys are then given once.
    written = {memories[port].area: memories[port] for port in Port if port in used}
    for memory in written.values():
        lines += _memory(memory)
    if system.command_cycles is not None:
        lines += [f"{COMMAND_CYCLES}={system.command_cycles}"]
    return lines


def _memory(memory: Memory) -> Iterator[str]:
    prefix = f"{memory.area.value}_"
    yield f"{prefix}clock_scale={memory.clock_scale:.6g}"
    yield f"{prefix}burst_length={memory.burst_length}"
    yield f"{prefix}read_latency={memory.read_latency}"
    yield f"{prefix}write_latency={memory.write_latency}"
    yield f"{prefix}max_reads={memory.max_reads}"
    yield f"{prefix}max_writes={memory.max_writes}"
    if memory.ports_used != 1:
        yield f"{prefix}ports_used={memory.ports_used}"


def _mode(mode: MemoryMode) -> list[str]:
    lines = [
        f"[{MODE}{mode.name}]",
        f"const_mem_area={mode.constants.value}",
        f"arena_mem_area={mode.arena.value}",
        f"cache_mem_area={mode.cache.value}",
    ]
    if mode.arena_cache_size is not None:
        lines.append(f"arena_cache_size={mode.arena_cache_size}")
    return lines
