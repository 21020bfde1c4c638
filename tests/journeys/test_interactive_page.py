"""The interactive page in a real browser: find the peak, select, zoom, compare, and the slider."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from core.api import comparisons, queries
from core.base.digest import digest_bytes
from core.base.errors import OptionError
from core.base.progress import SILENT
from core.ir.options import Search
from core.tflite import writer
from gui.document.answer import Answer
from gui.document.document import Document, ModelRef
from gui.document.selection import Selection
from gui.export.folder import FolderRequest, write_folder
from gui.jobs.desk import Desk
from gui.present.interactive.around import page
from gui.present.interactive.keys import key_of
from gui.present.interactive.page import Rival
from gui.present.operators.rules import Rules
from gui.present.timeline.memory import usage_of
from tests.benchmarks import networks
from tests.browser import Browser, path_or_skip
from tests.gui.answers import EXAMPLES, answer_of
from tests.settings import settings_with
from tests.shared import need

QUERIES = (
    "conv2d",
    "conv2d or add",
    "kind=conv2d and share>1%",
    "not (is=npu) bytes>=8K",
    "is=map bytes>16KiB",
    "/^1.*conv/",
    "name~conv",
    "waits=SRAM",
    "kind!=conv2d is=operator",
    "cascade>0",
    'title="1 conv2d"',
    "cycles<3.2k",
    "shape=/x16$/",
    "number=0x3",
    "memory=sram number<=4",
    "",
)
REFUSED = (
    "conv2d and (",
    "share>",
    "bytes>1%",
    "cycles~3",
    "kind>3",
    "zzzzzz=3",
    ")",
    "/(/",
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory) -> Iterator[Browser]:
    path_or_skip()
    found = Browser(tmp_path_factory.mktemp("profile"))
    yield found
    found.close()


def page_of(model: Path, folder: Path, **asked: Any) -> SimpleNamespace:
    """The page of a model, in a file, and the answer that it shows."""
    reference = ModelRef(path=str(model), digest=digest_bytes(model.read_bytes()))
    document = Document(model=reference, settings=settings_with(**asked))
    desk = Desk()
    found = desk.solve(document, SILENT)
    answer = Answer(
        number=0,
        document=document,
        scheduled=found.scheduled,
        analysis=found.analysis,
        seconds=0.0,
    )
    path = folder / "page.html"
    bench = desk.bench(document, SILENT).workbench
    path.write_text(page(model.name, answer, bench), "utf-8")
    return SimpleNamespace(path=path, answer=answer)


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> SimpleNamespace:
    """A page with the schedules of a front."""
    model, folder = EXAMPLES / "kws_dscnn.tflite", tmp_path_factory.mktemp("page")
    return page_of(model, folder, search=Search.BEST, effort=1)


@pytest.fixture
def shown(browser, made) -> Iterator[Browser]:
    browser.scheme("light")
    browser.open(made.path)
    yield browser
    assert browser.faults == []
    # The file, and nothing that it would have asked for.
    assert browser.addresses == [made.path.as_uri()]


def words(browser: Browser, selector: str) -> str:
    return str(browser.value(f"document.querySelector({json.dumps(selector)}).textContent"))


def view(browser: Browser) -> tuple[float, float]:
    first, last = browser.value("page.plot.view")
    return first, last


def place(browser: Browser, key: str) -> tuple[float, float]:
    """Where the first slice or range of a key is drawn, in the window."""
    x, y = browser.value(
        f"""(() => {{
          document.querySelector("#canvas").scrollIntoView({{block: "center"}});
          const box = page.plot.canvas.getBoundingClientRect();
          for (const panel of page.plot.panels) for (const layer of panel.layers) {{
            const at = layer.keys.indexOf({json.dumps(key)});
            if (at < 0) continue;
            const x = (page.plot.x(layer.left[at]) + page.plot.x(layer.right[at])) / 2;
            const ys = [page.plot.y(panel, layer.bottom[at]), page.plot.y(panel, layer.top[at])];
            return [box.x + x, box.y + (ys[0] + ys[1]) / 2];
          }}
        }})()"""
    )
    return x, y


def test_the_peak_is_found(shown, made):
    shown.press("Home")
    usage = usage_of(made.answer)
    told = words(shown, "#at")
    assert f"{usage.peak_bytes:,} bytes" in told
    first, last = view(shown)
    assert first <= usage.peak_cycle <= last
    assert last - first < made.answer.analysis.trace.end_cycle_of_all / 2
    assert words(shown, "#why h2") in {
        made.answer.scheduled.graph.titles.map(fm)
        for fm in range(len(made.answer.scheduled.graph.feature_maps))
    }


def test_a_click_selects_in_every_view_and_a_link_leads_on(shown, made):
    key = key_of(Selection(op=2))
    shown.click(*place(shown, key))
    titles = made.answer.scheduled.graph.titles
    assert shown.value("page.state.key") == key
    assert words(shown, "#why h2") == titles.op(2)
    assert shown.value("document.querySelector('#operators tr.chosen').dataset.key") == key
    marked = "page.plot.panels.map(p => p.layers.some(l => l.keys.some((_, at) =>"
    assert all(shown.value(f"{marked} page.plot.asked.isMarked(p, l, at))))"))
    output = made.answer.scheduled.graph.ops[2].ofm.fm
    shown.value(
        f"""[...document.querySelectorAll("#why a")]
          .find(a => a.getAttribute("href") === "#map {output}").click()"""
    )
    assert words(shown, "#why h2") == titles.map(output)
    shown.press("Escape")
    assert words(shown, "#why h2") == "The whole schedule"
    assert shown.value("document.querySelectorAll('tr.chosen').length") == 0


def test_a_row_of_the_table_leads_to_its_time(shown, made):
    shown.value("document.querySelector('#operators tr[data-key=\"operator 4\"]').click()")
    first, last = view(shown)
    trace = made.answer.analysis.trace
    assert first <= trace.op_start_cycle[4] <= trace.op_end_cycle[4] <= last
    shown.press(".")
    assert shown.value("page.state.key") == "operator 5"
    shown.press(",")
    assert shown.value("page.state.key") == "operator 4"


def test_wheel_and_keys_look_closer_and_stay_within(shown):
    end = shown.value("page.plot.end")
    assert view(shown) == (0, end)
    x, y = place(shown, "operator 2")
    before = shown.value(f"page.plot.cycle({x} - page.plot.canvas.getBoundingClientRect().x)")
    shown.wheel(x, y, -400)
    shown.value("new Promise(requestAnimationFrame)")
    first, last = view(shown)
    assert last - first < end * 0.7
    after = shown.value(f"page.plot.cycle({x} - page.plot.canvas.getBoundingClientRect().x)")
    assert after == pytest.approx(before, abs=end / 200)
    shown.press("d")
    assert view(shown)[0] > first
    for _ in range(9):
        shown.press("s")
    assert view(shown) == (0, end)
    shown.press("w")
    shown.press("0")
    assert view(shown) == (0, end)


def test_the_slider_chooses_among_schedules_which_are_compared_with_the_one_asked_for(shown, made):
    count = shown.value("page.data.schedules.length")
    asked = shown.value("page.data.asked")
    assert count > 2
    assert shown.value("document.querySelector('#comparison').hidden")
    other = 0 if asked else count - 1
    whole = made.answer.scheduled.total.total_cycles
    shown.value(
        f"""(() => {{ const slider = document.querySelector("#slider"); slider.value = {other};
          slider.dispatchEvent(new Event("input")); }})()"""
    )
    assert words(shown, "#choice").startswith(f"{other + 1} of {count}: ")
    assert not shown.value("document.querySelector('#comparison').hidden")
    assert f"{whole:,.0f} cycles" in words(shown, "#comparison h2")
    rows = shown.value(
        """[...document.querySelectorAll("#comparison tr")]
          .map(row => [...row.cells].map(cell => cell.textContent))"""
    )
    cycles = next(row for row in rows if row[0] == "cycles")
    assert cycles[1] == f"{round(whole):,}"
    assert cycles[2] != cycles[1]
    # A's lanes lie below, on the same axis.
    assert shown.value("page.plot.panels.at(-1).isOther")
    assert shown.value("location.hash").startswith(f"#schedule={other + 1}")


def ask(browser: Browser, query: str) -> list[str] | None:
    """Keys of what is found; None where nothing is asked."""
    browser.value(
        f"""(() => {{ const box = document.querySelector("#query"); box.value = {json.dumps(query)};
          box.dispatchEvent(new Event("input")); }})()"""
    )
    found = browser.value("page.state.hits && [...page.state.hits].sort()")
    return None if found is None else list(found)


@pytest.mark.parametrize("query", QUERIES)
def test_queries_find_what_they_find_in_the_app(shown, made, query):
    hits, wanted = ask(shown, query), queries.query_of(query)
    if wanted.is_empty:
        assert hits is None
        return
    assert hits == sorted(
        key_of(Selection(op=found.op, fm=found.fm, cpu_op=found.cpu_op))
        for found in queries.things_of(made.answer.scheduled)
        if wanted.test(found.thing)
    )
    rows = shown.value("document.querySelectorAll('#operators tbody tr').length")
    missed = shown.value("document.querySelectorAll('#operators tr.missed').length")
    assert missed == rows - len([key for key in hits if not key.startswith("map")])


def found_by(answer: Answer, query: str) -> set[str]:
    test = queries.query_of(query).test
    return {
        key_of(Selection(op=found.op, fm=found.fm, cpu_op=found.cpu_op))
        for found in queries.things_of(answer.scheduled)
        if test(found.thing)
    }


def test_rules_colour_what_they_find_the_first_first_and_are_switched_off(browser, made):
    rules = Rules().switched("kind=conv2d").switched("share>5%").switched("is=map bytes>=1K")
    path = made.path.with_name("rules.html")
    path.write_text(page("kws.tflite", made.answer, None, rules=rules.kept), "utf-8")
    browser.open(path)
    found = [found_by(made.answer, rule.text) for rule in rules.on]
    assert all(found)
    assert found[0] & found[1]
    wanted = {}
    for rule, keys in zip(rules.on, found, strict=True):
        wanted |= dict.fromkeys(keys - wanted.keys(), rule.tone.value)
    assert dict(browser.value("[...page.state.tones]")) == wanted
    told = browser.value("[...document.querySelectorAll('#rules label')].map((e) => e.textContent)")
    assert told == [f"{len(keys)}: {rule.name}" for rule, keys in zip(rules.on, found, strict=True)]
    assert browser.value("document.querySelector('#legend').hidden")
    assert set(ask(browser, "is=map")) == found_by(made.answer, "is=map bytes>=1K")
    ask(browser, "")
    for _ in rules.on:
        browser.value("document.querySelector('#rules input:checked').click()")
    assert browser.value("page.state.hits") is None
    assert not browser.value("document.querySelector('#legend').hidden")
    assert browser.faults == []


@pytest.mark.parametrize("query", REFUSED)
def test_queries_that_ask_nothing_sensible_are_refused_in_the_same_words(shown, query):
    assert ask(shown, query) is None
    assert shown.value("document.querySelector('#hits').className") == "wrong"
    with pytest.raises(OptionError) as error:
        queries.query_of(query)
    told = str(error.value)
    # Regular expressions have words of their own in each language.
    expected = told.split(": ", 1)[0] if query == "/(/" else told
    assert words(shown, "#hits").startswith(expected)


def test_the_table_is_sorted_by_a_click(shown):
    shown.value(
        """[...document.querySelectorAll("#operators th")]
          .find(head => head.textContent === "cycles").click()"""
    )
    cycles = shown.value(
        """(() => { const at = [...document.querySelectorAll("#operators th")]
          .findIndex(head => head.textContent === "cycles");
          return [...document.querySelectorAll("#operators tbody tr")]
            .map(row => Number(row.cells[at].textContent.replaceAll(",", ""))); })()"""
    )
    assert cycles == sorted(cycles, reverse=True)


def test_both_themes_are_drawn_as_the_system_or_the_reader_asks(shown):
    base = "getComputedStyle(document.documentElement).backgroundColor"
    pixel = "page.plot.canvas.getContext('2d').getImageData(3, 3, 1, 1).data[0]"
    wait = "new Promise(requestAnimationFrame).then(() => new Promise(requestAnimationFrame))"
    shown.value(wait)
    assert (shown.value(base), shown.value(pixel)) == ("rgb(255, 255, 255)", 255)
    shown.scheme("dark")
    shown.value(wait)
    assert (shown.value(base), shown.value(pixel)) == ("rgb(22, 25, 29)", 22)
    shown.value("document.querySelector('#theme').click()")
    shown.value(wait)
    assert words(shown, "#theme") == "Light"
    assert (shown.value(base), shown.value(pixel)) == ("rgb(255, 255, 255)", 255)


def test_names_of_others_are_text_and_a_second_model_is_compared(browser, tmp_path):
    """Given beside the model, as `--against` does."""
    name = "</script><img src=x onerror=alert(1)>.tflite"
    a, b = answer_of("residual_tower", limit_bytes=64 << 10), answer_of("residual_tower")
    rival = Rival(comparisons.account_of_schedule(a.scheduled, name), a.scheduled)
    path = tmp_path / "page.html"
    path.write_text(page(name, b, None, rival), "utf-8")
    browser.open(path)
    assert words(browser, "#model") == name
    assert words(browser, "#comparison h2") == f"Compared with A: {name}"
    assert browser.value("document.images.length") == 0
    assert browser.value("page.plot.panels.at(-1).isOther")
    assert browser.faults == []
    assert browser.addresses == [path.as_uri()]


def test_a_folder_has_the_page_where_it_is_asked_for(tmp_path):
    document = answer_of("kws_dscnn").document
    asked = FolderRequest(document=document, output=tmp_path / "out", formats=("interactive",))
    write_folder(asked, None, SILENT)
    assert [each.name for each in Path(tmp_path / "out").iterdir()] == [
        "kws_dscnn_interactive.html"
    ]


MOST_BYTES = 3_000_000
MOST_MS = 1000 / 60
DRAWN_MS = """Array.from({length: 60}, () => {
  const start = performance.now();
  page.plot.draw();
  page.plot.pen.getImageData(0, 0, 1, 1);  /* Until this is asked for, nothing has to be drawn. */
  return performance.now() - start;
})"""


@pytest.mark.long
def test_600_operators_are_drawn_60_times_a_second(browser, tmp_path):
    model = tmp_path / "net.tflite"
    model.write_bytes(writer.write(networks.residual(600)))
    made = page_of(model, tmp_path, search=Search.DIRECT)
    assert len(made.answer.scheduled.graph.ops) >= 600
    browser.open(made.path)
    # All are in sight; whatever else the machine does can only make it slower.
    assert view(browser) == (0, browser.value("page.plot.end"))
    assert min(browser.value(DRAWN_MS)) < MOST_MS


@pytest.mark.slow
def test_a_front_of_mobilenet_v2_can_be_sent(tmp_path):
    model = need("models/mobilenet_v2_1.0_224_quant.tflite")
    made = page_of(model, tmp_path, search=Search.BEST, effort=12)
    assert made.path.stat().st_size <= MOST_BYTES
