"""Graphs that are none: what is not TOSA's, or of no size, is refused in one line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.errors import InputError
from core.base.frozen import replace
from core.flatbuf.decode import decode
from core.flatbuf.view import Source
from core.ir.network import Table
from core.tosa import reader
from core.tosa.schema import TOSA
from tests.core.tosa.graphs import changed, written
from tests.shared import need

SAMPLE = "executorch/ops/clamp8.tosa"


def with_shape(shape: tuple[int, ...]) -> bytes:
    """The sample, all of whose tensors have a shape."""

    def reshaped(tensor: Table) -> Table:
        fields = dict(tensor.fields) | {"shape": shape}
        return replace(tensor, fields=tuple(fields.items()))

    root = decode(Source(need(SAMPLE).read_bytes(), TOSA).root("TosaGraph"))
    return written(changed(root, "TosaTensor", reshaped))


def test_a_graph_that_is_written_again_is_the_same_graph():
    data = need(SAMPLE).read_bytes()
    root = decode(Source(data, TOSA).root("TosaGraph"))
    assert reader.read(written(root)) == reader.read(data)


@given(
    before=st.lists(st.integers(1, 2**31 - 1), max_size=4),
    after=st.lists(st.integers(1, 2**31 - 1), max_size=3),
    size=st.integers(-(2**31), 0),
)
def test_dimensions_of_no_size_are_refused_however_large_others_are(
    before: list[int], after: list[int], size: int
):
    with pytest.raises(InputError, match=r"shape: .* no dimensions"):
        reader.read(with_shape((*before, size, *after)))
