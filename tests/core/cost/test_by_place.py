"""An operation costs in its place what the work that says where and how all is stored costs."""

from __future__ import annotations

from itertools import product

import pytest

from core.base.frozen import replace
from core.base.geometry import Shape4
from core.cost.by_place import Operation
from core.cost.formulas import operator_cycles
from core.cost.from_graph import Place
from core.cost.rates import Rates
from core.cost.work import FmUse, Work
from core.target.format import Format
from core.target.target import Area
from core.target.unit import Unit
from tests.core.cost.works import U55, U65, addition, convolution, fm, operation_spent, work

AREAS = (Area.SRAM, Area.DRAM, Area.OFF_CHIP_FLASH)
WORKS = (
    convolution(),
    addition(),
    work(U55, Unit.POOLING, fm(Shape4(1, 9, 9, 20), order=Format.LINEAR), fm(Shape4(1, 9, 9, 20))),
)


def placed(done: Work, areas: tuple[Area, ...], orders: tuple[Format, ...]) -> Work:
    maps, weights = areas[:-1], areas[-1]
    first, *others = (Place(*each) for each in zip(maps, orders, strict=True))
    return replace(
        done,
        ifm=in_place(done.ifm, first),
        ifm2=None if done.ifm2 is None else in_place(done.ifm2, others[0]),
        ofm=in_place(done.ofm, others[-1]),
        constants=None if done.constants is None else weights,
    )


def in_place(use: FmUse, place: Place) -> FmUse:
    return replace(use, area=place.area, format=place.format)


@pytest.mark.parametrize("target", [U55, U65])
@pytest.mark.parametrize("done", WORKS)
def test_an_operation_costs_in_its_place_what_its_work_costs_there(target, done):
    rates = Rates.of(target)
    operation = Operation.of(rates, done, 1000)
    count = len([use for use in done.maps if use is not None])
    for orders in product(Format, repeat=count):
        stored = operation.stored_as(orders)
        for areas in product(AREAS, repeat=count + 1):
            there = placed(done, areas, orders)
            told = operation_spent(rates, there, operator_cycles(rates, there), 1000)
            assert stored.spent(areas) == told
            assert stored.cycles(areas) == told.cycles
