"""Operators to put prices on."""

from __future__ import annotations

from core.base.geometry import Kernel, Shape4
from core.cost.accesses import accesses
from core.cost.spent import operation_moves, spent_on
from core.cost.work import FmUse, Work
from core.target.block import BlockQuery
from core.target.format import Format
from core.target.resolve import resolve
from core.target.shared_buffer_search import find_block
from core.target.target import Area, Target
from core.target.throughput import Arithmetic, Finish
from core.target.unit import Unit

U55 = resolve("ethos-u55-256", "Ethos_U55_High_End_Embedded", "Shared_Sram")
U65 = resolve("ethos-u65-512", "Ethos_U65_High_End", "Dedicated_Sram_384KB")


def fm(
    shape: Shape4, bits: int = 8, area: Area = Area.SRAM, order: Format = Format.BRICKS
) -> FmUse:
    return FmUse(shape=shape, bits=bits, format=order, area=area)


def work(target: Target, unit: Unit, ifm: FmUse, ofm: FmUse, **changes: object) -> Work:
    """An operator in the block that costs least."""
    kernel = changes.pop("kernel", Kernel())
    assert isinstance(kernel, Kernel)
    query = BlockQuery(unit=unit, ifm=ifm.shape, ofm=ofm.shape, ifm_bits=ifm.bits, kernel=kernel)
    block = find_block(target.accelerator, query)
    assert block is not None
    given: dict[str, object] = {
        "arithmetic": Arithmetic.OTHER,
        "finish": Finish.NONE,
        "ifm2": None,
        "constants": None,
        **changes,
    }
    return Work(
        unit=unit,
        kernel_h=kernel.h,
        kernel_w=kernel.w,
        ifm=ifm,
        ofm=ofm,
        block=block,
        **given,  # type: ignore[arg-type]
    )


def convolution(target: Target = U55, depth: int = 32, **changes: object) -> Work:
    ifm, ofm = fm(Shape4(1, 16, 16, depth)), fm(Shape4(1, 16, 16, depth))
    kernel = Kernel(h=3, w=3)
    return work(target, Unit.CONVOLUTION, ifm, ofm, kernel=kernel, constants=Area.SRAM, **changes)


def addition(target: Target = U55, **changes: object) -> Work:
    use = fm(Shape4(1, 16, 16, 24))
    given = {"ifm2": use, "arithmetic": Arithmetic.ADD, **changes}
    return work(target, Unit.ELEMENTWISE, use, use, **given)


def operation_spent(rates, work, own, weight_bytes):
    """An operation that takes so many cycles for itself, and whose weights have so many bytes."""
    moved = operation_moves(rates, work, accesses(rates.accelerator, work), weight_bytes)
    return spent_on(rates, own, moved)
