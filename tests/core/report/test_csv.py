"""The CSV files: columns and figures as the ecosystem's compiler writes them."""

from __future__ import annotations

import csv
import io
import math

import pytest

from core.cost.ecosystem.of_schedule import ecosystem_estimate
from core.report import schedule_csv
from core.report.schedule_csv import csv_text
from core.report.summary import summary_row
from tests.core.report.peer_material import material_of
from tests.core.report.real import NAMES, TARGETS, real
from tests.shared import need

# What the other compiler wrote for kws_dscnn_int8 on u65-256-dedicated-384k, operator by operator
# from the second one on; the first one's own cycles depend on slices that its report leaves out.
PEER_LAYERS = """\
DEPTHWISE_CONV_2D,DepthwiseConv2DBias,17328,78.47826086956522,4592.0,8.784473366804365,4592.0,1140.0,0.0,0.0,0.0,72000,2.5488602346650655,6.124782229965157
CONV_2D,Conv2DBias,20752,93.98550724637681,3680.0,7.039821861898968,3680.0,1100.0,0.0,0.0,0.0,512000,18.12522833539602,54.347826086956516
DEPTHWISE_CONV_2D,DepthwiseConv2DBias,17328,78.47826086956522,4592.0,8.784473366804365,4592.0,1140.0,0.0,0.0,0.0,72000,2.5488602346650655,6.124782229965157
CONV_2D,Conv2DBias,20752,93.98550724637681,3680.0,7.039821861898968,3680.0,1100.0,0.0,0.0,0.0,512000,18.12522833539602,54.347826086956516
DEPTHWISE_CONV_2D,DepthwiseConv2DBias,17328,78.47826086956522,4592.0,8.784473366804365,4592.0,1140.0,0.0,0.0,0.0,72000,2.5488602346650655,6.124782229965157
CONV_2D,Conv2DBias,20752,93.98550724637681,3680.0,7.039821861898968,3680.0,1100.0,0.0,0.0,0.0,512000,18.12522833539602,54.347826086956516
DEPTHWISE_CONV_2D,DepthwiseConv2DBias,17328,78.47826086956522,4592.0,8.784473366804365,4592.0,1140.0,0.0,0.0,0.0,72000,2.5488602346650655,6.124782229965157
CONV_2D,Conv2DBias,20704,93.76811594202898,3680.0,7.039821861898968,3680.0,1100.0,0.0,0.0,0.0,512000,18.12522833539602,54.347826086956516
AVERAGE_POOL_2D,AvgPool,8064,36.52173913043478,1321.0,2.527066489013189,1321.0,804.0,0.0,0.0,0.0,8000,0.2832066927405628,2.3656320968962907
FULLY_CONNECTED,FullyConnected,80,0.36231884057971014,362.0,0.6925042157628876,362.0,5.5,277.3333333333333,0.0,0.0,768,0.027187842503094032,0.8287292817679558
SOFTMAX,MaxPool,32,0.14492753623188406,41.0,0.0784327979178961,41.0,6.0,0.0,0.0,0.0,12,0.00042481003911084425,0.11432926829268292
SOFTMAX,Sub,96,0.43478260869565216,384.0,0.7345901073285879,384.0,5.5,0.0,0.0,0.0,0,0.0,0.0
SOFTMAX,SHR,112,0.5072463768115941,34.13333333333333,0.06529689842920781,8.0,7.0,34.13333333333333,0.0,0.0,0,0.0,0.0
SOFTMAX,ReduceSum,176,0.7971014492753623,58.0,0.11095371412775545,58.0,7.0,0.0,0.0,0.0,12,0.00042481003911084425,0.08081896551724138
SOFTMAX,CLZ,192,0.8695652173913043,18.0,0.03443391128102756,18.0,8.0,0.0,0.0,0.0,0,0.0,0.0
"""
PEER_HEADER = (
    "TFLite_operator,NNG Operator,SRAM Usage,Peak%,Op Cycles,Network%,NPU,SRAM AC,DRAM AC,"
    "OnFlash AC,OffFlash AC,MAC Count,Network%,Util%,Name"
)


def lines_of(text):
    return list(csv.reader(io.StringIO(text)))


def same(there, here):
    try:
        return math.isclose(float(there), float(here), rel_tol=1e-9)
    except ValueError:
        return there == here


def test_layers_have_the_columns_and_figures_of_the_other_compiler():
    path = need("peer/schedules/u65-256-dedicated-384k/kws_dscnn_int8.json")
    text = schedule_csv.render_operators(material_of(path))
    assert text.splitlines()[0].startswith(f"{PEER_HEADER},Ecosystem Cycles,Decides,Next,")
    theirs, ours = lines_of(PEER_LAYERS), lines_of(text)[2:]
    for there, here in zip(theirs, ours, strict=False):
        pairs = zip(there, here[: len(there)], strict=True)
        assert all(same(a, b) for a, b in pairs), (there, here)


@pytest.fixture(params=[(name, kind) for name in NAMES for kind in TARGETS], ids=" ".join)
def material(request):
    return real(*request.param)[0]


def test_layers_sum_to_the_schedule(material):
    header, *lines = lines_of(schedule_csv.render_operators(material))
    assert [line[14] for line in lines] == [material.op(plan).name for plan in material.plans()]
    column = {name: [line[at] for line in lines] for at, name in enumerate(header)}
    total = material.total
    for name, whole in (
        ("Op Cycles", total.total_cycles),
        ("NPU", total.npu_cycles),
        ("SRAM AC", total.sram_cycles),
        ("DRAM AC", total.dram_cycles),
        ("OffFlash AC", total.off_chip_flash_cycles),
        ("MAC Count", total.macs),
    ):
        assert math.fsum(map(float, column[name])) == pytest.approx(whole, rel=1e-12)
    assert math.fsum(float(line[5]) for line in lines) == pytest.approx(100.0)
    assert all(float(line[13]) >= 0 for line in lines)
    kinds = {op.title for _, op in material.network.operators()}
    assert set(column["TFLite_operator"]) <= kinds


def test_the_summary_is_one_line_with_the_figures_of_the_summary(material):
    header, line = lines_of(schedule_csv.render_summary(material))
    assert dict(zip(header, line, strict=True)) == summary_row(
        material, ecosystem_estimate(material)
    )
    assert len(set(header)) == len(header)


def test_the_ecosystems_cycles_stand_behind_its_columns(material):
    header, *lines = lines_of(schedule_csv.render_operators(material))
    place = header.index("Ecosystem Cycles")
    summary = dict(zip(*lines_of(schedule_csv.render_summary(material)), strict=True))
    told = math.fsum(float(line[place]) for line in lines)
    assert told == pytest.approx(float(summary["cycles_ecosystem"]))
    assert told != pytest.approx(material.total.total_cycles, rel=1e-6)


def test_names_may_hold_anything():
    cells = ['a, "b"; c', "two\nlines", "ü", ""]
    text = csv_text([cells])
    assert lines_of(text) == [cells]
    assert "\r" not in text
