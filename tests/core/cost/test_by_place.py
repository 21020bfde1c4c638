"""An operation costs in its place what the work that says where all is costs."""

from __future__ import annotations

from itertools import product

import pytest

from core.base.frozen import replace
from core.base.geometry import Shape4
from core.cost.by_place import Operation
from core.cost.formulas import operator_cycles
from core.cost.rates import Rates
from core.cost.spent import operation_spent
from core.cost.work import Work
from core.target.format import Format
from core.target.target import Area
from core.target.unit import Unit
from tests.core.cost.works import U55, U65, addition, convolution, fm, work

AREAS = (Area.SRAM, Area.DRAM, Area.OFF_CHIP_FLASH)
WORKS = (
    convolution(),
    addition(),
    work(U55, Unit.POOLING, fm(Shape4(1, 9, 9, 20), order=Format.LINEAR), fm(Shape4(1, 9, 9, 20))),
)


def placed(done: Work, areas: tuple[Area, ...]) -> Work:
    *inputs, output, weights = areas
    return replace(
        done,
        ifm=replace(done.ifm, area=inputs[0]),
        ifm2=None if done.ifm2 is None else replace(done.ifm2, area=inputs[1]),
        ofm=replace(done.ofm, area=output),
        constants=None if done.constants is None else weights,
    )


@pytest.mark.parametrize("target", [U55, U65])
@pytest.mark.parametrize("done", WORKS)
def test_an_operation_costs_in_its_place_what_its_work_costs_there(target, done):
    rates = Rates.of(target)
    operation = Operation.of(rates, done, 1000)
    views = len([use for use in done.maps if use is not None])
    for areas in product(AREAS, repeat=views + 1):
        there = placed(done, areas)
        told = operation_spent(rates, there, operator_cycles(rates, there), 1000)
        assert operation.spent(areas) == told
        assert operation.cycles(areas) == told.cycles
