"""The operator table says what the compiler says; sorting and filtering are as plain Python's."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.frozen import replace
from core.base.ids import FmId, IslandId, NpuOpId
from core.ir.npugraph import CpuOp
from core.target.target import Area
from gui.document.display import ByteUnit, Display, TimeUnit
from gui.document.selection import BufferRef, CascadeRef, Selection
from gui.present.operators.cells import (
    bar_share,
    cell_text,
    footer_text,
    header_text,
    markdown,
    tab_separated,
)
from gui.present.operators.columns import COLUMNS, TEXT_COLUMNS, Kind
from gui.present.operators.order import (
    filter_of,
    matching_rows,
    natural_key,
    ordered_rows,
    selected_rows,
)
from gui.present.operators.table import live_limit_bytes, operator_table
from tests.gui.answers import EXAMPLES, answer_of

NAMES = sorted(file.stem for file in EXAMPLES.glob("*.tflite"))
TIGHT = {"accelerator": "ethos-u65-256", "limit_bytes": 60_000}
ASKED = [(name, settings) for name in NAMES for settings in ({}, TIGHT)]
BY_ID = {column.id: column for column in COLUMNS}
DISPLAYS = [Display(time_unit=time, byte_unit=size) for time in TimeUnit for size in ByteUnit]


def tight_unet():
    return answer_of("unet_128", **TIGHT)


@pytest.mark.long
@pytest.mark.parametrize(("name", "settings"), ASKED)
def test_rows_are_the_operators_in_order_of_execution(name, settings):
    answer = answer_of(name, **settings)
    table, graph = operator_table(answer), answer.scheduled.run.graph
    expected, on_cpu = [], 0
    for step in (step for steps in graph.steps for step in steps):
        if isinstance(step, CpuOp):
            expected.append((-1, on_cpu, step.name, f"CPU: {step.kind}"))
            on_cpu += 1
        else:
            ops = [graph.ops[op] for op in graph.islands[step].ops]
            expected += [(op.id, -1, op.name, op.kind.value) for op in ops]
    found = zip(
        table.op.tolist(),
        table.cpu_op.tolist(),
        table.texts["name"],
        table.texts["kind"],
        strict=True,
    )
    assert list(found) == expected
    assert table.count == len(graph.ops) + len(graph.cpu_ops)


@pytest.mark.parametrize(("name", "settings"), ASKED)
def test_numbers_are_those_of_the_schedule(name, settings):
    answer = answer_of(name, **settings)
    scheduled, table = answer.scheduled, operator_table(answer)
    estimate = answer.analysis.ecosystem
    assert estimate is not None
    of_op = {
        plan.op: (island, plan) for island in scheduled.schedule.islands for plan in island.ops
    }
    for row, number in enumerate(table.op.tolist()):
        if number < 0:
            assert all(math.isnan(column[row]) for column in table.numbers.values())
            continue
        island, plan = of_op[number]
        cost, op = scheduled.costs[number], scheduled.run.graph.ops[number]
        found = {key: float(column[row]) for key, column in table.numbers.items()}
        assert found["cycles"] == cost.total_cycles
        assert found["ecosystem"] == estimate.cycles[plan.op]
        assert found["macs"] == cost.macs
        assert found["live"] == island.snapshot[plan.time]
        assert found["time"] == scheduled.layout.op_times[number]
        assert found["start"] == answer.analysis.trace.op_start_cycle[number]
        assert table.texts["ifm"][row] == "x".join(map(str, op.ifm.touched))
        assert table.texts["ofm"][row] == "x".join(map(str, op.ofm.touched))
        assert bool(table.texts["ifm2"][row]) == (op.ifm2 is not None)
        assert table.texts["block"][row] == "x".join(map(str, plan.block.ofm_block))
        is_striped = plan.stripe.ofm.h < op.ofm.touched.h
        assert (found["stripe"] == plan.stripe.ofm.h) == is_striped
        if plan.weights is None:
            assert math.isnan(found["weights"])
            assert not table.texts["buffering"][row]
        else:
            assert found["weights"] == sum(plan.weights.slice_bytes)
            assert found["slices"] == len(plan.weights.slice_bytes)
            word = table.texts["buffering"][row].split(",")[0]
            assert word == ("direct", "single", "double")[len(plan.weights.buffer_bytes)]
            assert ("early" in table.texts["buffering"][row]) == plan.weights.is_prefetched
        lost = {
            group for group in island.evicted if {view.fm for view in op.views} & set(group.fms)
        }
        size = sum(group.size_bytes for group in lost)
        assert found["evicted_bytes"] == size if size else math.isnan(found["evicted_bytes"])
        assert len(table.texts["evicted"][row].split(", ")) == max(len(lost), 1)


@pytest.mark.parametrize(("name", "settings"), ASKED)
def test_columns_add_up_to_the_network(name, settings):
    answer = answer_of(name, **settings)
    table, total = operator_table(answer), answer.scheduled.total
    sums = {key: math.fsum(column[~np.isnan(column)]) for key, column in table.numbers.items()}
    assert sums["cycles"] == pytest.approx(total.total_cycles)
    assert sums["share"] == pytest.approx(1)
    assert sums["macs"] == total.macs
    assert sums["sram"] == pytest.approx(total.moved_bytes(Area.SRAM))
    assert sums["dram"] == pytest.approx(total.moved_bytes(Area.DRAM))
    flashes = (Area.ON_CHIP_FLASH, Area.OFF_CHIP_FLASH)
    assert sums["flash"] == pytest.approx(sum(map(total.moved_bytes, flashes)))


def test_cascades_are_counted_in_order_of_execution():
    answer = tight_unet()
    table = operator_table(answer)
    (island,) = answer.scheduled.schedule.islands
    first_ops = sorted(cascade.ops[0] for cascade in island.cascades)
    for cascade in island.cascades:
        number = first_ops.index(cascade.ops[0]) + 1
        rows = np.flatnonzero(table.numbers["cascade"] == number)
        assert table.op[rows].tolist() == sorted(cascade.ops)


def test_every_evicted_group_is_told_where_it_is_touched():
    answer = tight_unet()
    told = ", ".join(operator_table(answer).texts["evicted"])
    titles = answer.scheduled.run.graph.titles
    (island,) = answer.scheduled.schedule.islands
    assert island.evicted
    for group in island.evicted:
        assert any(titles.map(fm) in told for fm in group.fms)


def test_an_operator_of_the_cpu_has_its_reason():
    answer = answer_of("shuffle_with_cpu")
    table = operator_table(answer)
    (row,) = np.flatnonzero(table.cpu_op >= 0)
    rejections = answer.scheduled.run.graph.rejections
    for rejection in rejections:
        assert rejection.found in table.texts["reason"][row]
        assert rejection.accepted in table.texts["reason"][row]
    assert sum(map(bool, table.texts["reason"])) == 1


def expected_key(table, column, row):
    """What plain Python would sort a cell by; None where there is nothing."""
    if column.id in table.sizes:
        value = float(table.sizes[column.id][row])
        return None if math.isnan(value) else value
    if column.kind is Kind.TEXT:
        return natural_key(table.texts[column.id][row]) if table.texts[column.id][row] else None
    value = float(table.numbers[column.id][row])
    return None if math.isnan(value) else value


@given(
    column=st.sampled_from(COLUMNS),
    is_descending=st.booleans(),
    name=st.sampled_from(["shuffle_with_cpu", "unet_128", "kws_dscnn"]),
    seed=st.randoms(use_true_random=False),
)
def test_sorting_is_stable_and_puts_nothing_last(column, is_descending, name, seed):
    table = operator_table(answer_of(name, **TIGHT))
    rows = list(range(table.count))
    seed.shuffle(rows)
    rows = rows[: seed.randint(0, table.count)]
    keys = {row: expected_key(table, column, row) for row in rows}
    known = [row for row in rows if keys[row] is not None]
    unknown = [row for row in rows if keys[row] is None]
    # Python keeps the order of equal elements when it sorts in reverse, too.
    expected = sorted(known, key=keys.__getitem__, reverse=is_descending) + unknown
    found = ordered_rows(table, np.array(rows, dtype=np.intp), column, is_descending=is_descending)
    assert found.tolist() == expected


def test_numbers_in_names_count():
    names = ["conv10", "Conv9", "conv1/a2", "conv1/a10"]
    assert sorted(names, key=natural_key) == ["conv1/a2", "conv1/a10", "Conv9", "conv10"]


WORDS = st.sampled_from(["conv", "CPU", "96", "early", "1x", "Softmax", "gather", "zz", "é"])
PLAIN = st.characters(exclude_characters='()<>=!~"/', exclude_categories=("Cs", "Zs", "Cc"))
"""What has no meaning of its own in a query."""


@given(words=st.lists(WORDS | st.text(PLAIN, max_size=4), max_size=3))
def test_words_filter_as_plain_python_would(words):
    table = operator_table(answer_of("shuffle_with_cpu"))
    typed = " ".join(words)
    wanted = filter_of(typed)
    if {"and", "or", "not"} & set(typed.casefold().split()):
        return
    expected = []
    for row in range(table.count):
        cells = [table.texts[column.id][row].casefold() for column in TEXT_COLUMNS]
        if all(any(word in cell for cell in cells) for word in typed.casefold().split()):
            expected.append(row)
    assert matching_rows(table, wanted).tolist() == expected


@pytest.mark.filterwarnings("ignore::FutureWarning")
@given(
    pattern=st.sampled_from(
        [r"conv", r"^head/.*\d$", r"a|b", r"1x1x\d+x16", r"(", r"[z-a]", r"\bsub"]
    )
    | st.text(alphabet=r"abcx1/().*[]|\^$?", max_size=6)
)
def test_patterns_filter_as_plain_python_would(pattern):
    table = operator_table(answer_of("shuffle_with_cpu"))
    wanted = filter_of(f"/{pattern}/")
    try:
        compiled = re.compile(pattern, re.IGNORECASE)
    except re.error:
        assert wanted.error
        assert matching_rows(table, wanted).tolist() == list(range(table.count))
        return
    columns = [table.texts[column.id] for column in TEXT_COLUMNS]
    expected = [
        row for row in range(table.count) if any(compiled.search(column[row]) for column in columns)
    ]
    assert not wanted.error
    assert matching_rows(table, wanted).tolist() == expected


def test_a_query_asks_the_numbers_of_the_table():
    table = operator_table(tight_unet())
    for text, rows in (
        ("cycles > 20k", table.numbers["cycles"] > 20_000),
        ("share>1%", table.numbers["share"] > 0.01),
        ("stripe<=8", table.numbers["stripe"] <= 8),
        ("weights>=1K", table.numbers["weights"] >= 1024),
        ("dram>0 or is=cpu", (table.numbers["dram"] > 0) | (table.op < 0)),
    ):
        assert matching_rows(table, filter_of(text)).tolist() == np.flatnonzero(rows).tolist()
    assert matching_rows(table, filter_of("is=edited"), {NpuOpId(2)}).tolist() == [2]


def test_a_pattern_works_while_its_end_is_not_typed_yet():
    table = operator_table(answer_of("shuffle_with_cpu"))
    assert matching_rows(table, filter_of("/conv")).tolist() == (
        matching_rows(table, filter_of("/conv/")).tolist()
    )
    assert filter_of("/").is_empty
    assert filter_of("//").is_empty
    assert filter_of("  ").is_empty


@pytest.mark.parametrize("display", DISPLAYS)
def test_a_copy_can_be_read_back(display):
    table = operator_table(answer_of("shuffle_with_cpu"))
    rows = [3, 1, 8, 2]
    lines = tab_separated(table, COLUMNS, rows, display).splitlines()
    assert lines[0].split("\t") == [header_text(column, display) for column in COLUMNS]
    assert [line.split("\t") for line in lines[1:]] == [
        [cell_text(table, column, row, display) for column in COLUMNS] for row in rows
    ]


def test_markdown_can_be_read_back():
    table = operator_table(answer_of("kws_dscnn"))
    texts = {**table.texts, "name": ("a|b\\c", "two\nlines", *table.texts["name"][2:])}
    columns = [BY_ID[name] for name in ("index", "name", "kind", "reason", "cycles")]
    lines = markdown(replace(table, texts=texts), columns, range(4), Display()).splitlines()
    assert len(lines) == 6
    assert lines[1] == "| --- | --- | --- | --- | ---: |"
    cells = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines]
    assert {len(line) for line in cells} == {len(columns)}
    assert cells[2][1].strip() == r"a\|b\\c"
    assert cells[3][1].strip() == "two lines"
    assert cells[5][0].strip() == table.texts["index"][3]


@pytest.mark.parametrize("display", DISPLAYS)
def test_cells_tell_their_numbers_in_the_chosen_unit(display):
    table = operator_table(tight_unet())
    for row in range(table.count):
        cycles = cell_text(table, BY_ID["cycles"], row, display)
        expected = float(table.numbers["cycles"][row])
        if display.time_unit is TimeUnit.MICROSECONDS:
            expected *= 1e6 / table.clock_hz
        assert float(cycles.replace(",", "")) == pytest.approx(expected, abs=0.51)
        live = cell_text(table, BY_ID["live"], row, display)
        if display.byte_unit is ByteUnit.HEX:
            assert int(live, 16) == table.numbers["live"][row]
            continue
        scale = {ByteUnit.KIB: 1024, ByteUnit.KB: 1000}.get(display.byte_unit, 1)
        expected = float(table.numbers["live"][row]) / scale
        assert float(live.replace(",", "").lstrip("< ")) == pytest.approx(expected, abs=0.0051)


def test_what_is_too_small_for_the_digits_is_not_told_to_be_nothing():
    table = operator_table(answer_of("kws_dscnn"))
    numbers = {**table.numbers, "sram": np.full(table.count, 2.0)}
    assert cell_text(replace(table, numbers=numbers), BY_ID["sram"], 0, Display()) == "< 0.01"


@pytest.mark.parametrize(("name", "settings"), ASKED)
def test_bars_are_proportional(name, settings):
    answer = answer_of(name, **settings)
    table = operator_table(answer)
    for column in (column for column in COLUMNS if column.has_bar):
        values = table.numbers[column.id]
        shares = [bar_share(table, column, row) for row in range(table.count)]
        present = [row for row, share in enumerate(shares) if share is not None]
        if not present:
            continue
        whole = (column.id == "live" and live_limit_bytes(answer)) or np.nanmax(values)
        for row in present:
            assert shares[row] == pytest.approx(values[row] / whole)
        assert min(shares[row] for row in present) >= 0
        if column.id != "live":
            assert max(shares[row] for row in present) == 1


def test_a_bar_tells_what_is_above_the_limit():
    answer = answer_of("unet_128", limit_bytes=200_000)
    table = operator_table(answer)
    over = [row for row in range(table.count) if (bar_share(table, BY_ID["live"], row) or 0) > 1]
    assert over == np.flatnonzero(table.numbers["live"] > 200_000).tolist()
    assert over


def test_the_footer_adds_up_what_is_shown():
    table = operator_table(answer_of("kws_dscnn"))
    everything = footer_text(table, range(table.count), Display())
    assert everything.startswith("42 operators · ")
    assert f"{round(np.nansum(table.numbers['cycles'])):,} cycles" in everything
    part = footer_text(table, [0, 1], Display())
    assert part.startswith("2 of 42 operators · ")
    assert f"{round(table.numbers['cycles'][:2].sum()):,} cycles" in part
    assert "% of the network" in part


def test_rows_of_a_selection():
    answer = tight_unet()
    table = operator_table(answer)
    (island,) = answer.scheduled.schedule.islands
    rows = {op: row for row, op in enumerate(table.op.tolist())}
    ops = answer.scheduled.run.graph.ops

    def selected(**what):
        return list(selected_rows(answer, table, Selection(**what)))

    assert selected() == []
    assert selected(op=NpuOpId(4)) == [rows[4]]
    assert selected(buffer=BufferRef(NpuOpId(4), 0)) == [rows[4]]
    for position, cascade in enumerate(island.cascades):
        chosen = CascadeRef(island.island, position)
        assert selected(cascade=chosen) == sorted(rows[op] for op in cascade.ops)
    fm = ops[4].ofm.fm
    touching = {rows[op.id] for op in ops if fm in {view.fm for view in op.views}}
    assert touching <= set(selected(fm=fm))
    # A newer schedule may have fewer cascades than the selection knows of.
    assert selected(cascade=CascadeRef(island.island, 999)) == []
    assert selected(cascade=CascadeRef(IslandId(9), 0)) == []


def test_operators_of_the_cpu_are_found_by_their_maps():
    answer = answer_of("shuffle_with_cpu")
    table, (cpu_op,) = operator_table(answer), answer.scheduled.run.graph.cpu_ops
    (row,) = np.flatnonzero(table.cpu_op == 0)
    assert selected_rows(answer, table, Selection(cpu_op=0)) == (row,)
    assert row in selected_rows(answer, table, Selection(fm=FmId(cpu_op.outputs[0])))
