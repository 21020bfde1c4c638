"""Which accelerator a stream was made for."""

from __future__ import annotations

from core.ir.program import AcceleratorWord
from core.target.accelerator import ACCELERATORS, Accelerator

_FAMILIES = {"u55": 0, "u65": 1}
_KIB = 1024


def word_of(accelerator: Accelerator) -> AcceleratorWord:
    """What a driver compares the hardware with."""
    banks_kib = accelerator.shram_banks * accelerator.shram_bank_bytes // _KIB
    return AcceleratorWord(
        macs=accelerator.macs * accelerator.cores,
        shram_kib=banks_kib * accelerator.cores,
        product=_FAMILIES[accelerator.family],
    )


def accelerator_of(word: AcceleratorWord) -> Accelerator | None:
    """The accelerator of that product and size, if there is one."""
    return _BY_WORD.get((word.product, word.macs))


_BY_WORD = {
    (word.product, word.macs): accelerator
    for accelerator in ACCELERATORS.values()
    for word in (word_of(accelerator),)
}
