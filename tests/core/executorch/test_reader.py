"""Programs of ExecuTorch: all that is at hand is read as the references say, the rest refused."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from core.base.errors import InputError
from core.base.frozen import replace
from core.executorch import reader
from core.executorch.blob import read_blob, write_blob
from core.executorch.container import open_data, open_program
from core.executorch.scales import scales_of
from core.flatbuf.decode import decode
from core.flatbuf.view import UNKNOWN
from core.ir.executorch import DelegateCall, KernelCall, PlanTensor
from core.ir.network import Table
from core.pipeline.compiled import read_program
from core.pipeline.proof.delegates import verify_delegates
from tests.core.executorch.bundles import bundled
from tests.core.executorch.samples import BLOBS, EXTERNAL, LATER, PROGRAMS, READ, SMALL, title
from tests.shared import need


def unknown_fields(record: Table) -> list[str]:
    found = [name for name, _ in record.fields if name.startswith(UNKNOWN)]
    for _, value in record.fields:
        parts = value if isinstance(value, tuple) else (value,)
        found += [
            name for part in parts if isinstance(part, Table) for name in unknown_fields(part)
        ]
    return found


@pytest.mark.parametrize("path", PROGRAMS, ids=title)
def test_the_list_of_fields_knows_all_that_programs_set(path: Path):
    assert unknown_fields(decode(open_program(need(path).read_bytes()).root)) == []


def test_the_list_of_fields_knows_all_that_files_of_data_set():
    data = need(EXTERNAL).with_name("convres_external_u55-128.flash.ptd").read_bytes()
    assert unknown_fields(decode(open_data(data).root)) == []


@pytest.mark.parametrize("path", PROGRAMS, ids=title)
def test_delegates_are_the_bytes_that_were_kept_of_them(path: Path):
    (plan, *_) = reader.read(need(path).read_bytes()).plans
    for number, delegate in enumerate(plan.delegates):
        kept = path.with_name(f"{path.stem}.delegate{number}.vela_bin").read_bytes()
        assert delegate.blob == kept


@pytest.mark.parametrize("path", BLOBS, ids=title)
def test_a_blob_that_is_written_again_is_the_same(path: Path):
    data = need(path).read_bytes()
    assert write_blob(read_blob(data, lambda _: b"").blocks) == data


def test_a_program_is_calls_in_their_order():
    (plan,) = reader.read(need(SMALL).read_bytes()).plans
    calls = [
        call.kernel if isinstance(call, KernelCall) else call.delegate
        for call in plan.calls
        if isinstance(call, KernelCall | DelegateCall)
    ]
    quantise, dequantise = (
        f"quantized_decomposed::{kind}quantize_per_tensor.out" for kind in ("", "de")
    )
    around = (dequantise, "aten::sort.values", quantise)
    assert calls == [quantise, 0, *around, 1, dequantise]


@pytest.mark.parametrize("path", READ, ids=title)
def test_what_delegates_are_given_and_make_is_what_the_references_have(path: Path):
    read = read_program(need(path).read_bytes(), beside=lambda _: b"")
    assert read is not None
    with np.load(path.with_name(f"{path.stem}.reference.npz")) as arrays:
        for call, part in enumerate(read.program.parts):
            for what, items in (("in", part.inputs), ("out", part.outputs)):
                names = [
                    name for name in arrays if re.match(rf"call{call}_delegate\d+_{what}", name)
                ]
                kept = [(arrays[name].dtype, arrays[name].nbytes) for name in sorted(names)]
                found = [(np.dtype(item.dtype.numpy), item.size_bytes) for item in items]
                is_whole = len(found) == len(kept)
                assert found == kept if is_whole else set(found) < set(kept)
                lacks = path.stem.startswith("unet") and (call, what) == (0, "out")
                assert is_whole != lacks


def test_scales_are_those_of_kernels_outside():
    read = read_program(need(SMALL).read_bytes())
    assert read is not None
    first, second = read.program.parts
    assert [item.scale for item in first.inputs] == pytest.approx([0.0338881], rel=1e-4)
    assert [item.scale for item in first.outputs] == [item.scale for item in second.inputs]
    assert [(item.scale, item.zero_point) for item in second.outputs] == [
        (pytest.approx(0.0075877, rel=1e-4), 46)
    ]


def test_scales_may_be_plans_of_their_own():
    read = read_program(need("executorch/convres_io8_u55-128.pte").read_bytes())
    assert read is not None
    (part,) = read.program.parts
    ends = [(item.scale, item.zero_point) for item in (*part.inputs, *part.outputs)]
    assert ends == [
        (pytest.approx(0.0339471, rel=1e-4), 1),
        (pytest.approx(0.0199057, rel=1e-4), 24),
    ]


def test_a_kernel_that_quantises_nothing_says_no_scale():
    program = reader.read(need(SMALL).read_bytes())
    (plan,) = program.plans
    quantise = plan.calls[0]
    assert isinstance(quantise, KernelCall)
    numbers = tuple(at for at in quantise.args if not isinstance(plan.values[at], PlanTensor))
    broken = replace(plan, calls=(replace(quantise, args=(numbers[0], *numbers)),))
    assert scales_of(program, replace(plan, calls=(quantise,)))
    assert not scales_of(program, broken)


def test_an_output_that_a_blob_lacks_is_named():
    read = read_program(need("executorch/real/unet_u55-128.pte").read_bytes())
    assert read is not None
    assert read.program.misfits == (
        "delegate 0 makes 1 of 2 outputs that the program takes from it",
        "output 0 of delegate 0, int8 1x8x64x64, is made by nobody",
    )


@pytest.mark.parametrize("path", LATER, ids=title)
def test_what_is_for_later_accelerators_is_refused_by_name(path: Path):
    macs = path.stem.rpartition("-")[2]
    with pytest.raises(InputError, match=rf"Ethos-U85 of {macs} MACs.*weights.*scratch.*output 0"):
        read_program(need(path).read_bytes())


@pytest.mark.parametrize("path", LATER, ids=title)
def test_the_graph_of_what_is_for_later_accelerators_is_read(path: Path):
    own = path.with_suffix(".delegate0.tosa")
    with pytest.raises(InputError, match=r"takes and gives as many bytes: [\d,]+ operators"):
        verify_delegates(need(path).read_bytes(), {own.name: need(own).read_bytes()})


def test_a_graph_of_another_is_none_of_what_is_for_later_accelerators():
    given = need("executorch/real/gru_u85-256.pte").read_bytes()
    other = need("executorch/real/dscnn_u55-128.delegate0.tosa").read_bytes()
    with pytest.raises(InputError, match=r"U85 .* no graph .* as many bytes"):
        verify_delegates(given, {"other": other})


def test_weights_beside_a_program_are_asked_for():
    with pytest.raises(InputError, match=r"delegate 0: its weight_data .* not beside it \(.ptd"):
        read_program(need(EXTERNAL).read_bytes())


def test_a_program_that_is_bundled_with_tests_is_the_same_program():
    data = need(SMALL).read_bytes()
    assert reader.read(bundled(data)) == reader.read(data)


def test_blobs_of_older_exporters_have_zeros_for_a_size():
    data = need("executorch/softmax_u65-256.delegate0.vela_bin").read_bytes()
    blob = read_blob(data)
    older = tuple(
        block._replace(name=b"scratch_data".ljust(16, b"\0"), data=bytes(blob.scratch_bytes))
        if block.name.startswith(b"scratch_size")
        else block
        for block in blob.blocks
    )
    found = read_blob(write_blob(older))
    assert (found.scratch_bytes, found.inputs) == (blob.scratch_bytes, blob.inputs)


def test_what_a_blob_is_given_has_elements():
    blob = read_blob(need("executorch/softmax_u65-256.delegate0.vela_bin").read_bytes())

    def emptied(data: bytes) -> bytes:
        """Its first dimension is 0, and the others are so large that no array has them."""
        largest = (2**31 - 1).to_bytes(4, "little")
        return data[:4] + bytes(4) + 5 * largest + data[28:]

    broken = tuple(
        block._replace(data=emptied(block.data)) if block.name.startswith(b"inputs") else block
        for block in blob.blocks
    )
    with pytest.raises(InputError, match="input 0: has no elements, by its shape"):
        read_blob(write_blob(broken))
