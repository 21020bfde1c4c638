"""What a compiled network says besides its operators: origin, places in the arena, signatures.

Offline allocation as TensorFlow Lite Micro reads it: a version, the number of subgraphs, the number
of all tensors, and for each tensor its address in the arena, or -1 to let the runtime choose.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from core.base.frozen import replace
from core.base.ids import TensorId
from core.base.version import VERSION
from core.emit.conventions import (
    COMPILER_VERSIONS,
    EDITS_METADATA,
    OFFLINE_ALLOCATION,
    VERSION_METADATA,
)
from core.ir.constdata import ConstData
from core.ir.network import FieldValue, Metadata, Network, Table

_OFFLINE_VERSION = 0
_NOT_KEPT = frozenset({OFFLINE_ALLOCATION, EDITS_METADATA, *COMPILER_VERSIONS})

Moved = Mapping[TensorId, TensorId]


def metadata_of(
    given: Sequence[Metadata], addresses: Sequence[Sequence[int]]
) -> tuple[Metadata, ...]:
    """What the source has, each once, with our own version and the places of all tensors."""
    kept = (item for item in given if item.name not in _NOT_KEPT)
    return (
        *dict.fromkeys(kept),
        _metadata(VERSION_METADATA, VERSION.encode()),
        places_of(addresses),
    )


def places_of(addresses: Sequence[Sequence[int]]) -> Metadata:
    """The places of the tensors of each subgraph."""
    numbers = [_OFFLINE_VERSION, len(addresses), sum(map(len, addresses))]
    for part in addresses:
        numbers += part
    return _metadata(OFFLINE_ALLOCATION, np.array(numbers, "<i4").tobytes())


def with_edits(compiled: Network, edits: str) -> Network:
    """A compiled network that says which decisions were not the compiler's, as their file does."""
    said = _metadata(EDITS_METADATA, edits.encode())
    return replace(compiled, metadata=(*compiled.metadata, said))


def _metadata(name: str, content: bytes) -> Metadata:
    return Metadata(name=name, data=ConstData.of(np.frombuffer(content, np.uint8)))


def moved_signatures(signatures: Sequence[Table], moved: Sequence[Moved]) -> tuple[Table, ...]:
    """The same signatures over the tensors that there are now; none that names a lost tensor."""
    found = []
    for signature in signatures:
        number = signature.integer("subgraph_index")
        known = moved[number] if 0 <= number < len(moved) else {}
        ends = _ends(signature)
        if all(TensorId(end.integer("tensor_index")) in known for end in ends):
            found.append(_moved_signature(signature, known))
    return tuple(found)


def _ends(signature: Table) -> tuple[Table, ...]:
    return tuple(end for name in ("inputs", "outputs") for end in _tables(signature.get(name)))


def _tables(value: FieldValue) -> tuple[Table, ...]:
    return (
        tuple(part for part in value if isinstance(part, Table)) if isinstance(value, tuple) else ()
    )


def _moved_signature(signature: Table, known: Moved) -> Table:
    fields = (
        (name, tuple(_moved_end(end, known) for end in _tables(value)))
        if name in {"inputs", "outputs"}
        else (name, value)
        for name, value in signature.fields
    )
    return replace(signature, fields=tuple(fields))


def _moved_end(end: Table, known: Moved) -> Table:
    """A named tensor; as in other records, the number 0 is left out."""
    number = known[TensorId(end.integer("tensor_index"))]
    others = tuple(item for item in end.fields if item[0] != "tensor_index")
    return replace(end, fields=(*others, ("tensor_index", int(number))) if number else others)
