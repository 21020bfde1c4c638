"""`check --update`: limits become what the figures are, and the rest of the file stays as it is."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import cli
from core.api.comparisons import account_of_schedule, compare, demand_of
from core.cli.budget_text import rewritten
from tests.core.report.explained import explained

EXAMPLES = Path(__file__).parents[2] / "resources" / "examples"
TEXT = """# what we have, "cycles <= 1" and all
options = "--accelerator-config ethos-u55-128"  # 'for all'
[[model]]
path = "net.tflite"
limits = [
  "cycles <= 3k",     # too little: "cycles <= 3k"
  'sram < 1M', "time<0.001ms",
  "npu_operators >= 400",
  "flash +0 %", "fits"]
"""


def test_limits_are_met_and_tight_after_an_update_and_comments_stay(tmp_path, capsys):
    shutil.copy(EXAMPLES / "kws_dscnn.tflite", tmp_path / "net.tflite")
    file = tmp_path / "b.toml"
    file.write_bytes(TEXT.replace("\n", "\r\n").encode())
    assert cli.main(["check", str(file)]) == 1
    assert cli.main(["check", str(file), "--update"]) == 0
    assert "6 limits met" in capsys.readouterr().out
    text = file.read_bytes().decode()
    assert text.count("\r\n") == text.count("\n") == TEXT.count("\n")
    assert [line.partition("#")[2] for line in text.splitlines()] == [
        line.partition("#")[2] for line in TEXT.splitlines()
    ]
    cycles, sram, time, operators, *rest = tomllib.loads(text)["model"][0]["limits"]
    assert (cycles[:10], cycles[-1], sram[:7], sram[-1]) == ("cycles <= ", "k", "sram < ", "M")
    assert (time[:5], time[-2:], operators[:17]) == ("time<", "ms", "npu_operators >= ")
    assert rest == ["flash +0 %", "fits"]
    once = file.read_bytes()
    assert cli.main(["check", str(file), "--update"]) == 0
    assert file.read_bytes() == once


def test_what_cannot_be_brought_about_by_other_limits_is_red_after_an_update(tmp_path):
    shutil.copy(EXAMPLES / "kws_dscnn.tflite", tmp_path / "net.tflite")
    file = tmp_path / "b.toml"
    file.write_text('[[model]]\npath = "net.tflite"\noptions = "--arena-cache-size 1K"\n')
    before = file.read_bytes()
    assert cli.main(["check", str(file), "--update"]) == 1
    assert file.read_bytes() == before


@given(
    name=st.sampled_from(["cycles", "time", "sram", "fast", "macs", "cpu"]),
    sign=st.sampled_from(["<", "<=", ">", ">="]),
    unit=st.sampled_from(["", "k", "M", "ms", "us", "KiB"]),
    number=st.sampled_from(["0", "1", "17.25", "1000000"]),
)
def test_a_relation_as_it_is_found_is_met_and_as_tight_as_its_unit_can_say(
    name, sign, unit, number
):
    account = account_of_schedule(explained("kws_dscnn").done)
    comparison = compare(account, account)
    fitting = {"time": ("", "ms", "us"), "sram": ("", "k", "M", "KiB"), "fast": ("", "k", "M")}
    if unit not in fitting.get(name, ("", "k", "M")):
        return
    asked = demand_of(f" {name} {sign}{number} {unit}")
    found = asked.as_found(comparison)
    value = comparison.figure(asked.figures[0]).after
    assert (found.sign, found.figures) == (asked.sign, asked.figures)
    if sign != ">" or value > 0:
        assert found.is_met(comparison)
    unit_value = demand_of(f"{name}<1{unit}").number
    step = unit_value * (1e-3 if unit else 1e-6 if name == "time" else 1)
    assert abs(found.number - value) <= step * (1 + 1e-6)


@pytest.mark.parametrize(
    "text",
    [
        'model = [{path = "a", limits = ["cycles < 1"]}]',
        '[["model"]]\npath = "a"\nlimits = ["cycles < 1"]',
        '[[model]]\npath = "cycles < 1"\nlimits = ["cycles < 1"]',
        '[[model]]\npath = "a"\nlimits = ["""cycles < 1"""]',
    ],
)
def test_what_is_written_in_other_ways_is_refused_and_not_guessed(text, tmp_path):
    assert tomllib.loads(text)["model"][0]["limits"] == ["cycles < 1"]
    with pytest.raises(Exception, match="cannot be updated"):
        rewritten(tmp_path / "b.toml", text.encode(), [{"cycles < 1": "cycles < 2"}])
