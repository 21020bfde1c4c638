"""All accelerators that can be asked for by name; whoever adds a family gives it a place here."""

from __future__ import annotations

from core.base.errors import OptionError
from core.target.accelerator import Accelerator
from core.target.families import ethos_u55, ethos_u65

ACCELERATORS = {
    accelerator.name: accelerator
    for accelerator in (*ethos_u55.ACCELERATORS, *ethos_u65.ACCELERATORS)
}


def accelerator_named(name: str) -> Accelerator:
    """The configuration with this name; the case of letters does not matter."""
    try:
        return ACCELERATORS[name.lower()]
    except KeyError:
        raise OptionError.unknown("accelerator", name, ACCELERATORS) from None
