"""Buffers as a fragment of a script for GNU ld: each in the memory that it has to be in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.base.frozen import NamedTuple
from core.base.harmless import visible
from core.target.format import ALIGNMENT_BYTES


class Held(NamedTuple):
    """A buffer that the program has in a section of its own."""

    section: str
    memory: str
    size_bytes: int
    what: str


def linker_text(comment: Iterable[str], buffers: Sequence[Held]) -> str:
    """Output sections, each with a demand that it has its buffer; they take no room in an image."""
    memories = " and ".join(dict.fromkeys(_name(each.memory) for each in buffers))
    told = (*comment, "For SECTIONS of a script for GNU ld, whose memories may have other names:")
    lines = [f" * {visible(line).replace('*/', '* /').replace('/*', '/ *')}" for line in told]
    head = "\n".join(("/*", *lines, f" * here they are {memories}.", " */"))
    return f"{head}\n" + "\n".join(map(_section, buffers))


def _section(held: Held) -> str:
    name = f".{held.section.removeprefix('.bss.').lstrip('.')}"
    return (
        f"{name} (NOLOAD) : ALIGN({ALIGNMENT_BYTES})\n"
        "{\n"
        f"    KEEP(*({held.section}))\n"
        f"    . = ALIGN({ALIGNMENT_BYTES});\n"
        f"}} > {_name(held.memory)}\n"
        f"ASSERT(SIZEOF({name}) >= {held.size_bytes},"
        f' "{name} has less than {held.size_bytes} bytes: {held.what}")\n'
    )


def _name(memory: str) -> str:
    return memory.upper().replace("-", "_").replace(" ", "_")
