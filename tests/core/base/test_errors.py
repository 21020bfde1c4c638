"""The family of errors: one line each, with the place and what to do."""

from __future__ import annotations

import pytest

from core.base.errors import (
    CoreError,
    DoesNotFit,
    InputError,
    InternalError,
    OptionError,
    UnsupportedOperator,
)


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (InputError("is cut off"), "is cut off"),
        (InputError("is cut off", "tensor 3"), "tensor 3: is cut off"),
        (
            UnsupportedOperator("conv 'a'", "stride 1 to 3", "it is 4"),
            "conv 'a': stride 1 to 3 (it is 4)",
        ),
        (
            DoesNotFit(100, 120, ["fm 1", "fm 2"]),
            "needs 120 bytes where 100 are allowed (because of fm 1, fm 2)",
        ),
        (OptionError("no such file"), "no such file"),
        (InternalError("a schedule without operators"), "a schedule without operators"),
    ],
)
def test_each_error_is_one_line_of_one_family(error, line):
    assert isinstance(error, CoreError)
    assert str(error) == line


def test_parts_can_be_read_apart():
    assert InputError("m", "w").where == "w"
    assert UnsupportedOperator("o", "r", "y").rule == "r"
    assert DoesNotFit(1, 2, iter(["c"])).culprits == ("c",)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("Shared_Srm", "unknown mode 'Shared_Srm'; did you mean 'Shared_Sram'?"),
        ("qqq", "unknown mode 'qqq'; known are Shared_Sram, Sram_Only"),
    ],
)
def test_an_unknown_name_shows_the_nearest_or_all(name, line):
    assert str(OptionError.unknown("mode", name, {"Sram_Only", "Shared_Sram"})) == line
