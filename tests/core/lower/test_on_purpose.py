"""Operators that are put on the CPU on purpose: who is named by what, and nothing else changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from core import cli
from core.base.errors import OptionError
from core.cli.arguments import settings_of, target_arguments
from core.ir.npugraph import NpuGraph
from core.ir.options import LoweringOptions, Options
from core.lower import run as lower
from core.lower.legality.table import rules_of
from core.target.registry import accelerator_named
from core.target.resolve import resolve
from core.tflite import reader
from tests.core.emit.executed import largest_differences, scheduled_and_compiled

MODEL = Path(__file__).parents[3] / "resources" / "examples" / "shuffle_with_cpu.tflite"
NETWORK = reader.read(MODEL.read_bytes())
U55 = accelerator_named("ethos-u55-128")
KINDS = rules_of(U55.family).keys()
GATHER = 8


def lowered(*words: str) -> NpuGraph:
    return lower.run(NETWORK, U55, LoweringOptions(to_cpu=words))


def on_cpu(graph: NpuGraph) -> list[int]:
    return [op.source.op for op in graph.cpu_ops]


@pytest.mark.parametrize(
    ("words", "ops"),
    [
        ((), []),
        (("SOFTMAX",), [17]),
        (("softmax", "#0"), [0, 17]),
        (("stem/conv_2d",), [0]),
        (("mean",), [15]),
        (("head/mean", "MEAN"), [15]),
        (("max_pool_2d",), [1]),
        (("EXP",), []),
    ],
)
def test_kinds_names_endings_and_numbers_name_operators(words, ops):
    assert on_cpu(lowered(*words)) == sorted([*ops, GATHER])


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("SOFTMX", "unknown operator of --to-cpu 'SOFTMX'; did you mean 'SOFTMAX'"),
        ("#18", "unknown operator of --to-cpu '#18'"),
        ("conv_2d_1", "several names end so: before/conv_2d_1, after/conv_2d_1"),
        ("ean", "unknown operator"),
        ("number>99", "--to-cpu number>99: no operator of the file is so"),
        ("size=3", "--to-cpu size=3: "),
    ],
)
def test_what_names_nothing_or_several_is_refused(word, told):
    with pytest.raises(OptionError, match=told):
        lowered(word)


def test_why_it_is_there_names_the_word():
    (reason,) = (each for each in lowered("#0").rejections if each.op.op == 0)
    assert (reason.rule, reason.found) == ("Nobody asked for it to run on the CPU", "--to-cpu #0")


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("kind=depthwise_conv_2d and number<6", [5]),
        ("name~softmax", [17]),
        ("bytes>=12K or shape=1x1x1x1", [0]),
    ],
)
def test_a_query_names_all_that_it_finds(query, found):
    assert on_cpu(lowered(query)) == sorted({*found, GATHER})


def test_a_network_with_operators_there_computes_the_same():
    options = Options(to_cpu=("MAX_POOL_2D", "before/depthwise_conv_2d", "#15"))
    scheduled, compiled = scheduled_and_compiled(NETWORK, resolve("ethos-u55-128"), options)
    assert on_cpu(scheduled.graph) == [1, 5, GATHER, 15]
    assert len(scheduled.graph.islands) == 5
    assert largest_differences(NETWORK, compiled.data, range(2)) == ({}, [])


def test_all_on_the_cpu_is_no_schedule_but_holds(tmp_path, capsys):
    kinds = ",".join(sorted({op.kind for op in NETWORK.main.operators}))
    out = tmp_path / "out.tflite"
    assert cli.main(["compile", str(MODEL), "-o", str(out), "--verify", "--to-cpu", kinds]) == 0
    assert "no operator of this model runs on the NPU" in capsys.readouterr().err


def test_it_may_be_repeated_and_listed():
    words = ["--to-cpu", "SOFTMAX, MEAN", "--to-cpu", "#3"]
    asked = settings_of(target_arguments().parse_args(words))
    assert asked.options.to_cpu == ("SOFTMAX", "MEAN", "#3")


def test_a_project_says_it_in_its_file(tmp_path, capsys):
    model = tmp_path / "mine.tflite"
    model.write_bytes(MODEL.read_bytes())
    (tmp_path / "reefpoint.toml").write_text('to-cpu = ["SOFTMAX", "mean"]\neffort = 0\n', "utf-8")
    assert cli.main(["schedule", str(model)]) == 0
    assert "3 operators on the CPU" in capsys.readouterr().out
    (tmp_path / "reefpoint.toml").write_text("to-cpu = [1]\n", "utf-8")
    assert cli.main(["schedule", str(model)]) == 2
    assert "to-cpu has to be a text, or a list of them" in capsys.readouterr().err
