"""The sizes of a schedule as text for C, CMake and Kconfig."""

from __future__ import annotations

from dataclasses import dataclass

from core.target.region import Region
from gui.document.answer import Answer

PREFIX = "REEFPOINT"
ALIGNMENT_BYTES = 16
"""What the accelerator's driver asks of every buffer that it is given."""
_NAME_WIDTH = 31
_NUMBER_WIDTH = 11


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """What an application has to set aside, and for what."""

    subject: tuple[str, ...]
    """Lines that name the model, the target, and the schedule."""
    arena_bytes: int
    """Feature maps; with the fast scratch among them where both are in one memory."""
    fast_scratch_bytes: int
    """Zero where it is a part of the arena."""
    npu_constants_bytes: int
    cpu_constants_bytes: int

    @property
    def named(self) -> tuple[tuple[str, int, str], ...]:
        """Name, number, and meaning of each."""
        return (
            (f"{PREFIX}_ARENA_BYTES", self.arena_bytes, "feature maps of the NPU and the CPU"),
            (
                f"{PREFIX}_FAST_SCRATCH_BYTES",
                self.fast_scratch_bytes,
                "fast storage beside the arena; 0 where it is in the arena",
            ),
            (f"{PREFIX}_NPU_CONSTANTS_BYTES", self.npu_constants_bytes, "weights and scales"),
            (f"{PREFIX}_CPU_CONSTANTS_BYTES", self.cpu_constants_bytes, "constants of the CPU"),
            (f"{PREFIX}_ALIGNMENT_BYTES", ALIGNMENT_BYTES, "of every buffer"),
        )


def sizes_of(answer: Answer) -> Sizes:
    """The sizes of an answer."""
    scheduled = answer.scheduled
    target, options = scheduled.target, scheduled.options
    model = answer.document.model
    heights = {
        region: area.height_bytes for area in scheduled.layout.areas for region in area.regions
    }
    shares_arena = any(
        {Region.SCRATCH, Region.SCRATCH_FAST} <= set(area.regions)
        for area in scheduled.layout.areas
    )
    limit = target.mode.arena_cache_size
    told = "no limit" if limit is None else f"a limit of {limit} bytes"
    return Sizes(
        subject=(
            f"{model.name if model is not None else 'a model'}, scheduled by Reefpoint",
            f"for {target.accelerator.name}, {target.system.name}, {target.mode.name}",
            f"with {told}, {options.strategy.value}, {options.allocator.value}",
            "Sizes are those of the schedule. The command stream, and what the interpreter",
            "keeps in its arena for itself, are not counted.",
        ),
        arena_bytes=heights.get(Region.SCRATCH, 0),
        fast_scratch_bytes=0 if shares_arena else heights.get(Region.SCRATCH_FAST, 0),
        npu_constants_bytes=heights.get(Region.PERMANENT_NPU, 0),
        cpu_constants_bytes=heights.get(Region.PERMANENT_CPU, 0),
    )


def c_text(sizes: Sizes) -> str:
    """Macros of C and C++."""
    comment = "".join(f" * {_plain(line).replace('*/', '* /')}\n" for line in sizes.subject)
    macros = "".join(
        f"#define {name:{_NAME_WIDTH}} {f'{number}u':{_NUMBER_WIDTH}} /* {meaning} */\n"
        for name, number, meaning in sizes.named
    )
    return f"/*\n{comment} */\n{macros}"


def cmake_text(sizes: Sizes) -> str:
    """Variables of CMake."""
    lines = "".join(f"set({name} {number})  # {meaning}\n" for name, number, meaning in sizes.named)
    return _hashed(sizes) + lines


def kconfig_text(sizes: Sizes) -> str:
    """Symbols of Kconfig."""
    entries = (
        f'config {name}\n\tint "{meaning}"\n\tdefault {number}\n'
        for name, number, meaning in sizes.named
    )
    return _hashed(sizes) + "\n" + "\n".join(entries)


def _hashed(sizes: Sizes) -> str:
    return "".join(f"# {_plain(line)}\n" for line in sizes.subject)


def _plain(text: str) -> str:
    """On one line, and without what an old compiler would take for the end of it."""
    return " ".join(text.split()).rstrip("\\")


SNIPPETS = (("C", c_text), ("CMake", cmake_text), ("Kconfig", kconfig_text))
"""What can be had, by its title."""
