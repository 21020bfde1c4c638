"""Bricks wherever all operators that touch a map can use them; constants where they are stored."""

from __future__ import annotations

from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.dtype import DType
from core.base.geometry import Shape4
from core.base.ids import FmId
from core.ir.constdata import ConstData
from core.ir.decisions import ConstantPlaced, ConstantReason, FormatChosen, FormatReason
from core.ir.npugraph import Activation, ActivationKind, LinearReason, NpuGraph, OpKind, View
from core.schedule.formats import choose_formats, place_constants
from core.target.format import Format
from core.target.registry import accelerator_named
from tests.core.schedule.sketch import DEDICATED, Sketch, scheduled

ONE_CORE, TWO_CORES = "ethos-u65-256", "ethos-u65-512"
PICTURE = (1, 8, 8, 16)


def choice(graph: NpuGraph, fm: FmId, accelerator: str = ONE_CORE) -> FormatChosen:
    """What is decided of a map; there is one decision for each map, in their order."""
    found = choose_formats(graph, accelerator_named(accelerator))
    assert [each.fm for each in found] == list(range(len(graph.feature_maps)))
    for each in found:
        is_free = each.reason is FormatReason.NOTHING_AGAINST_BRICKS
        assert is_free == (each.format is Format.BRICKS)
        assert (each.channel is not None) == (each.reason is FormatReason.INSIDE_BRICK)
        if each.op is not None:
            assert each.fm in {view.fm for view in graph.ops[each.op].views}
    return found[fm]


def is_rows(graph: NpuGraph, fm: FmId, accelerator: str = ONE_CORE) -> bool:
    return choice(graph, fm, accelerator).format is Format.LINEAR


def test_a_map_between_two_operators_is_in_bricks_whatever_its_depth():
    for channels in (1, 8, 16, 40):
        s = Sketch()
        inner = s.conv(s.input(PICTURE), channels)
        assert not is_rows(s.build(s.conv(inner)), inner)


def test_inputs_and_outputs_of_the_network_are_in_rows():
    s = Sketch()
    first = s.input(PICTURE)
    last = s.conv(s.conv(first))
    graph = s.build(last)
    assert is_rows(graph, first)
    assert is_rows(graph, last)
    assert choice(graph, last).reason is FormatReason.OUTSIDE


def test_an_output_that_is_read_inside_too_is_in_rows():
    s = Sketch()
    both = s.conv(s.input(PICTURE))
    last = s.conv(both)
    assert is_rows(s.build(both, last), both)


def test_what_the_cpu_makes_or_reads_is_in_rows():
    s = Sketch()
    inner = s.conv(s.input(PICTURE))
    read_there = s.conv(inner)
    made_there = s.map(PICTURE)
    s.cpu((read_there,), (made_there,))
    graph = s.build(s.conv(made_there))
    assert not is_rows(graph, inner)
    assert is_rows(graph, read_there)
    assert is_rows(graph, made_there)


def test_what_goes_from_one_island_to_a_later_one_is_in_rows():
    s = Sketch()
    early = s.conv(s.input(PICTURE))
    made = s.map(PICTURE)
    s.cpu((s.conv(early),), (made,))
    assert is_rows(s.build(s.add(made, early)), early)


def test_what_only_the_cpu_touches_is_in_rows():
    s = Sketch()
    first, between, made = s.input(PICTURE), s.map(PICTURE), s.map(PICTURE)
    s.cpu((first,), (between,))
    s.cpu((between,), (made,))
    assert is_rows(s.build(s.conv(made)), between)


def test_constants_are_in_rows():
    s = Sketch()
    row = s.constant((1, 1, 1, 16))
    graph = s.build(s.conv(s.add(s.conv(s.input(PICTURE)), row)))
    assert choice(graph, row) == FormatChosen(
        fm=row, format=Format.LINEAR, reason=FormatReason.CONSTANT
    )


def test_states_are_in_rows():
    s = Sketch()
    state = s.map(PICTURE, is_variable=True)
    s.op(OpKind.ABS, state, s.conv(s.input(PICTURE)))
    assert is_rows(s.build(s.conv(state)), state)


def test_a_map_in_the_bytes_of_another_is_in_rows():
    s = Sketch()
    state = s.map(PICTURE, is_variable=True)
    after = s.map(PICTURE, storage=state)
    s.op(OpKind.ADD, after, s.conv(s.input(PICTURE)), state)
    assert is_rows(s.build(s.conv(after)), after)


def test_where_lowering_demands_rows_the_reason_is_its_own():
    s = Sketch()
    inner = s.map(PICTURE, linear_reason=LinearReason.WRITTEN_BY_COLUMNS)
    s.op(OpKind.ABS, inner, s.conv(s.input(PICTURE)))
    graph = s.build(s.conv(inner))
    assert choice(graph, inner).reason is LinearReason.WRITTEN_BY_COLUMNS
    assert is_rows(graph, inner)


DEPTHS = st.lists(st.sampled_from((3, 8, 16, 24, 32)), min_size=1, max_size=5)


def starts_of(depths: list[int]) -> list[int]:
    return [0, *accumulate(depths)][:-1]


@given(DEPTHS)
def test_a_concatenation_is_in_bricks_where_each_part_begins_with_a_brick(depths):
    s = Sketch()
    first = s.input(PICTURE)
    joined = s.map((1, 8, 8, sum(depths)))
    for start, depth in zip(starts_of(depths), depths, strict=True):
        s.op(
            OpKind.CONV_2D,
            s.part(joined, (0, 0, 0, start), (1, 8, 8, depth)),
            first,
        )
    graph = s.build(s.conv(joined))
    assert is_rows(graph, joined) == any(start % 16 for start in starts_of(depths))


@given(DEPTHS)
def test_a_split_map_is_in_bricks_where_each_part_begins_with_a_brick(depths):
    s = Sketch()
    whole = s.conv(s.input(PICTURE), sum(depths))
    parts = [
        s.conv(s.part(whole, (0, 0, 0, start), (1, 8, 8, depth)))
        for start, depth in zip(starts_of(depths), depths, strict=True)
    ]
    assert is_rows(s.build(*parts), whole) == any(start % 16 for start in starts_of(depths))


def test_parts_along_height_and_width_can_be_in_bricks():
    s = Sketch()
    whole = s.conv(s.input(PICTURE))
    graph = s.build(s.conv(s.part(whole, (0, 3, 5, 0), (1, 4, 2, 16))))
    assert not is_rows(graph, whole)


def test_a_map_that_someone_sees_in_another_shape_is_in_rows():
    s = Sketch()
    reader, maker = s.conv(s.input(PICTURE)), s.map(PICTURE)
    s.op(OpKind.ABS, View(fm=maker, shape=Shape4(1, 64, 1, 16)), s.alone(s.input((1, 64, 1, 16))))
    s.conv(View(fm=reader, shape=Shape4(1, 4, 16, 16)))
    graph = s.build(s.conv(maker), s.conv(reader))
    assert is_rows(graph, reader)
    assert is_rows(graph, maker)
    assert choice(graph, reader).reason is FormatReason.OTHER_SHAPE


def test_a_map_of_fewer_dimensions_is_not_another_shape():
    s = Sketch()
    flat = s.map((1, 64))
    s.op(OpKind.FULLY_CONNECTED, flat, s.input((1, 64)))
    assert not is_rows(s.build(s.dense(flat)), flat)


def test_a_map_of_more_than_four_dimensions_is_in_rows():
    s = Sketch()
    deep = s.map((1, 1, 8, 8, 16))
    s.op(OpKind.ABS, deep, s.conv(s.input(PICTURE)))
    assert is_rows(s.build(s.conv(deep)), deep)


def test_both_ends_of_a_copy_are_in_rows():
    s = Sketch()
    source, copied = s.conv(s.input(PICTURE)), s.map(PICTURE)
    s.op(OpKind.COPY, copied, source)
    graph = s.build(s.conv(copied))
    assert is_rows(graph, source)
    assert is_rows(graph, copied)
    assert choice(graph, source).reason is FormatReason.DMA


@pytest.mark.parametrize(
    ("dtype", "accelerator", "rows"),
    [
        (DType.INT32, ONE_CORE, True),
        (DType.INT32, TWO_CORES, True),
        (DType.INT8, ONE_CORE, False),
        (DType.INT16, ONE_CORE, False),
        (DType.INT8, TWO_CORES, True),
    ],
)
def test_what_is_summed_over_channels_is_in_rows_with_32_bits_or_two_cores(
    dtype, accelerator, rows
):
    s = Sketch()
    given_ = s.map(PICTURE, dtype)
    s.op(OpKind.MUL, given_, s.conv(s.input(PICTURE)), s.conv(s.input(PICTURE)))
    summed = s.op(OpKind.REDUCE_SUM, s.map((1, 8, 8, 1), dtype), given_)
    graph = s.build(s.conv(summed))
    assert is_rows(graph, given_, accelerator) == rows
    assert not is_rows(graph, summed, accelerator)


def test_other_operators_read_bricks_with_two_cores():
    s = Sketch()
    inner = s.conv(s.input(PICTURE))
    assert not is_rows(s.build(s.conv(inner)), inner, TWO_CORES)


class TestAnElementwiseOutputThatCanLieOnAnInputOfRows:
    THIN = (1, 8, 8, 8)

    def test_is_in_rows_and_so_is_what_can_lie_on_it(self):
        s = Sketch()
        one = s.alone(s.input(self.THIN))
        two = s.alone(one)
        graph = s.build(s.conv(two))
        assert is_rows(graph, one)
        assert is_rows(graph, two)
        assert choice(graph, two).reason is FormatReason.LIES_ON_ROWS

    def test_may_lie_on_the_second_input(self):
        s = Sketch()
        first = s.input(self.THIN)
        made = s.add(s.conv(first), first)
        assert is_rows(s.build(s.conv(made)), made)

    @pytest.mark.parametrize("channels", [16, 32])
    def test_is_in_bricks_where_it_fills_them(self, channels):
        s = Sketch()
        made = s.alone(s.input((1, 8, 8, channels)))
        assert not is_rows(s.build(s.conv(made)), made)

    def test_is_in_bricks_where_no_input_is_in_rows(self):
        s = Sketch()
        made = s.alone(s.conv(s.input(self.THIN)))
        assert not is_rows(s.build(s.conv(made)), made)

    def test_is_in_bricks_where_the_input_has_other_elements(self):
        s = Sketch()
        made = s.op(OpKind.ABS, s.map(self.THIN, DType.INT16), s.input(self.THIN))
        assert not is_rows(s.build(s.conv(made)), made)

    def test_is_in_bricks_where_the_input_is_repeated(self):
        s = Sketch()
        made = s.add(s.conv(s.input(self.THIN)), s.input((1, 1, 1, 8)))
        assert not is_rows(s.build(s.conv(made)), made)

    def test_is_in_bricks_where_the_input_is_a_scalar(self):
        s = Sketch()
        one = (1, 1, 1, 1)
        made = s.add(s.conv(s.input(one)), s.constant(()))
        assert not is_rows(s.build(s.conv(made)), made)

    def test_is_in_bricks_where_the_operator_is_not_elementwise(self):
        s = Sketch()
        made = s.conv(s.input(self.THIN))
        assert not is_rows(s.build(s.conv(made)), made)

    @pytest.mark.parametrize("elementwise_first", [True, False])
    def test_goes_after_the_first_of_several_makers(self, elementwise_first):
        s = Sketch()
        first = s.input(self.THIN)
        joined = s.map(self.THIN)
        kinds = [OpKind.ABS, OpKind.CONV_2D]
        for at, kind in enumerate(kinds if elementwise_first else reversed(kinds)):
            box = ((0, 4 * at, 0, 0), (1, 4, 8, 8))
            s.op(kind, s.part(joined, *box), s.part(first, *box))
        assert is_rows(s.build(s.conv(joined)), joined) == elementwise_first


def test_the_first_reason_that_was_found_is_said():
    """A map can have several; the log names one that is true."""
    s = Sketch()
    last = s.conv(s.input(PICTURE))
    copied = s.op(OpKind.COPY, s.map(PICTURE), last)
    graph = s.build(last, copied)
    assert choice(graph, last).reason in {FormatReason.DMA, FormatReason.OUTSIDE}


@pytest.mark.parametrize("starts", [(0, 8), (8, 0)])
def test_one_operator_that_cannot_is_enough(starts):
    s = Sketch()
    shared = s.conv(s.input(PICTURE), 40)
    ends = [s.conv(s.part(shared, (0, 0, 0, start), (1, 8, 8, 16))) for start in starts]
    assert is_rows(s.build(*ends), shared)


TABLE = Activation(kind=ActivationKind.LUT, table=ConstData.of(np.arange(-128, 128, dtype=np.int8)))


def placed(s: Sketch, *outputs: int) -> list[tuple[int, int | None, bool]]:
    found = place_constants(s.build(*outputs))
    for each in found:
        assert each.is_moved == (each.reason is ConstantReason.LOOKED_UP)
    return [(each.op, each.fm, each.is_moved) for each in found]


def test_a_table_is_moved_to_the_shared_buffer():
    s = Sketch()
    assert placed(s, s.conv(s.input(PICTURE), activation=TABLE)) == [(0, None, True)]


def test_other_activations_have_no_table():
    s = Sketch()
    for kind in (ActivationKind.CLAMP, ActivationKind.TANH, ActivationKind.SIGMOID):
        last = s.conv(s.input(PICTURE), activation=Activation(kind=kind))
    assert placed(s, last) == []


def test_a_constant_map_is_read_where_it_is_stored_by_each_of_its_readers():
    s = Sketch()
    row = s.constant((1, 1, 1, 16))
    last = s.add(s.add(s.input(PICTURE), row), row)
    assert placed(s, last) == [(0, row, False), (1, row, False)]


def test_a_scalar_is_part_of_the_command():
    s = Sketch()
    scalar = s.constant(())
    found = place_constants(s.build(s.add(s.input(PICTURE), scalar)))
    assert found == (
        ConstantPlaced(op=0, fm=scalar, is_moved=False, reason=ConstantReason.IN_COMMAND),
    )


def test_a_constant_first_input_counts_too():
    s = Sketch()
    row = s.constant(PICTURE)
    assert placed(s, s.add(row, s.input(PICTURE))) == [(0, row, False)]


def test_the_log_of_a_schedule_has_them():
    s = Sketch()
    row = s.constant((1, 1, 1, 16))
    graph = s.build(s.conv(s.add(s.input(PICTURE), row), activation=TABLE))
    log = scheduled(graph, DEDICATED, 1 << 16).decisions
    found = [each for each in log if isinstance(each, ConstantPlaced)]
    assert tuple(found) == place_constants(graph)
    assert len(found) == 2
