"""The report: one file, nothing outside of it, and every figure is the schedule's."""

from __future__ import annotations

import base64
import json
import re
import shutil
import struct
import subprocess
import xml.etree.ElementTree as ET
import zlib
from collections import Counter
from functools import cache

import pytest

from core.base.frozen import replace
from core.base.rough import rough_text
from core.ir.options import Engine, ParetoOptions, Search
from core.report.board.sizes import board_of
from core.report.ecosystem_names import AREA_TITLES
from core.report.measured import match as measured
from core.report.page import html
from core.report.page.contents import NOTHING_MORE, Contents, document_of
from core.report.page.drawing import markup_of
from core.report.page.sorting import SORTING
from core.report.page.style import ReportTheme
from core.report.schedule_tables import BOUND_TITLES
from core.report.summary import weight_sizes
from core.report.words import shape_text
from tests.core.report import hand_made
from tests.core.report.page import Page, number
from tests.core.report.real import NAMES, TARGETS, real

SVG = (
    b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">'
    b'<text id="a">stripes</text></svg>'
)


def png():
    """The smallest picture there is."""

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    data = zlib.compress(b"\0\xff")
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def render(material, analysis, contents=NOTHING_MORE, theme=ReportTheme.AUTO):
    return html.render(document_of(material, analysis, contents), theme)


@pytest.fixture(params=[(name, kind) for name in NAMES for kind in TARGETS], ids=" ".join)
def case(request):
    return real(*request.param)[0], page_of(*request.param)


@cache
def page_of(name, kind):
    return Page(render(*real(name, kind)))


def test_operators_have_the_figures_of_the_schedule(case):
    material, page = case
    rows = [row for row in page.rows("operators") if row["#"]]
    plans = {int(plan.op): plan for plan in material.plans()}
    assert [int(row["#"]) for row in rows] == [plan.op for plan in material.plans()]
    for row in rows:
        plan = plans[int(row["#"])]
        op, cost = material.op(plan), material.cost(plan)
        assert number(row["cycles"]) == round(cost.total_cycles)
        share = 100 * cost.total_cycles / material.total.total_cycles
        assert number(row["share %"]) == pytest.approx(share, abs=0.0051)
        assert row["kind"] == op.kind.value
        assert row["output"] == shape_text(op.ofm.touched)
        assert row["block"] == shape_text(plan.block.ofm_block)
        assert row["name"] == material.graph.titles.op_parts[op.id]
        stream = None if plan.weights is None else plan.weights.stream_bytes
        assert number(row.get("weights", "")) == stream
        island = next(i for i in material.schedule.islands if plan in i.ops)
        assert number(row["live"]) == island.snapshot[plan.time]
        if cost.bound.value != "npu":
            assert row["waits for"] == BOUND_TITLES[cost.bound]


def test_the_first_numbers_are_the_totals(case):
    material, page = case
    total, sizes = material.total, weight_sizes(material)
    assert page.texts["total-cycles"] == rough_text(total.total_cycles)
    assert page.number("fast-bytes") == material.layout.used_bytes(material.target.fast.area)
    assert page.number("weight-bytes") == sizes.encoded_bytes
    assert page.number("npu-ops") == len(material.graph.ops)
    assert page.number("cpu-ops") == len(material.graph.cpu_ops)
    value, unit = page.texts["seconds"].split()
    scale = {"s": 1.0, "ms": 1e-3, "µs": 1e-6}[unit]
    assert number(value) * scale == pytest.approx(total.seconds, abs=0.0051 * scale)
    assert float(page.texts["utilisation"].rstrip("%")) == pytest.approx(
        100 * total.utilisation, abs=0.051
    )


def test_memory_is_the_layouts(case):
    material, page = case
    areas = [area for area in material.layout.areas if area.height_bytes]
    most = material.target.accelerator.max_address
    for row, area in zip(page.rows("regions"), areas, strict=True):
        assert row["memory"] == AREA_TITLES[area.area]
        assert number(row["bytes"]) == area.height_bytes
        limit = area.limit_bytes if area.limit_bytes != most else None
        assert number(row.get("limit", "")) == limit
        assert number(row.get("free", "")) == (None if limit is None else limit - area.height_bytes)
    told = Counter(
        (
            row["region"],
            int(row["address"], 16),
            number(row["bytes"]),
            int(row["from"]),
            row["name"],
        )
        for row in page.rows("addresses")
    )
    assert told == Counter(
        (p.region.value, p.address, p.size_bytes, p.start_time, material.graph.titles.place(p))
        for area in material.layout.areas
        for p in area.placements
    )
    for row in page.rows("traffic"):
        area = next(a for a, title in AREA_TITLES.items() if title == row["memory"])
        assert number(row["bytes"]) == round(material.total.moved_bytes(area))


def test_cascades_and_evictions_are_the_schedules(case):
    material, page = case
    buffers = [
        buffer
        for place, position in material.cascade_numbers()
        for buffer in material.schedule.islands[place].cascades[position].buffers
    ]
    told = page.rows("cascades") if buffers else []
    assert [number(row["bytes"]) for row in told] == [b.size_bytes for b in buffers]
    evicted = [e for island in material.schedule.islands for e in island.evicted]
    rows = page.rows("evicted") if evicted else []
    assert [number(row["bytes"]) for row in rows] == [e.size_bytes for e in evicted]


def test_every_operator_on_the_cpu_has_its_reason(case):
    material, page = case
    reasons = {reason.op: reason for reason in material.graph.rejections}
    rows = page.rows("cpu-operators") if material.graph.cpu_ops else []
    for row, op in zip(rows, material.graph.cpu_ops, strict=True):
        reason = reasons[op.source]
        assert (row["kind"], row["rule"], row["found"]) == (op.kind, reason.rule, reason.found)
        assert row["accepted"] == reason.accepted


def test_sizes_for_the_board_are_those_of_the_board(case):
    material, page = case
    board = board_of(material)
    told = {row["what"]: number(row["bytes"]) for row in page.rows("board-sizes")}
    assert told["feature maps, in the tensor arena"] == board.sizes.arena_bytes
    assert told["the file, at least"] == board.sizes.flash_bytes
    runtime = page.rows("board-runtime")
    assert number(runtime[-1]["bytes"]) == board.runtime.size_bytes
    assert "estimate" in page.texts["board"]
    assert f"{board.tensor_arena_bytes}u" in page.texts["snippets"]


def test_the_facts_ask_for_the_same_again(case):
    material, page = case
    assert page.pairs["digest of the network"] == material.graph.network
    command = page.pairs["command line"].split()
    assert command[command.index("--accelerator-config") + 1] == material.target.accelerator.name
    assert material.options.strategy.value in command
    assert page.pairs["engine"] == "cascading"


def test_the_facts_name_the_other_engine_and_what_it_was_told():
    material, analysis = real("kws_dscnn", next(iter(TARGETS)))
    pareto = ParetoOptions(most_bytes=20_000, cascading=False)
    options = replace(material.options, engine=Engine.PARETO, pareto=pareto, search=Search.BEST)
    pairs = Page(render(replace(material, options=options), analysis)).pairs
    assert pairs["engine"] == "pareto"
    assert pairs["schedule of the front"] == "the fastest within 20,000 bytes"
    assert pairs["cascades"] == "never"
    # What has no effect is neither told nor asked for again, as it would be refused.
    assert "search" not in pairs
    assert "--search" not in pairs["command line"]


@pytest.mark.parametrize("kind", TARGETS)
def test_the_verdict_has_required_limit_and_excess(kind):
    material, analysis = real("kws_dscnn", kind)
    limited = [a for a in material.layout.areas if a.limit_bytes]
    tight = replace(
        material,
        layout=replace(
            material.layout,
            areas=tuple(
                replace(a, limit_bytes=a.height_bytes - 7) if a in limited else a
                for a in material.layout.areas
            ),
        ),
    )
    page = Page(render(tight, analysis))
    assert "Does not fit" in page.texts["verdict"]
    required = limited[0].height_bytes
    wanted = f"{required:,} bytes required, {required - 7:,} allowed, 7 bytes too many"
    assert wanted in page.texts["verdict"]
    fits = Page(render(material, analysis)).texts["verdict"]
    assert fits.strip().startswith("No limit" if kind == "sram only" else "Fits")


def everything():
    material, _ = real("kws_dscnn")
    rows = [{"id": 1, "cycles": 5555}, {"id": 3, "cycles": 20}, {"name": "<nobody>", "cycles": 3}]
    return material, Contents(
        pictures={"Timeline <1>": SVG, "Memory": png()},
        now="2026-11-21 10:00",
        measured=measured.read(json.dumps(rows).encode(), material),
    )


@pytest.mark.parametrize("theme", ReportTheme)
def test_nothing_leads_outside(theme):
    material, contents = everything()
    text = render(material, real("kws_dscnn")[1], contents, theme)
    assert not re.search(r"https?:|//|url\((?!#)|@import|<link|<base|javascript:", text_of(text))
    page = Page(text)
    for tag, name, value in page.attributes:
        if name in {"src", "href", "data", "action"}:
            assert value.startswith("#" if tag == "a" else "data:image/"), (tag, value[:40])
        assert not name.startswith("on")
    links = {value[1:] for tag, name, value in page.attributes if (tag, name) == ("a", "href")}
    assert links <= page.texts.keys()


def text_of(page):
    """The page without the bytes of its pictures."""
    return re.sub(r"base64,[A-Za-z0-9+/=]+", "", page)


def test_pictures_are_in_the_file_an_image_byte_for_byte_and_a_drawing_as_markup():
    material, contents = everything()
    text = render(material, real("kws_dscnn")[1], contents)
    page = Page(text)
    (source,) = [value for tag, name, value in page.attributes if (tag, name) == ("img", "src")]
    assert source.split(";")[0] == "data:image/png"
    assert base64.b64decode(source.split(",")[1]) == png()
    (svg,) = drawings(text)
    assert "".join(svg.itertext()) == "stripes"
    titles = [value for _, name, value in page.attributes if name in {"alt", "aria-label"}]
    assert titles == list(contents.pictures)


def drawings(text):
    """What is drawn in a page, as XML."""
    return [ET.fromstring(found) for found in re.findall(r"<svg.*?</svg>", text, re.DOTALL)]


def test_who_reads_in_dark_colours_has_pictures_in_such():
    material, contents = everything()
    contents = replace(contents, dark_pictures={"Memory": png(), "Timeline <1>": SVG})
    text = render(material, real("kws_dscnn")[1], contents)
    classes = [value for _, name, value in Page(text).attributes if name == "class"]
    assert sum("in-light" in value for value in classes) == 2
    assert sum("in-dark" in value for value in classes) == 2
    screen, paper = text.split("@media print{")
    assert ".in-dark{display:none}" in screen
    assert "@media (prefers-color-scheme:dark){.in-light{display:none}" in screen
    assert ".in-dark{display:none !important}" in paper


HOSTILE = b"""<?xml version="1.0"?>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" onload="go()">
<title>T</title><script>go()</script><style>@import 'a'</style>
<defs><clipPath id="c"><rect id="r"/></clipPath></defs>
<a xlink:href="http://example.org"><text>linked</text></a>
<g clip-path="url(#c)"><use xlink:href="#r"/><image xlink:href="http://example.org/i.png"/>
<image xlink:href="data:image/png;base64,AAAA"/>
<text onclick="go()">at http://x &lt;b&gt;</text></g>
</svg>"""


def test_a_drawing_neither_acts_nor_leads_outside_and_its_names_are_its_own():
    text = markup_of(HOSTILE, "p-")
    assert "://" not in text
    root = ET.fromstring(text)
    names = {name for each in root.iter() for name in each.attrib}
    assert not {each.tag for each in root.iter()} & {"script", "style", "a", "title"}
    assert not [name for name in names if name.startswith("on")]
    assert [each.get("id") for each in root.iter() if each.get("id")] == ["p-c", "p-r"]
    assert root.find("g").get("clip-path") == "url(#p-c)"
    links = [each.get("href") for each in root.iter() if each.get("href")]
    assert links == ["#p-r", "data:image/png;base64,AAAA"]
    assert "".join(root.itertext()).strip() == "at http://x <b>"


def test_what_was_measured_stands_beside_what_was_estimated():
    material, contents = everything()
    page = Page(render(material, real("kws_dscnn")[1], contents))
    told = {row["#"]: row for row in page.rows("operators")}
    assert told["1"]["measured"] == "5,555"
    assert number(told["1"]["measured / estimate"]) == pytest.approx(
        5555 / material.costs[1].total_cycles, abs=0.0051
    )
    assert told["2"]["measured"] == ""
    (row,) = page.rows("unmatched")
    assert row["row"] == "<nobody>"
    numbers = {row[0]: number(row[1]) for row in page.tables["measured"][1:]}
    assert numbers["their measured cycles"] == 5575
    assert numbers["operators that were not measured"] == len(material.graph.ops) - 2


def test_the_same_bytes_with_a_frozen_clock():
    material, contents = everything()
    analysis = real("kws_dscnn")[1]
    assert render(material, analysis, contents) == render(material, analysis, contents)
    later = render(material, analysis, replace(contents, now="2027-01-01"))
    assert later.replace("2027-01-01", "2026-11-21 10:00") == render(material, analysis, contents)
    assert "2026" not in render(material, analysis)


def test_names_are_text_and_nothing_else():
    name = '<img src=x onerror="alert(1)">&"\' see http://example.org/a </title></style>'
    material, analysis = real("kws_dscnn")
    op = replace(material.graph.ops[0], name=name)
    graph = replace(material.graph, ops=(op, *material.graph.ops[1:]), warnings=(name,))
    text = render(replace(material, name=name, run=replace(material.run, graph=graph)), analysis)
    page = Page(text)
    assert "img" not in page.tags
    assert "http:" not in text.replace("http:&#47;", "")
    assert page.rows("operators")[0]["name"] == graph.titles.op_parts[0]
    assert page.pairs["model"] == name


def test_it_prints_well():
    text = render(*real())
    paper = text.split("@media print{")[1]
    for rule in ("@page", "table-header-group", "break-inside:avoid", "break-after:avoid"):
        assert rule in paper
    assert "color-scheme:light" in paper
    page = Page(text)
    assert page.tags.count("thead") == page.tags.count("table") == len(page.tables)


def test_themes_are_light_dark_or_the_readers():
    def colours(theme):
        return render(*real("kws_dscnn"), theme=theme).split("@media print")[0]

    assert "color-scheme:dark" not in colours(ReportTheme.LIGHT)
    assert "color-scheme:light" not in colours(ReportTheme.DARK)
    assert "prefers-color-scheme:dark" in colours(ReportTheme.AUTO)


def test_a_schedule_of_nothing_has_a_report_too():
    material = hand_made.material()
    empty = replace(material.schedule, islands=())
    graph = replace(material.graph, ops=(), islands=(), steps=((),))
    total = replace(material.total, total_cycles=0.0, macs=0)
    analysis = replace(real()[1], cascades=(), evictions=())
    page = Page(
        render(
            replace(
                material,
                schedule=empty,
                run=replace(material.run, graph=graph),
                total=total,
                costs=(),
            ),
            analysis,
        )
    )
    assert page.number("npu-ops") == 0
    assert page.texts["rate"] == "inf"


_DOM = """
class Cell {
  constructor(text, isNumber) {
    this.textContent = text; this.marks = {}; this.heard = {};
    this.classList = { contains: (name) => name === "n" && isNumber };
  }
  getAttribute(name) { return name in this.marks ? this.marks[name] : null; }
  setAttribute(name, value) { this.marks[name] = value; }
  removeAttribute(name) { delete this.marks[name]; }
  addEventListener(name, act) { this.heard[name] = act; }
}
const rows = [["b10", "1,000"], ["b9", ""], ["a", "7.5"]].map(
  (texts) => ({ cells: texts.map((text) => new Cell(text)) }));
const heads = [new Cell("name", false), new Cell("cycles", true)];
const shown = rows.slice();
const body = { rows, appendChild: (row) => {
  shown.splice(shown.indexOf(row), 1); shown.push(row); } };
const table = { tBodies: [body], tHead: { rows: [{ cells: heads }] } };
globalThis.document = { querySelectorAll: () => [table] };
"""
_CLICKS = """
const told = [];
for (const at of [1, 1, 1, 0]) {
  heads[at].heard.click();
  told.push(shown.map((row) => row.cells[0].textContent).join(" "));
}
console.log(told.join("|"));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="nothing here runs scripts")
def test_tables_are_sorted_where_they_are_read():
    script = f"{_DOM}{SORTING}{_CLICKS}"
    done = subprocess.run(["node", "-e", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "b10 a b9|a b10 b9|b10 b9 a|a b9 b10"


def test_a_report_has_one_script_and_nothing_from_outside(case):
    _, page = case
    assert page.tags.count("script") == 1
    assert "://" not in SORTING
    assert not [name for tag, name, _ in page.attributes if tag == "script"]
