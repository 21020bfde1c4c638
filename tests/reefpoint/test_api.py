"""What scripts and notebooks use: a user's script, its page, what is refused, what is shown."""

from __future__ import annotations

import json
import re
import sys
import types
from pathlib import Path

import pytest

import main as program
import reefpoint
from tests.conftest import Golden
from tests.reefpoint import users_script
from tests.reefpoint.api_page import page

ROOT = Path(__file__).parents[2]
KWS = ROOT / "resources" / "examples" / "kws_dscnn.tflite"
NOTEBOOKS = sorted((ROOT / "resources" / "notebooks").glob("*.ipynb"))


@pytest.fixture(scope="module")
def model() -> reefpoint.Model:
    return reefpoint.load(KWS)


@pytest.fixture(scope="module")
def schedule(model) -> reefpoint.Schedule:
    return reefpoint.schedule(model, reefpoint.target("ethos-u55-128", limit="16K"))


def test_a_users_script_does_what_it_says(tmp_path, capsys):
    users_script.main(KWS, tmp_path)
    told = capsys.readouterr().out
    assert "did you mean 'ethos-u55-128'?" in told
    assert {path.name for path in tmp_path.iterdir()} == {
        "compiled.tflite",
        "schedule.json",
        "schedule.html",
    }


def test_names_and_signatures_are_those_of_the_page(request):
    golden = Golden(ROOT / "resources", request.config.getoption("--update-goldens"))
    golden.check("api.md", page())


def test_all_that_is_promised_is_there():
    assert sorted(dir(reefpoint)) == sorted(reefpoint.__all__)
    assert [name for name in reefpoint.__all__ if not hasattr(reefpoint, name)] == []
    with pytest.raises(AttributeError, match="'nothing'"):
        _ = reefpoint.nothing


def test_figures_are_those_of_the_command_line(schedule, tmp_path):
    words = ["--accelerator-config", "ethos-u55-128", "--arena-cache-size", "16K"]
    command = ["schedule", str(KWS), *words, "--json", str(tmp_path / "schedule.json")]
    assert program.main(command) == 0
    told = json.loads((tmp_path / "schedule.json").read_text("utf-8"))
    assert schedule.to_dict() == told
    totals = told["totals"]
    assert (schedule.cycles, schedule.seconds) == (
        totals["total_cycles"],
        totals["inference_seconds"],
    )
    assert (schedule.sram_bytes, schedule.fast_storage_bytes, schedule.excess_bytes) == (
        totals["sram_bytes"],
        totals["fast_storage_bytes"],
        totals["excess_bytes"],
    )
    ops = told["schedules"][0]["ops"]
    assert [op.cycles for op in schedule.operators] == [op["cost"]["total_cycles"] for op in ops]
    assert [op.stripe_rows for op in schedule.operators] == [op["stripe"][1] for op in ops]
    assert [op.decided_by for op in schedule.operators] == [op["cost"]["decides"] for op in ops]


def test_what_was_asked_before_changes_no_answer(schedule):
    warm = reefpoint.load(KWS)
    reefpoint.schedule(warm, reefpoint.target("ethos-u55-128", limit="9K"))
    reefpoint.schedule(warm, reefpoint.target("ethos-u55-128", limit="12K"), effort=1)
    again = reefpoint.schedule(warm, schedule.target)
    assert again.to_dict() == schedule.to_dict()


def test_a_compiled_model_is_a_model(schedule):
    compiled = reefpoint.compile(schedule, verify=False)
    assert not compiled.is_proved
    found = reefpoint.schedule(compiled.model)
    assert found.cycles == schedule.cycles
    assert found.limit_bytes is None
    assert reefpoint.compare(schedule, compiled.model).cycles_change == 0
    with pytest.raises(reefpoint.InputError, match="compiled"):
        reefpoint.advise(compiled.model)


def test_decisions_that_are_written_find_the_schedule_again(schedule, tmp_path):
    schedule.write_edits(tmp_path / "edits.json")
    again = reefpoint.schedule(schedule.model, schedule.target, edits=tmp_path / "edits.json")
    assert again.cycles == schedule.cycles
    plain = json.loads((tmp_path / "edits.json").read_text("utf-8"))["edits"]
    assert reefpoint.schedule(schedule.model, schedule.target, edits=plain).cycles == again.cycles


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (lambda: reefpoint.target("ethos-u55-12"), "did you mean 'ethos-u55-128'?"),
        (lambda: reefpoint.target(accelerator=8), "accelerator has to be a text"),
        (lambda: reefpoint.target(limit="2X"), "'2X' is not a size"),
        (lambda: reefpoint.target(limit=0.5), "a limit has to be bytes or a text"),
        (lambda: reefpoint.target(limit=True), "a limit has to be bytes or a text"),
        (lambda: reefpoint.load(8), "a model has to be a path or bytes"),
        (lambda: reefpoint.load("nowhere.tflite"), "nowhere.tflite: No such file"),
        (lambda: reefpoint.load(b"TFL3"), "model: "),
        (lambda: reefpoint.schedule(KWS, effort=-1), "effort has to be a whole number"),
        (lambda: reefpoint.schedule(KWS, engine="fron"), "did you mean 'front'?"),
        (lambda: reefpoint.schedule(KWS, options=["--optimize", "Size"]), "'--optimize' is no opt"),
        (lambda: reefpoint.schedule(KWS, options="--optimise Size"), "a list of words"),
        (lambda: reefpoint.schedule(KWS, progress=8), "progress has to be a function"),
        (lambda: reefpoint.schedule(KWS, edits=[{"what": "stripe"}]), "edits[0]"),
        (lambda: reefpoint.sweep([], "ethos-u55-128"), "a model, a target and a limit"),
        (lambda: reefpoint.sweep(KWS, "ethos-u55-128", limits="9K:8K:1K"), "has no sizes in it"),
        (lambda: reefpoint.calibrate({KWS: "fast"}), "fast: "),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(ask, told):
    with pytest.raises(reefpoint.CoreError, match=re.escape(told)) as refused:
        ask()
    assert "\n" not in str(refused.value)


def test_a_calibration_is_a_config_that_a_target_takes(schedule, tmp_path):
    target = reefpoint.target("ethos-u55-128", limit="16K")
    found = reefpoint.calibrate({KWS: round(schedule.cycles * 1.02)}, target, progress=False)
    assert found.holds
    name = found.write(tmp_path / "board.ini")
    calibrated = reefpoint.target(
        "ethos-u55-128", system_config=name, configs=[tmp_path / "board.ini"], limit="16K"
    )
    assert reefpoint.schedule(KWS, calibrated, progress=False).cycles >= schedule.cycles


def test_tables_have_a_row_for_each_operator(schedule, monkeypatch):
    rows = []
    pandas = types.SimpleNamespace(DataFrame=lambda given: rows.extend(given) or "a table")
    monkeypatch.setitem(sys.modules, "pandas", pandas)
    assert schedule.to_pandas() == "a table"
    assert [row["name"] for row in rows] == [op.name for op in schedule.operators]


def test_what_is_shown_is_short_and_the_page_needs_nothing_else(schedule):
    front = reefpoint.front(schedule.model, schedule.target, effort=1, progress=False)
    for value in (schedule, schedule.model, schedule.target, front):
        assert len(repr(value)) < 200
        assert "\n" not in repr(value)
    html = schedule.to_html()
    assert html.count("<svg") == 4, "the timeline and the map, each in light and dark"
    assert any(op.name.split("/")[0] in html for op in schedule.operators), "names are told"
    assert not re.search(r"""(src|href)=["'](?!#|data:)""", html)
    assert "://" not in html.replace("http://www.w3.org/", "")
    shown = schedule._repr_html_()
    assert shown.startswith("<iframe srcdoc=")
    assert shown.count("<") == 2


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run_from_the_first_cell_to_the_last(path, monkeypatch):
    monkeypatch.chdir(path.parent)
    notebook = json.loads(path.read_text("utf-8"))
    assert all(not cell.get("outputs") for cell in notebook["cells"]), "outputs are not kept"
    space: dict[str, object] = {}
    for number, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] == "code":
            lines = "".join(cell["source"]).rstrip().splitlines()
            exec(compile("\n".join(lines[:-1]), f"cell {number}", "exec"), space)
            # What stands last is shown.
            if re.match(r"[\w.]+ = |assert |del |for | ", lines[-1]):
                exec(compile(lines[-1], f"cell {number}", "exec"), space)
            else:
                shown = eval(compile(lines[-1], f"cell {number}", "eval"), space)
                show = getattr(shown, "_repr_html_", None)
                assert show() if show else len(repr(shown)) < 2_000
