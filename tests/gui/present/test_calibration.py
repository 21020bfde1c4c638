"""Calibrations as they are shown: what is missing, the table, points, what became of figures."""

from __future__ import annotations

from functools import cache

import pytest

from core.api import calibrations
from core.base.errors import OptionError
from core.base.frozen import replace
from core.calibrate.run import Misfit, calibrate
from core.ir.settings import Settings
from gui.present.calibration.asked import Entry, obstacle, order_of
from gui.present.calibration.found import HEADERS, fit_of, settings_with
from tests.core.calibrate.boards import assumed, case

KWS = "kws_micronet_m__ethos-u55-256"
U55, MODE = assumed("ethos-u55")


@cache
def board():
    """One that is as assumed, by one measurement."""
    return calibrations.Board(found=calibrate([case(KWS, U55)], U55), modes=(MODE,))


def with_row(**changes):
    """The same with another estimate of its measurement."""
    found = board().found
    return replace(board(), found=replace(found, rows=(replace(found.rows[0], **changes),)))


def test_what_is_missing_is_said():
    assert obstacle((), Settings()) == (
        "Add the models or compiled files that were measured.",
        True,
    )
    assert obstacle((Entry("a/kws.tflite", "  "),), Settings()) == (
        "Say what was measured of kws.tflite.",
        True,
    )
    assert obstacle((Entry("kws.tflite", "5"),), Settings()) == ("1 measurement to fit.", False)
    many = (Entry("kws.tflite", "5"),) * (calibrations.MOST_MEASUREMENTS + 1)
    with pytest.raises(OptionError, match="20 are used at most"):
        order_of(many, Settings())


@pytest.mark.parametrize(
    ("log", "source", "name"),
    [
        ("405608", "", "kws.tflite=405608"),
        ("NPU TOTAL: 405608 cycles\nand more", "", "kws.tflite=pasted"),
        ("NPU TOTAL: 405608 cycles\nand more", "logs/board 1.log", "kws.tflite=board 1.log"),
    ],
)
def test_a_measurement_is_called_by_its_figure_or_its_file(log, source, name):
    (measured,) = order_of((Entry("models/kws.tflite", log, source),), Settings()).measured
    assert measured.name == name
    assert measured.log == log.encode()


def test_a_row_has_each_estimate_and_how_far_it_is_off():
    cycles = board().found.rows[0].measured_cycles
    fit = fit_of(with_row(assumed_cycles=1.5 * cycles, left_out_cycles=0.9 * cycles))
    (row,) = fit.rows
    assert len(row) == len(HEADERS)
    assert row[0] == KWS
    assert [str(row[at]) for at in (3, 5, 7)] == ["+50.0 %", "+0.0 %", "-10.0 %"]
    # Where no other measurement is, nothing is said.
    assert fit_of(board()).rows[0][-2:] == (None, None)


def test_points_lie_on_the_line_where_the_estimate_is_what_was_measured():
    cycles = board().found.rows[0].measured_cycles
    before, after = fit_of(with_row(assumed_cycles=2 * cycles)).spots
    assert (before.is_after, after.is_after) == (False, True)
    assert after.x == pytest.approx(after.y)
    assert before.x == after.x
    assert before.y > before.x
    assert all(0 <= place <= 1 for spot in (before, after) for place in spot[:2])
    assert "(+100.0 %)" in before.tip


def test_figures_that_are_left_are_told_apart_from_those_found():
    fit = fit_of(board())
    assert fit.fitted == ()
    assert len(fit.left) == 4
    assert fit.left[0].startswith("External bytes a cycle: 1 as assumed")


def test_a_fit_that_does_not_hold_says_with_whom():
    cycles = board().found.rows[0].measured_cycles
    found = with_row(fitted_cycles=3 * cycles)
    found = replace(found, found=replace(found.found, misfit=Misfit(row=0, error=0.0)))
    fit = fit_of(found)
    assert not fit.holds
    assert fit.heading == "No board fits these."
    assert any(f"Does not fit: {KWS}" in line for line in fit.sentences)
    assert all(spot.is_wrong for spot in fit.spots)


def test_settings_take_a_config_once_and_by_its_name(tmp_path):
    path = tmp_path / "my board.ini"
    text, name = board().config(path)
    path.write_text(text, encoding="utf-8")
    once = settings_with(Settings(accelerator="ethos-u55-128"), path, name)
    assert (once.configs, once.system_config) == ((str(path),), "my_board")
    assert settings_with(once, path, name) == once
    with pytest.raises(OptionError):
        settings_with(once, path, "another")
