"""Names by which a model is called are part of the proof, as what it computes is."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from core.api import proof
from core.base.frozen import replace
from core.cli import exits, main
from core.ir.network import FieldValue, Network, Table
from core.pipeline.proof.unnamed import plain_name
from core.tflite import reader, writer
from tests.core.pipeline.planted import compiled_here, example
from tests.shared import need

NAME = "camera_and_motion"
"""A network of two inputs, and of outputs of which some are made beside others."""


def named(name: str, tensor: int) -> Table:
    return Table(kind="TensorMap", fields=(("name", name), ("tensor_index", tensor)))


def signature(key: str, network: Network, *, names: str = "ab") -> Table:
    """All inputs and outputs of a network by names of one letter and a number."""
    fields: tuple[tuple[str, FieldValue], ...] = (
        ("inputs", tuple(named(f"{names[0]}{i}", t) for i, t in enumerate(network.main.inputs))),
        ("outputs", tuple(named(f"{names[1]}{i}", t) for i, t in enumerate(network.main.outputs))),
        ("signature_key", key),
    )
    return Table(kind="SignatureDef", fields=fields)


def with_signatures(data: bytes, *made: Callable[[Network], Table]) -> bytes:
    network = reader.read(data)
    return writer.write(replace(network, signatures=tuple(make(network) for make in made)))


def serve(network: Network) -> Table:
    return signature("serve", network)


def train(network: Network) -> Table:
    return signature("train", network)


@pytest.fixture(scope="module")
def original() -> bytes:
    return with_signatures(example(NAME), serve, train)


@pytest.fixture(scope="module")
def made(original: bytes) -> bytes:
    return compiled_here(original)


def faults(made: bytes, original: bytes) -> tuple[str, ...]:
    """What is found; what is computed is right in all that is tried here."""
    found = proof.verify(made, original, inputs=1)
    assert all(output.is_equal for output in found.outputs)
    assert found.outputs
    assert found.holds is (not found.faults)
    return found.faults


def test_what_we_compile_keeps_them(made: bytes, original: bytes) -> None:
    assert len(reader.read(made).signatures) == 2
    assert faults(made, original) == ()


def test_in_another_order_they_are_the_same(made: bytes, original: bytes) -> None:
    def turned(table: Table) -> Table:
        fields = tuple(
            (name, value[::-1] if isinstance(value, tuple) else value)
            for name, value in table.fields[::-1]
        )
        return replace(table, fields=fields)

    network = reader.read(made)
    signatures = tuple(turned(table) for table in network.signatures[::-1])
    assert signatures != network.signatures
    assert faults(writer.write(replace(network, signatures=signatures)), original) == ()


def ends(network: Network, what: str, names: tuple[str, ...], tensors: tuple[int, ...]) -> Table:
    """A signature with other names for the inputs, or for the outputs, or in another order."""
    pairs = zip(names, tensors, strict=True)
    changed = tuple(named(name, tensor) for name, tensor in pairs)
    whole = signature("serve", network)
    fields = tuple((name, changed if name == what else value) for name, value in whole.fields)
    return replace(whole, fields=fields)


@pytest.mark.parametrize(
    ("serving", "told"),
    [
        (
            lambda net: ends(net, "inputs", ("a1", "a0"), net.main.inputs),
            ("its input 'a0' is input 1, and input 0 in the original", "its input 'a1' is input 0"),
        ),
        (
            lambda net: ends(net, "inputs", ("a0",), net.main.inputs[:1]),
            ("its input 'a1' is missing, input 1 in the original",),
        ),
        (
            lambda net: ends(net, "inputs", ("a0", "a1", "more"), (*net.main.inputs, 0)),
            ("its input 'more' is not in the original",),
        ),
        (
            lambda net: ends(net, "inputs", ("a0", "A1"), net.main.inputs),
            ("its input 'a1' is missing", "its input 'A1' is not in the original"),
        ),
        (
            lambda net: ends(net, "outputs", ("b0",), net.main.inputs[:1]),
            ("its output 'b0' is tensor ", ""),
        ),
    ],
    ids=["swapped", "lost", "added", "renamed", "of another end"],
)
def test_each_end_is_what_its_name_says(
    serving: Callable[[Network], Table], told: tuple[str, ...], made: bytes, original: bytes
) -> None:
    found = faults(with_signatures(made, serving, train), original)
    assert found
    for fault, text in zip(found, told, strict=False):
        assert fault.startswith(f"signature 'serve': {text}")


@pytest.mark.parametrize(
    ("signatures", "told"),
    [
        ((), ["'serve' of the original is missing", "'train' of the original is missing"]),
        ((serve,), ["'train' of the original is missing"]),
        ((serve, train, lambda net: signature("", net)), ["'' is not in the original"]),
        (
            (serve, lambda net: signature("Train", net)),
            ["'train' of the original is missing", "'Train' is not in the original"],
        ),
        ((serve, train, train), ["'train' is there 2 times, and 1 time in the original"]),
    ],
    ids=["all lost", "one lost", "added", "renamed", "twice"],
)
def test_none_is_lost_added_or_renamed(
    signatures: tuple[Callable[[Network], Table], ...],
    told: list[str],
    made: bytes,
    original: bytes,
) -> None:
    found = faults(with_signatures(made, *signatures), original)
    assert list(found) == [f"signature {text}" for text in told]


def test_an_original_without_any_has_none_added(made: bytes) -> None:
    assert faults(with_signatures(made, serve), example(NAME)) == (
        "signature 'serve' is not in the original",
    )


def test_a_name_that_says_that_there_is_none_is_none() -> None:
    """As the ecosystem's newer compiler writes what has no name."""
    assert plain_name("<unnamed>") == plain_name("") != plain_name("unnamed")
    network = reader.read(example(NAME))

    def nameless(network: Network, name: str) -> bytes:
        graph = network.main
        tensors = list(graph.tensors)
        for number in (graph.inputs[0], graph.outputs[0]):
            tensors[number] = replace(tensors[number], name=name)
        main = replace(graph, tensors=tuple(tensors))
        blank = signature(name, network)
        return writer.write(replace(network, subgraphs=(main,), signatures=(blank,)))

    original = nameless(network, "")
    theirs = nameless(reader.read(compiled_here(original)), "<unnamed>")
    assert faults(theirs, original) == ()


def test_a_signature_of_what_is_inside_a_model_is_told(
    capsys: pytest.CaptureFixture[str], tmp_path
) -> None:
    """No compiled model can have it: what it names is never there as a whole."""
    network = reader.read(example(NAME))
    inside = next(op.outputs[0] for op in network.main.operators)
    odd = ends(network, "outputs", ("b0",), (inside,))
    model = tmp_path / "model.tflite"
    model.write_bytes(writer.write(replace(network, signatures=(odd,))))
    argv = ["compile", str(model), "-o", str(tmp_path / "o.tflite"), "--verify", "--inputs", "1"]
    assert main(argv) == exits.DISPROVED
    told = capsys.readouterr()
    assert f"signature 0, outputs: tensor {inside} is none of those of subgraph 0" in told.err
    assert "finding: signature 'serve' of the original is missing" in told.out


def test_the_file_whose_signature_was_swapped_does_not_hold() -> None:
    made, original = (
        need(f"regressions/trust/{name}.tflite").read_bytes() for name in ("sigswap", "sig")
    )
    assert faults(made, original) == (
        "signature 'serve': its output 'first' is output 1, and output 0 in the original",
        "signature 'serve': its output 'second' is output 0, and output 1 in the original",
    )
    assert faults(compiled_here(original), original) == ()
