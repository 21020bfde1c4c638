"""The switch that rewrites expected texts, and what happens without it."""

from __future__ import annotations

import pytest

from core.base.frozen import replace


def test_a_golden_is_written_with_the_switch_and_compared_without(golden, tmp_path):
    written = replace(golden, folder=tmp_path / "goldens", update=True)
    compared = replace(written, update=False)
    with pytest.raises(AssertionError, match="--update-goldens writes it"):
        compared.check("a.txt", "one\n")
    written.check("a.txt", "one\n")
    compared.check("a.txt", "one\n")
    with pytest.raises(AssertionError, match="--update-goldens accepts"):
        compared.check("a.txt", "two\n")
