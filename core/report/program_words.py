"""How commands of a compiled model and their operands are written for people."""

from __future__ import annotations

from core.base.geometry import NO_PADDING, Kernel, Padding
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
    ScalarUse,
    Stop,
    Wait,
)
from core.report.words import shape_text


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
