"""Signatures, damaged: what is compiled has those of its original, or does not hold."""

from __future__ import annotations

import functools
from random import Random

from core.api import compiler, proof, schedules, targets
from core.base.frozen import replace
from core.ir.network import FieldValue, Network, Table
from core.ir.options import Options, Search
from core.tflite import reader, writer
from tests.fuzz.kind import Inconsistent, Kind
from tests.fuzz.models import random_model

NETWORKS = 40
NAMES = ("", "<unnamed>", "x", "y", "serve", "a\nb", "\x1b[2J", "ä", "x" * 300)


@functools.lru_cache(maxsize=NETWORKS)
def _original(seed: int) -> bytes:
    """A network with a signature of all that goes in and comes out."""
    network = reader.read(random_model(seed))
    fields: tuple[tuple[str, FieldValue], ...] = (
        ("inputs", _ends(network.main.inputs, "in")),
        ("outputs", _ends(network.main.outputs, "out")),
        ("signature_key", "serve"),
    )
    signature = Table(kind="SignatureDef", fields=fields)
    return writer.write(replace(network, signatures=(signature,)))


def _ends(tensors: tuple[int, ...], name: str) -> tuple[Table, ...]:
    return tuple(_end(f"{name} {at}", tensor) for at, tensor in enumerate(tensors))


def _end(name: str, tensor: int) -> Table:
    return Table(kind="TensorMap", fields=(("name", name), ("tensor_index", tensor)))


@functools.lru_cache(maxsize=NETWORKS)
def compiled(model: bytes) -> bytes:
    """A model as we compile it."""
    target = targets.resolve_target("ethos-u55-128")
    made = schedules.schedule(model, target, Options(search=Search.COMPATIBLE))
    return compiler.compile_model(made).data


def _damaged(original: bytes, random: Random) -> bytes:
    network = reader.read(original)
    signatures = list(network.signatures)
    for _ in range(random.choice((0, 1, 1, 2))):
        at = random.randrange(len(signatures)) if signatures else 0
        match random.randrange(4):
            case 0 if signatures:
                del signatures[at]
            case 1 if signatures:
                signatures.append(signatures[at])
            case _:
                signatures[at : at + 1] = [
                    _other(each, network, random) for each in signatures[at : at + 1]
                ]
    return writer.write(replace(network, signatures=tuple(signatures)))


def _other(signature: Table, network: Network, random: Random) -> Table:
    fields = dict(signature.fields)
    what = random.choice(("inputs", "outputs", "signature_key", "subgraph_index"))
    if what == "subgraph_index":
        fields[what] = 0
        return Table(kind=signature.kind, fields=tuple(fields.items()))
    if what == "signature_key":
        fields[what] = random.choice(NAMES)
        return Table(kind=signature.kind, fields=tuple(fields.items()))
    value = fields.get(what, ())
    ends = [each for each in value if isinstance(each, Table)] if isinstance(value, tuple) else []
    graph = network.main
    known = graph.inputs if what == "inputs" else graph.outputs
    anything = random.randrange(len(graph.tensors))
    tensor = random.choice((*known, *known, anything))
    match random.randrange(4):
        case 0 if ends:
            del ends[random.randrange(len(ends))]
        case 1:
            ends.append(_end(random.choice(NAMES), tensor))
        case 2:
            random.shuffle(ends)
        case _:
            at = random.randrange(len(ends) + 1)
            ends[at : at + 1] = [
                _end(random.choice((str(each.get("name", "")), *NAMES)), tensor)
                for each in ends[at : at + 1]
            ]
    fields[what] = tuple(ends)
    return Table(kind=signature.kind, fields=tuple(fields.items()))


def _use(original: bytes, data: bytes, _: Random) -> None:
    network = reader.read(data)
    found = proof.verify(compiled(data), data, inputs=1)
    if found.holds is not _can_be_kept(network):
        raise Inconsistent(f"as it is compiled: {'; '.join(found.sentences())}")
    found = proof.verify(compiled(original), data, inputs=1)
    is_same = _told(network) == _told(reader.read(original))
    if found.holds is not is_same:
        raise Inconsistent(f"beside its like: {'; '.join(found.sentences())}")


def _can_be_kept(network: Network) -> bool:
    """Whether all signatures are about what goes in or comes out, whatever they call it: all else
    may be no tensor of what is compiled."""
    kept = {*network.main.inputs, *network.main.outputs}
    return all(tensor in kept for _, ends in _told(network) for _, _, tensor in ends)


def _told(network: Network) -> list[tuple[str, list[tuple[str, str, int]]]]:
    """What signatures say, in an order that is not the file's."""

    def named(name: object) -> str:
        return "" if name in (None, "<unnamed>") else str(name)

    return sorted(
        (
            named(table.get("signature_key")),
            sorted(
                (what, named(end.get("name")), end.integer("tensor_index"))
                for what in ("input", "output")
                for end in _tables(table.get(f"{what}s"))
            ),
        )
        for table in network.signatures
    )


def _tables(value: FieldValue) -> list[Table]:
    return [each for each in value if isinstance(each, Table)] if isinstance(value, tuple) else []


KIND = Kind("tflite", lambda random: _original(random.randrange(NETWORKS)), _damaged, _use)
