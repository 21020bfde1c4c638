"""What a board needs is told as the schedule has it, and can be read back from every snippet."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from core.base.frozen import replace
from core.ir.options import Engine
from core.target.region import Region
from gui.document.document import ModelRef
from gui.present.snippets import DEVICE, SIZES, TITLES, texts_of
from tests.gui.answers import EXAMPLES, answer_of

NAMES = sorted(file.stem for file in EXAMPLES.glob("*.tflite"))
ASKED = [
    (name, settings)
    for name in NAMES
    for settings in ({}, {"accelerator": "ethos-u65-256", "limit_bytes": 60_000})
]


def text_of(answer, title: str) -> str:
    return dict(texts_of(answer))[title]


def read_c(text):
    return {
        name: int(size)
        for name, size in re.findall(r"^#define (\w+)\s+(\d+)u\b", text, re.MULTILINE)
    }


def read_cmake(text):
    return {
        name: int(size) for name, size in re.findall(r"^set\((\w+) (\d+)\)", text, re.MULTILINE)
    }


def read_kconfig(text):
    found = re.findall(r"^config (\w+)\n\tint \"[^\"\n]+\"\n\tdefault (\d+)$", text, re.MULTILINE)
    return {name: int(size) for name, size in found}


READERS = {"C": read_c, "CMake": read_cmake, "Kconfig": read_kconfig}
LINKER = "Linker"


def test_there_are_texts_to_read_and_texts_to_build_with():
    assert (SIZES, DEVICE, *READERS, LINKER) == TITLES
    assert tuple(title for title, _ in texts_of(answer_of("kws_dscnn"))) == TITLES


@pytest.mark.parametrize("title", READERS)
@pytest.mark.parametrize(("name", "settings"), ASKED)
def test_sizes_can_be_read_back(title, name, settings):
    answer = answer_of(name, **settings)
    heights = {
        region: area.height_bytes
        for area in answer.scheduled.layout.areas
        for region in area.regions
    }
    found = READERS[title](text_of(answer, title))
    assert found["REEFPOINT_ARENA_BYTES"] == heights[Region.SCRATCH]
    beside = heights[Region.SCRATCH_FAST] if answer.scheduled.target.is_spilling else 0
    assert found["REEFPOINT_FAST_SCRATCH_BYTES"] == beside
    assert found["REEFPOINT_NPU_CONSTANTS_BYTES"] == heights[Region.PERMANENT_NPU]
    assert found["REEFPOINT_CPU_CONSTANTS_BYTES"] == heights[Region.PERMANENT_CPU]
    assert found["REEFPOINT_TENSOR_ARENA_BYTES"] >= found["REEFPOINT_ARENA_BYTES"]


@pytest.mark.parametrize(("name", "settings"), ASKED)
def test_sizes_are_told_and_estimates_are_marked(name, settings):
    answer = answer_of(name, **settings)
    told = text_of(answer, SIZES)
    for area in answer.scheduled.layout.areas:
        if set(area.regions) & {Region.SCRATCH, Region.SCRATCH_FAST}:
            assert f"{area.height_bytes:,} B" in told
    runtime = told[told.index("What the runtime adds:") :].splitlines()[1:]
    parts = [line for line in runtime[: runtime.index("")] if line]
    assert parts
    assert all(line.startswith("  ESTIMATE") for line in parts)


def test_the_device_is_told():
    told = text_of(answer_of("kws_dscnn"), DEVICE)
    for word in ("Ethos-U55, 256 MACs", "H256", "ethos-u55-256", "CONFIG_ETHOS_U55_256=y"):
        assert word in told


@pytest.mark.parametrize("title", [SIZES, *READERS, LINKER])
def test_texts_name_what_they_are_for(title):
    told = text_of(answer_of("kws_dscnn", limit_bytes=50_000), title)
    for word in ("kws_dscnn.tflite", "ethos-u55-256", "Shared_Sram", "50000 bytes", "Performance"):
        assert word in told


@pytest.mark.parametrize("title", [SIZES, *READERS, LINKER])
@pytest.mark.parametrize(
    ("engine", "told"),
    [
        (Engine.CASCADING, "cascading engine"),
        (Engine.PARETO, "Pareto engine"),
    ],
)
def test_texts_name_the_engine(title, engine, told):
    assert told in text_of(answer_of("kws_dscnn", engine=engine), title)


def nasty_answer():
    answer = answer_of("kws_dscnn")
    model = ModelRef(path="/models/a *|/ #define EVIL 1\n#define EVIL 2.tflite\\", digest="")
    return replace(answer, document=replace(answer.document, model=model))


@pytest.mark.parametrize("title", READERS)
def test_a_name_cannot_leave_its_comment(title):
    found = READERS[title](text_of(nasty_answer(), title))
    assert set(found) == set(READERS[title](text_of(answer_of("kws_dscnn"), title)))


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_a_c_compiler_takes_the_text(tmp_path):
    told = text_of(nasty_answer(), "C")
    source = tmp_path / "sizes.c"
    checks = "".join(
        f'_Static_assert({name} == {size}, "{name}");\n' for name, size in read_c(told).items()
    )
    source.write_text(told + checks, encoding="utf-8")
    done = subprocess.run(
        ["cc", "-std=c11", "-Wall", "-Werror", "-fsyntax-only", source],
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.returncode, done.stderr


@pytest.mark.skipif(shutil.which("cmake") is None, reason="there is no CMake")
def test_cmake_takes_the_variables(tmp_path):
    told = text_of(answer_of("kws_dscnn"), "CMake")
    found = read_cmake(told)
    script = tmp_path / "sizes.cmake"
    told += "".join(f'message("{name}=${{{name}}}")\n' for name in found)
    script.write_text(told, encoding="utf-8")
    done = subprocess.run(["cmake", "-P", script], capture_output=True, text=True, check=True)
    assert done.stderr.split() == [f"{name}={size}" for name, size in found.items()]
