"""The Ethos-U55 and U65 configurations, as values.

Figures are those of the hardware's public register and performance descriptions, as the ecosystem's
open-source compilers carry them.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.base.errors import OptionError
from core.base.geometry import Block

_MAX_OFM_BLOCK = Block(32, 64, 128)


@dataclass(frozen=True, slots=True, kw_only=True)
class Granules:
    """Banks of the shared buffer are handed out in multiples of these, by what they hold."""

    ifm8: int
    ifm16: int
    ifm32: int
    acc16: int
    acc32: int
    acc40: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Accelerator:
    """One configuration of the hardware."""

    name: str
    family: str
    macs: int
    """Multiplications in one cycle of one core."""
    cores: int
    ofm_ublock: Block
    ifm_ublock: Block
    elementwise_units: int
    shram_banks: int
    granules: Granules
    axi_bytes_per_cycle: int
    address_bits: int
    max_outstanding_dma: int
    max_outstanding_kernels: int = 2
    shram_bank_bytes: int = 1024
    shram_output_banks: int = 2
    max_ofm_block: Block = _MAX_OFM_BLOCK
    max_subkernel: tuple[int, int] = (8, 8)
    max_block_dependency: int = 3

    @property
    def shram_end_banks(self) -> int:
        """Banks at the end that a look-up table can have to itself.

        With 16 banks there are none: the table shares its banks with the accumulators.
        """
        return 2 if self.shram_banks > 16 else 0

    @property
    def max_address(self) -> int:
        """Bytes that a region can span."""
        return 1 << self.address_bits


def _u55(
    macs: int, ofm_ublock: Block, ifm_ublock: Block, banks: int, granules: Granules
) -> Accelerator:
    return Accelerator(
        name=f"ethos-u55-{macs}",
        family="u55",
        macs=macs,
        cores=1,
        ofm_ublock=ofm_ublock,
        ifm_ublock=ifm_ublock,
        elementwise_units=macs // 32,
        shram_banks=banks,
        granules=granules,
        axi_bytes_per_cycle=8,
        address_bits=32,
        max_outstanding_dma=1,
    )


def _u65(macs: int, cores: int) -> Accelerator:
    return Accelerator(
        name=f"ethos-u65-{macs}",
        family="u65",
        macs=macs // cores,
        cores=cores,
        ofm_ublock=Block(2, 2, 8),
        ifm_ublock=Block(2, 2, 8),
        elementwise_units=8,
        shram_banks=48,
        granules=_WIDE,
        axi_bytes_per_cycle=16,
        address_bits=40,
        max_outstanding_dma=2,
    )


_WIDE = Granules(ifm8=8, ifm16=8, ifm32=16, acc16=8, acc32=16, acc40=20)
_MIDDLE = Granules(ifm8=4, ifm16=4, ifm32=8, acc16=4, acc32=8, acc40=12)
_NARROW = Granules(ifm8=2, ifm16=2, ifm32=4, acc16=4, acc32=4, acc40=8)
_LEAST = Granules(ifm8=2, ifm16=2, ifm32=4, acc16=4, acc32=4, acc40=4)

ACCELERATORS = {
    accelerator.name: accelerator
    for accelerator in (
        _u55(32, Block(1, 1, 4), Block(1, 1, 8), 16, _LEAST),
        _u55(64, Block(1, 1, 8), Block(1, 1, 8), 16, _NARROW),
        _u55(128, Block(1, 2, 8), Block(1, 2, 8), 24, _MIDDLE),
        _u55(256, Block(2, 2, 8), Block(2, 2, 8), 48, _WIDE),
        _u65(256, 1),
        _u65(512, 2),
    )
}


def accelerator_named(name: str) -> Accelerator:
    """The configuration with this name; the case of letters does not matter."""
    try:
        return ACCELERATORS[name.lower()]
    except KeyError:
        raise OptionError.unknown("accelerator", name, ACCELERATORS) from None
