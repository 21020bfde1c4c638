"""Programs and files of data that are written again: the same bytes, or others in their place."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.errors import InputError
from core.base.frozen import replace
from core.executorch import reader
from core.executorch.beside import entry_of
from core.executorch.blob import read_blob, write_blob
from core.executorch.container import open_data
from core.executorch.writer import with_blobs, with_entries
from core.ir.executorch import ExecutorchProgram
from tests.core.executorch.bundles import bundled
from tests.core.executorch.samples import EXTERNAL, PROGRAMS, SMALL, title
from tests.shared import need


def blobs_of(program: ExecutorchProgram) -> list[bytes]:
    return [delegate.blob for plan in program.plans for delegate in plan.delegates]


def with_other(program: ExecutorchProgram, blobs: list[bytes]) -> ExecutorchProgram:
    left = iter(blobs)
    return replace(
        program,
        plans=tuple(
            replace(
                plan, delegates=tuple(replace(each, blob=next(left)) for each in plan.delegates)
            )
            for plan in program.plans
        ),
    )


def data_beside() -> bytes:
    return need(EXTERNAL).with_name("convres_external_u55-128.flash.ptd").read_bytes()


@pytest.mark.parametrize("path", PROGRAMS, ids=title)
def test_a_program_that_is_taken_apart_and_written_again_is_the_same_bytes(path: Path):
    data = need(path).read_bytes()
    again = [
        write_blob(read_blob(each, lambda _: b"").blocks) for each in blobs_of(reader.read(data))
    ]
    assert with_blobs(data, again) == data


def test_a_program_in_a_bundle_that_is_written_again_is_the_same_bytes():
    data = bundled(need(SMALL).read_bytes())
    assert with_blobs(data, blobs_of(reader.read(data))) == data


def test_a_file_of_data_that_is_written_again_is_the_same_bytes():
    data = data_beside()
    keys = [view.string("key") for view in open_data(data).root.tables("named_data")]
    assert keys
    assert with_entries(data, {key: entry_of((data,), key) for key in keys}) == data


@settings(max_examples=30)
@given(sizes=st.lists(st.integers(0, 9000), min_size=2, max_size=2), seed=st.integers(0, 9))
def test_blobs_of_any_size_take_the_place_of_others_and_all_else_stays(sizes: list[int], seed: int):
    data, random = need(SMALL).read_bytes(), Random(seed)
    blobs = [random.randbytes(size) for size in sizes]
    found = reader.read(with_blobs(data, blobs))
    assert found == with_other(reader.read(data), blobs)
    assert with_blobs(with_blobs(data, blobs), blobs_of(reader.read(data))) == data


@settings(max_examples=30)
@given(size=st.integers(1, 9000))
def test_data_of_any_size_takes_the_place_of_another(size: int):
    data = data_beside()
    (key,) = (view.string("key") for view in open_data(data).root.tables("named_data"))
    other = Random(size).randbytes(size)
    assert entry_of((with_entries(data, {key: other}),), key) == other


def test_segments_begin_where_the_exporter_aligns_them():
    data = need(SMALL).read_bytes()
    first, second = blobs_of(reader.read(data))
    written = with_blobs(data, [first + bytes(16), second])
    assert written.index(second) % 128 == 0


def test_bytes_inside_of_tables_are_replaced_by_as_many():
    data = need("executorch/convres_inline_u55-128.pte").read_bytes()
    (blob,) = blobs_of(reader.read(data))
    other = bytes(len(blob))
    assert blobs_of(reader.read(with_blobs(data, [other]))) == [other]
    with pytest.raises(InputError, match=r"delegate 0: .* cannot take the place of 7712"):
        with_blobs(data, [blob + bytes(16)])
    bundle = bundled(need(SMALL).read_bytes())
    first, second = blobs_of(reader.read(bundle))
    with pytest.raises(InputError, match=r"in a bundle: .* cannot take the place"):
        with_blobs(bundle, [first + bytes(2000), second])


def test_an_entry_that_is_not_there_is_refused():
    with pytest.raises(InputError, match="no entry 'other'"):
        with_entries(data_beside(), {"other": b""})
