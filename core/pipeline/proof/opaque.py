"""Operators that LiteRT does not have: they are left out, and all around them is proved.

A network that runs them on the CPU is opened there: what they are given becomes outputs, and what
they make becomes inputs. With that the original and the compiled model are compared as any others.
"""

from __future__ import annotations

from collections.abc import Iterable

from core.base.errors import InputError
from core.base.frozen import Frozen, replace
from core.base.ids import TensorId
from core.emit.conventions import CUSTOM_CODE
from core.ir.network import Network, Operator
from core.pipeline.proof import litert
from core.pipeline.proof.excerpts import cut_out


class Opened(Frozen):
    """A network without operators that cannot be computed."""

    network: Network
    numbers: tuple[int, ...]
    """Of its operators in the file, by position."""
    opaque: tuple[Operator, ...] = ()
    around: frozenset[str] = frozenset()
    """Names of tensors that became outputs."""
    unproved: tuple[str, ...] = ()
    """Names of outputs that the operators make themselves."""

    @property
    def codes(self) -> frozenset[str]:
        """What the operators are called."""
        return frozenset(op.custom_code for op in self.opaque)

    def sentences(self) -> Iterable[str]:
        """What is not proved."""
        for code in dict.fromkeys(op.custom_code for op in self.opaque):
            mine = (op for op in self.opaque if op.custom_code == code)
            made = {self.network.main.tensors[out].name for op in mine for out in op.outputs}
            names = ", ".join(f"'{name}'" for name in self.unproved if name in made)
            rest = f", which makes {names}" if names else ""
            yield (
                f"not proved: {code}{rest}; LiteRT does not have it, so what it is given is proved,"
                " and what follows from whatever it makes"
            )


def unknown_codes(network: Network) -> frozenset[str]:
    """The custom operators of a network that LiteRT cannot prepare."""
    found = {op.custom_code: op for op in network.main.operators if op.kind == "CUSTOM"}
    return frozenset(
        code
        for code, op in found.items()
        if code != CUSTOM_CODE and not _is_known(cut_out(network, (op,)))
    )


def _is_known(network: Network) -> bool:
    try:
        litert.Session(network)
    except InputError:
        return False
    return True


def opened(network: Network, codes: frozenset[str]) -> Opened:
    """A network whose custom operators of these names are left out."""
    graph = network.main
    opaque = tuple(op for op in graph.operators if op.custom_code in codes)
    numbers = tuple(at for at, op in enumerate(graph.operators) if op not in opaque)
    if not opaque:
        return Opened(network=network, numbers=numbers)
    made = tuple(dict.fromkeys(out for op in opaque for out in op.outputs))
    operators = tuple(graph.operators[at] for at in numbers)
    computed = {out for op in operators for out in op.outputs}
    given = dict.fromkeys(at for op in opaque for at in op.inputs if at in computed)
    kept = tuple(number for number in graph.outputs if number not in made)
    around = tuple(number for number in _numbers(given) if number not in kept)
    main = replace(
        graph, operators=operators, inputs=(*graph.inputs, *made), outputs=(*kept, *around)
    )
    return Opened(
        network=replace(network, subgraphs=(main, *network.subgraphs[1:]), signatures=()),
        numbers=numbers,
        opaque=opaque,
        around=frozenset(graph.tensors[number].name for number in around),
        unproved=tuple(graph.tensors[number].name for number in graph.outputs if number in made),
    )


def _numbers(found: Iterable[TensorId | None]) -> Iterable[TensorId]:
    return (number for number in found if number is not None)


def is_same(made: Opened, original: Opened) -> bool:
    """Whether both run the same operators where nothing can be computed, on the same tensors."""
    return _told(made) == _told(original)


def _told(found: Opened) -> list[tuple[object, ...]]:
    tensors = found.network.main.tensors

    def names(numbers: Iterable[TensorId | None]) -> tuple[str | None, ...]:
        return tuple(None if number is None else tensors[number].name for number in numbers)

    return [
        (op.custom_code, op.custom_options, names(op.inputs), names(op.outputs))
        for op in found.opaque
    ]
