"""All accelerators that can be asked for by name; whoever adds a family gives it a place here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from core.base.errors import InternalError, OptionError
from core.target.accelerator import Accelerator
from core.target.families import ethos_u55, ethos_u65


def registered(*families: tuple[Accelerator, ...]) -> Mapping[str, Accelerator]:
    """The accelerators of some families by their names."""
    if not all(families):
        raise InternalError("a family has no accelerators")
    by_name = {accelerator.name: accelerator for family in families for accelerator in family}
    if len(by_name) < sum(map(len, families)):
        raise InternalError(f"accelerators share a name: {', '.join(by_name)}")
    return MappingProxyType(by_name)


ACCELERATORS = registered(ethos_u55.ACCELERATORS, ethos_u65.ACCELERATORS)


def accelerator_named(name: str) -> Accelerator:
    """The configuration with this name; the case of letters does not matter."""
    try:
        return ACCELERATORS[name.lower()]
    except KeyError:
        families = {known.rpartition("-")[0] for known in ACCELERATORS}
        if re.match(r"ethos-u\d", name.lower()) and not name.lower().startswith(tuple(families)):
            # A family that we do not know is no slip of the pen.
            known = ", ".join(sorted(ACCELERATORS))
            raise OptionError(f"no accelerator '{name}' is known here; known are {known}") from None
        raise OptionError.unknown("accelerator", name, ACCELERATORS) from None
