"""Calibrations: hidden boards come back from what was measured on them, and no more than is told.

Measurements are made by our own price, so that what is sought is known to the last figure.
"""

from __future__ import annotations

import random

import pytest

from core.base.errors import OptionError
from core.base.frozen import replace
from core.base.progress import SILENT
from core.calibrate.choice import Fitting
from core.calibrate.figures import Figure
from core.calibrate.run import calibrate
from core.calibrate.told import describe, lines
from core.calibrate.trials import Trials
from core.report.measured.count import Count
from tests.core.calibrate.boards import assumed, case, figures, hidden, values_of
from tests.shared import files

FEW = (
    "rnnoise_INT8__ethos-u55-128",
    "kws_micronet_m__ethos-u55-256",
    "ad_medium_int8__ethos-u55-256",
    "ad_medium_int8__ethos-u55-128",
    "kws_micronet_m__ethos-u55-64",
)
OTHERS = ("rnnoise_INT8__ethos-u55-32", "ad_medium_int8__ethos-u55-64")
U55, _ = assumed("ethos-u55")


def total(case, system):
    return case.cost(system).total_cycles


def tuned(**named):
    """The assumed board, with some figures otherwise."""
    found = values_of("ethos-u55", U55) | {Figure[name]: value for name, value in named.items()}
    return figures("ethos-u55").system_with(found)


@pytest.mark.parametrize("name", FEW)
@pytest.mark.parametrize("seed", range(2))
def test_fits_ask_for_the_total_of_the_whole_price(name, seed):
    own, board = case(name, U55), hidden("ethos-u55", seed)
    assert own.total_cycles(board) == own.cost(board).total_cycles


def test_a_board_that_is_as_assumed_stays_as_it_is():
    found = calibrate([case(name, U55) for name in FEW[:3]], U55)
    assert found.holds
    assert not found.fitted
    assert found.system == U55
    assert found.errors == pytest.approx((0, 0, 0), abs=1e-5)


@pytest.mark.parametrize(
    "told",
    [
        {"RATE": 0.3},
        {"COMMAND": 200.0},
        pytest.param({"SRAM": 0.4}, marks=pytest.mark.slow),
        pytest.param({"LATENCY": 300.0}, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_one_figure_is_fitted_where_one_is_otherwise(told):
    (name, value), *_ = told.items()
    found = calibrate([case(each, tuned(**told)) for each in FEW[:3]], U55)
    assert [each.figure.name for each in found.fitted] == [name]
    assert found.fitted[0].value == pytest.approx(value, 0.01)
    assert found.errors[1] < 1e-3


@pytest.mark.parametrize("scale", [0.4, 0.25, 0.8])
def test_a_round_figure_is_found_to_the_cycle(scale):
    """A hair beside it, many commands have one cycle less, which another figure would make up."""
    cases = [case(name, tuned(SRAM=scale)) for name in FEW[:2]]
    own = figures("ethos-u55")
    fitting = Fitting(own, Trials(own, cases, SILENT), range(len(cases)))
    assert fitting.fit((Figure.SRAM,)).squares < fitting.enough


def test_what_other_figures_explain_as_well_is_said():
    """Few bytes a cycle, or a long way to each of the two that are under way: one total has no
    more of the one than of the other."""
    found = calibrate([case(FEW[0], tuned(RATE=0.3))], U55)
    assert [each.figure for each in found.fitted] == [Figure.RATE]
    assert found.errors[1] < 1e-3
    assert found.errors[2] is None
    ((figure, value),) = found.others[0]
    assert figure is Figure.LATENCY
    own = case(FEW[0], U55)
    assert total(own, tuned(LATENCY=value)) == pytest.approx(total(own, tuned(RATE=0.3)), 0.03)
    told = "do not tell this from external latency in cycles "
    assert any(told in line for line in lines(found))


def test_where_reads_under_way_bound_the_rate_it_is_said_to_be_open():
    found = calibrate([case(each, tuned(LATENCY=600.0)) for each in FEW[:3]], U55)
    assert [each.figure for each in found.fitted] == [Figure.LATENCY]
    (rate,) = (each for each in found.kept if each.figure is Figure.RATE)
    # Two of 64 bytes for each latency and what they take at the port.
    assert rate.low == pytest.approx(2 * 64 / (600 + 8), 0.01)
    assert rate.high == figures("ethos-u55").bounds(Figure.RATE)[1]
    assert "external bytes a cycle: 1 as assumed; 0.211 to 8 fit as well" in "\n".join(lines(found))


@pytest.mark.slow
def test_what_the_estimate_is_off_by_anyway_is_no_board():
    rng = random.Random(0)
    cases = [case(name, U55, factor=rng.uniform(0.98, 1.02)) for name in FEW[:3]]
    found = calibrate(cases, U55)
    assert not found.fitted
    assert found.holds


@pytest.mark.long
def test_a_hidden_board_comes_back():
    check("ethos-u55", FEW, OTHERS, 0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("family", ["ethos-u55", "ethos-u65"])
def test_hidden_boards_come_back_from_five_measurements(family, seed):
    names = [path.stem for path in files(f"measured/programs/*{family}*.tflite")]
    random.Random(seed).shuffle(names)
    check(family, names[:5], names[5:], seed)


def check(family, measured, others, seed):
    """Figures within 5 % where they matter, and totals of other networks within 2 %."""
    system, _ = assumed(family)
    board = hidden(family, seed)
    found = calibrate([case(name, board) for name in measured], system)
    assert found.holds
    assert found.errors[1] < 1e-3
    sought = values_of(family, board)
    for each in found.fitted:
        # Cycles that are rounded tell little from next to nothing: then so much is said.
        if each.value != pytest.approx(sought[each.figure], 0.05):
            assert each.low * 0.99 <= sought[each.figure] <= each.high * 1.01, each
    for kept in found.kept:
        # Nothing that was measured depends on it.
        trial = board_with(family, board, kept.figure, kept.value)
        for name in measured:
            assert total(case(name, board), trial) == pytest.approx(
                total(case(name, board), board), 1e-3
            )
    for name in others:
        other = case(name, board)
        assert total(other, found.system) == pytest.approx(total(other, board), 0.02)


def board_with(family, board, figure, value):
    return replace(figures(family), system=board).system_with(
        values_of(family, board) | {figure: value}
    )


@pytest.mark.slow
def test_the_measurement_that_does_not_fit_is_named_and_the_fit_refused():
    board = tuned(RATE=0.5)
    cases = [case(name, board, factor=1.0 + (at == 3)) for at, name in enumerate(FEW[:4])]
    found = calibrate(cases, U55)
    assert not found.holds
    assert found.misfit is not None
    assert found.rows[found.misfit.row].name == FEW[3]
    assert found.misfit.error < 0.01
    told = "\n".join(lines(found))
    assert f"does not fit: {FEW[3]}" in told
    assert describe(found)["does_not_fit"]["name"] == FEW[3]


def test_what_no_other_measurement_confirms_is_said():
    cases = [case(FEW[0], tuned(RATE=0.3)), case(FEW[1], tuned(RATE=0.3, SRAM=0.3))]
    found = calibrate(cases, U55)
    assert found.holds
    assert found.errors[1] < 1e-3 < 0.1 < found.errors[2]
    assert "no measurement confirms what the others tell: more networks would" in lines(found)


def test_beats_of_another_program_are_told_apart_from_a_slow_board():
    own, other = case(FEW[1], U55), case(FEW[2], U55)
    found = calibrate([replace(own, measured=other.measured)], U55)
    assert not found.holds
    assert "was another program measured?" in "\n".join(lines(found))


def test_times_are_taken_by_the_clock_that_is_told_with_them():
    own = case(FEW[1], U55)
    seconds = own.measured.cycles / 160e6
    told = replace(own, measured=Count(seconds=seconds, clock_hz=160e6))
    found = calibrate([told], U55)
    assert found.system.core_clock_hz == 160e6
    assert found.rows[0].measured_cycles == pytest.approx(own.measured.cycles)
    bare = calibrate([replace(own, measured=Count(seconds=seconds))], U55)
    assert bare.system.core_clock_hz == U55.core_clock_hz


def test_what_is_not_one_board_is_refused():
    with pytest.raises(OptionError, match="0 measurements"):
        calibrate([], U55)
    u65, _ = assumed("ethos-u65")
    with pytest.raises(OptionError, match="not on one board"):
        calibrate([case(FEW[1], U55), case("kws_micronet_m__ethos-u65-256", u65)], U55)
    clocks = [Count(seconds=1e-3, clock_hz=clock) for clock in (1e8, 2e8)]
    own = case(FEW[1], U55)
    with pytest.raises(OptionError, match="several clocks"):
        calibrate([replace(own, measured=clock) for clock in clocks], U55)
