"""A compiled model as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.base.geometry import NO_PADDING, Kernel, Padding
from core.base.harmless import visible
from core.cost.cycles import OpCycles
from core.emit.lives import Life
from core.emit.study import PartStudy
from core.emit.touched import transferred_bytes
from core.ir.network import Network
from core.ir.npugraph import Rounding
from core.ir.program import (
    AddressRange,
    Command,
    CountEvents,
    DmaPlace,
    DmaTransfer,
    Engine,
    Interrupt,
    MapUse,
    NpuOperation,
    Program,
    ScalarUse,
    Stop,
    Wait,
)
from core.report.board.room import Room
from core.report.calls import TITLE as CALLS
from core.report.calls import calls_of, listing_of
from core.report.pools import pools_text
from core.report.program_advice import program_advice
from core.report.tables import Listing, Row, table
from core.report.untold import untold
from core.report.words import Count, counted, shape_text

_HEADERS = (
    "#",
    "word",
    "command",
    "kernel",
    "ifm",
    "ifm2",
    "ofm",
    "block",
    "weights",
    "scales",
    "rounding",
    "dependency",
    "cycles",
)


def place_text(region: int, address: int) -> str:
    """An address in its region."""
    return f"{region}:0x{address:x}"


def map_text(use: MapUse | ScalarUse | None) -> str:
    """Shape, element type, format and address of a map; what is in several tiles says so."""
    if use is None:
        return ""
    if isinstance(use, ScalarUse):
        return f"{use.value} {use.dtype.name.lower()}"
    shape = shape_text(use.shape[1:])
    text = f"{shape} {use.dtype.name.lower()} {use.format.value}"
    return f"{text} {place_text(use.region, use.bases[0])}{' tiled' if is_tiled(use) else ''}"


def is_tiled(use: MapUse) -> bool:
    """Whether a map does not lie in one piece."""
    height0, _, width0 = use.tiles
    return use.shape.h > height0 or use.shape.w > width0


def kernel_text(op: NpuOperation) -> str:
    """Kernel, strides, dilation and padding, as far as they are not the usual."""
    if op.job.is_elementwise:
        return ""
    return _kernel(op.kernel) + _padding(op.padding)


def _kernel(kernel: Kernel) -> str:
    text = f"{kernel.h}x{kernel.w}"
    if kernel.stride_h > 1 or kernel.stride_w > 1:
        text += f" stride {kernel.stride_h}x{kernel.stride_w}"
    if kernel.dilation_h > 1 or kernel.dilation_w > 1:
        text += f" dilation {kernel.dilation_h}x{kernel.dilation_w}"
    return text


def _padding(padding: Padding) -> str:
    if padding == NO_PADDING:
        return ""
    return f" pad {padding.top},{padding.left},{padding.bottom},{padding.right}"


def ranges_text(ranges: tuple[AddressRange, ...]) -> str:
    """Where weights or scales are, core by core."""
    return " ".join(f"{place_text(part.region, part.address)}+{part.size_bytes}" for part in ranges)


def rounding_text(op: NpuOperation) -> str:
    """How results and scaled operands are rounded, as far as that is not the usual."""
    told = "" if op.rounding is Rounding.DOUBLE else op.rounding.value
    if op.operand_rounding is Rounding.DOUBLE:
        return told
    return f"{told}, operands {op.operand_rounding.value}".removeprefix(", ")


def command_text(command: Command) -> str:
    """What a command is called."""
    match command:
        case NpuOperation():
            return command.job.value
        case DmaTransfer():
            return "dma"
        case Wait():
            what = "operations" if command.engine is Engine.KERNEL else "transfers"
            return f"wait for {what}, {command.outstanding} left"
        case Interrupt():
            return "interrupt"
        case CountEvents():
            return f"count events {command.enabled}"
        case Stop():
            return "stop"


def dma_place_text(place: DmaPlace) -> str:
    """One end of a transfer."""
    if place.is_internal:
        return f"shared buffer 0x{place.address:x}"
    return place_text(place.region, place.address)


def render(
    name: str,
    network: Network,
    program: Program,
    studies: Sequence[PartStudy],
    room: Room | None = None,
) -> str:
    """Regions, tensors, commands, cascades and live ranges of each command stream."""
    parts = [_heading(name, program)]
    if tips := program_advice(network, program, studies):
        parts += ["What would help", "\n".join(f"- {tip['text']}" for tip in tips)]
    calls = calls_of(network, program)
    if len(calls) > 1:
        parts += [CALLS, listing_of(calls).text()]
    ram = [pools_text(program.pools, studies[0].target)] if program.pools else []
    ram += [] if room is None else [room.text()]
    if ram:
        parts += ["RAM", "\n".join(ram)]
    for number, study in enumerate(studies):
        parts += [_title(number, study), *_tables(study)]
    parts += [
        "What it cannot tell",
        "\n".join(f"- {visible(each.text)}" for each in untold(program, studies)),
    ]
    return "\n\n".join(parts) + "\n"


def _heading(name: str, program: Program) -> str:
    streams = counted(len(program.parts), "command stream")
    on_cpu = counted(len(program.cpu_ops), "operator")
    kinds = ", ".join(sorted(set(program.cpu_ops)))
    text = visible(
        f"{name}: compiled, {streams}, {on_cpu} on the CPU{f' ({kinds})' if kinds else ''}"
    )
    lines = [text]
    if program.compiler:
        lines.append(f"made by: {visible(program.compiler)}")
    return "\n".join((*lines, *(visible(f"DOES NOT FIT: {each}") for each in program.misfits)))


def _title(number: int, study: PartStudy) -> str:
    part, stream, target = study.part, study.part.stream, study.target
    subgraph, op = part.op
    macs, shram_kib, product, _ = part.accelerator
    known = f"an unknown product {product}" if target is None else target.accelerator.name
    size = f"{macs} MACs, {shram_kib} KiB of shared buffer"
    version = ".".join(str(item) for item in part.architecture[:3])
    counts = ((stream.size_words, "word"), (len(stream.operations), "operation"))
    title = f"Command stream {number}: operator {op} of subgraph {subgraph}, for {known} ({size})"
    lines = [
        f"{title}, architecture {version}",
        ", ".join(counted(*item) for item in (*counts, (len(stream.transfers), "transfer"))),
    ]
    if target is not None:
        lines.append(
            f"{study.macs:,} MACs, {study.npu_cycles:,} cycles of operations and"
            f" {study.dma_cycles:,} of transfers, each on its own, if memories are those of"
            f" {target.system.name}, {target.mode.name}"
        )
    if stream.problem is not None:
        word, reason = stream.problem
        command = len(stream.commands)
        at = f"word {word} (byte {4 * word}), before command {command} was started"
        lines.append(f"NOT READ FURTHER than {at}: {reason}")
    return "\n".join(map(visible, lines))


def _tables(study: PartStudy) -> Iterator[str]:
    yield "Regions"
    yield _regions(study)
    yield "Inputs and outputs"
    yield _tensors(study)
    yield "Commands"
    yield _commands(study)
    if study.structure.cascades:
        yield "Cascades, as far as stripes take turns"
        yield _cascades(study)
    if study.lives:
        yield "Live ranges outside of constants"
        yield _lives(study)


def _regions(study: PartStudy) -> str:
    traffic = dict(study.traffic)
    rows: list[Row] = []
    for number, region in enumerate(study.part.regions):
        used = traffic.get(number)
        touched = (
            (None, None, None)
            if used is None
            else (used.reads, used.writes, Count(used.reach_bytes))
        )
        rows.append((number, region.role.value, region.name, Count(region.size_bytes), *touched))
    return table(("#", "role", "tensor", "bytes", "reads", "writes", "reach"), rows)


def _tensors(study: PartStudy) -> str:
    rows = [
        (
            role,
            item.name,
            shape_text(item.shape),
            item.dtype.name.lower(),
            None if item.scale is None else f"{item.scale:g}",
            None if item.scale is None else item.zero_point,
            item.arena_address,
        )
        for role, items in (("input", study.part.inputs), ("output", study.part.outputs))
        for item in items
    ]
    headers = ("role", "name", "shape", "type", "scale", "zero point", "arena address")
    return table(headers, rows)


def _commands(study: PartStudy) -> str:
    stream = study.part.stream
    rows = []
    for number, command in enumerate(stream.commands):
        cycles = study.cycles[number]
        spent = cycles.cycles if isinstance(cycles, OpCycles) else cycles
        middle = _operands(command)
        word = stream.positions[number] if stream.positions else None
        cost = None if spent is None else Count(spent)
        rows.append((number, word, command_text(command), *middle, cost))
    return Listing(_HEADERS, rows).text()


def _operands(command: Command) -> tuple[object, ...]:
    if isinstance(command, DmaTransfer):
        size = f"{transferred_bytes(command):,} bytes"
        source, destination = map(dma_place_text, (command.source, command.destination))
        return size, source, None, destination, *(None,) * 5
    if not isinstance(command, NpuOperation):
        return (None,) * 9
    return (
        kernel_text(command),
        map_text(command.ifm),
        map_text(command.ifm2),
        map_text(command.ofm),
        shape_text(command.block),
        ranges_text(command.weights),
        ranges_text(command.scales),
        rounding_text(command),
        command.block_dependency,
    )


def _cascades(study: PartStudy) -> str:
    layers, commands = study.structure.layers, study.part.stream.commands
    rows = []
    for number, cascade in enumerate(study.structure.cascades):
        for at in cascade.layers:
            layer = layers[at]
            op = commands[layer.commands[0]]
            what = command_text(op)
            rows.append((number, what, layer.stripes, layer.commands[0], layer.commands[-1]))
    return table(("#", "operation", "stripes", "first command", "last command"), rows)


def _lives(study: PartStudy) -> str:
    headers = ("region", "address", "bytes", "first command", "last command", "writes", "reads")
    return table(headers, [_life(life) for life in study.lives])


def _life(life: Life) -> Row:
    first = "before" if life.is_from_outside else str(life.first)
    last = str(life.last) if life.reads else "never read"
    place = (life.region, f"0x{life.address:x}", Count(life.size_bytes))
    return (*place, first, last, life.writes, life.reads)
