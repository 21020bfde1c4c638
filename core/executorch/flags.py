"""What a delegate says it was compiled with."""

from __future__ import annotations

from collections.abc import Iterable

from core.base.frozen import Frozen

_SPECIFICATION, _FLAGS = "tosa_spec", "compile_flags"
_NAMES = {"--system-config": "system_config", "--memory-mode": "memory_mode"}


class Flags(Frozen):
    """Names by which the ecosystem's compiler was told; empty where nothing is said."""

    specification: str = ""
    """Which part of TOSA it was lowered to."""
    system_config: str = ""
    memory_mode: str = ""


def flags_of(specs: Iterable[tuple[str, bytes]]) -> Flags:
    """The flags among the compile specs of a delegate."""
    told = {key: value.decode("utf-8", "backslashreplace").rstrip("\0") for key, value in specs}
    found = {}
    for word in told.get(_FLAGS, "").split():
        option, _, value = word.partition("=")
        if option in _NAMES:
            found[_NAMES[option]] = value
    return Flags(specification=told.get(_SPECIFICATION, ""), **found)
