"""Sizes for a board: those of the schedule exactly, the runtime's as an estimate, and snippets."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from core.base.frozen import replace
from core.report.board.runtime import Counts, estimate
from core.report.board.sizes import board_of
from core.report.board.snippets import (
    SNIPPETS,
    c_text,
    cmake_text,
    kconfig_text,
    linker_script,
    named_sizes,
)
from core.report.ecosystem_names import AREA_TITLES
from core.target.format import ALIGNMENT_BYTES
from core.target.region import Region
from core.target.target import Area
from core.tflite import reader
from tests.core.report.real import NAMES, TARGETS, real
from tests.shared import need


@pytest.fixture(params=[(name, kind) for name in NAMES for kind in TARGETS], ids=" ".join)
def material(request):
    return real(*request.param)[0]


def height(material, region):
    return max(a.height_bytes for a in material.layout.areas if region in a.regions)


def test_sizes_are_those_of_the_schedule(material):
    sizes = board_of(material).sizes
    assert sizes.arena_bytes == height(material, Region.SCRATCH)
    fast = height(material, Region.SCRATCH_FAST)
    assert sizes.fast_scratch_bytes == (fast if material.target.is_spilling else 0)
    permanent = (Region.PERMANENT_NPU, Region.PERMANENT_CPU)
    assert sizes.flash_bytes == sum(height(material, region) for region in permanent)
    assert (sizes.command_stream_bytes, sizes.other_file_bytes) == (None, None)


def test_the_arena_to_begin_with_holds_all_that_is_planned_and_the_estimate(material):
    board = board_of(material)
    needed = board.sizes.planned_bytes + board.runtime.size_bytes
    assert needed <= board.tensor_arena_bytes < needed + 1024
    assert board.tensor_arena_bytes % ALIGNMENT_BYTES == 0
    assert board.sizes.planned_bytes >= board.sizes.arena_bytes
    assert board.runtime.size_bytes > 0
    assert all(part.basis for part in board.runtime.parts)
    assert any("estimate" in line.lower() for line in board.runtime.caveats)


# Arenas that RecordingMicroAllocator printed on Cortex-M boards: what is above the tensors.
@pytest.mark.parametrize(
    ("counts", "printed"),
    [
        (Counts(10, 3, (), 2, 3, 33), 1264),
        (Counts(17, 7, (), 2, 7, 16 + 32 + 64 + 10), 2212),
    ],
)
def test_the_estimate_is_not_below_what_was_printed_and_not_far_above(counts, printed):
    found = estimate(counts, 1 << 20).size_bytes
    assert printed <= found <= 2 * printed


def test_more_of_anything_is_never_estimated_as_less():
    base = Counts(tensors=6, operators=1, ports=(6,), interface=2, cpu_ops=0, cpu_channels=0)
    size = estimate(base, 10_000).size_bytes
    for more in (
        base._replace(tensors=20),
        base._replace(operators=9),
        base._replace(ports=(6, 9)),
        base._replace(interface=5),
        base._replace(cpu_ops=3),
        base._replace(cpu_channels=30),
    ):
        assert estimate(more, 10_000).size_bytes > size
    # Tensors are planned in room that is free; only a small arena has none.
    assert (
        estimate(base._replace(tensors=400), 100).size_bytes
        > estimate(base._replace(tensors=400), 100_000).size_bytes
    )


def test_a_compiled_file_is_taken_apart():
    data = need("peer/compiled/person_detect_vela.tflite").read_bytes()
    network = reader.read(data)
    material, _ = real("kws_dscnn", "shared")
    board = board_of(material, network, len(data))
    assert board.sizes.flash_bytes == len(data)
    assert board.sizes.command_stream_bytes == 8168
    parts = (
        board.sizes.npu_constants_bytes,
        board.sizes.cpu_constants_bytes,
        board.sizes.command_stream_bytes,
        board.sizes.other_file_bytes,
    )
    assert sum(parts) == len(data)
    assert board.device.stream_version == "1.0.6"
    assert board.device.resolver_ops == ("ethos-u",)
    tensors = next(part for part in board.runtime.parts if part.what == "tensors")
    assert tensors.number == len(network.main.tensors)


@pytest.mark.parametrize(
    ("kind", "config", "macs", "routes"),
    [
        # As public integrations of the driver have them for these memory modes.
        ("dedicated", "Y256", 256, {"Q": (2, 3), "0": (3,), "1": (3,), "2": (0,)}),
        ("shared", "H128", 128, {"Q": (2, 3), "0": (3,), "1": (0,)}),
        ("sram only", "H64", 64, {"Q": (1,), "0": (1,), "1": (0,)}),
    ],
)
def test_the_device_is_set_up_for_the_memory_mode(kind, config, macs, routes):
    material, _ = real("kws_dscnn", kind)
    board = board_of(material)
    device = board.device
    assert (device.config_id, device.macs) == (config, macs)
    told = {name.removeprefix("NPU_QCONFIG")[-1:] or "Q": value for name, value in device.routes}
    assert told.keys() == routes.keys()
    assert all(value in routes[name] for name, value in told.items())
    notes = " ".join(device.notes)
    if material.target.is_spilling:
        assert f"{board.sizes.fast_scratch_bytes:,} bytes of SRAM as fast_memory" in notes
    else:
        assert "no fast_memory" in notes
    assert ("it must lie there as a whole" in notes) == (kind == "sram only")
    memories = {"dedicated": "DRAM", "shared": "Off-chip Flash", "sram only": "SRAM"}
    assert board.constants_memory == memories[kind]


def test_operators_of_the_cpu_must_be_registered():
    material, _ = real("shuffle_with_cpu")
    assert board_of(material).device.resolver_ops == ("GATHER", "ethos-u")


def numbers_in(text, pattern):
    return {name: int(number) for name, number in re.findall(pattern, text)}


def test_snippets_say_the_same_numbers(material):
    board = board_of(material)
    wanted = {item.name: item.number for item in named_sizes(board)}
    assert numbers_in(c_text(board), r"#define (REEFPOINT_\w+) +(\d+)u") == wanted
    assert numbers_in(cmake_text(board), r"set\((REEFPOINT_\w+) (\d+)\)") == wanted
    found = numbers_in(kconfig_text(board), r'config (\w+)\n\tint "[^"\n]+"\n\tdefault (\d+)\n')
    assert found == wanted
    for _, text in SNIPPETS:
        assert "stimate" in text(board)


HOSTILE = '*/ int x; /* \\\n#define evil "quoted" \\'


@pytest.mark.parametrize("kind", TARGETS)
@pytest.mark.parametrize("language", ["c", "c++"])
def test_a_compiler_accepts_the_c_snippet(kind, language, tmp_path):
    compiler = shutil.which("gcc")
    if compiler is None:
        pytest.skip("there is no compiler")
    material = replace(real("kws_dscnn", kind)[0], name=HOSTILE)
    board = board_of(material)
    source = tmp_path / "sizes.c"
    check = f'_Static_assert(sizeof(tensor_arena) == {board.tensor_arena_bytes}, "");\n'
    source.write_text(c_text(board) + check.replace("_S", "s" if language == "c++" else "_S"))
    flags = ["-x", language, "-Wall", "-Wextra", "-Werror", "-c", "-o", str(tmp_path / "o")]
    done = subprocess.run(
        [compiler, *flags, str(source)], capture_output=True, text=True, check=False
    )
    if language == "c++" and "cannot execute" in done.stderr:
        pytest.skip("there is no compiler of C++")
    assert done.returncode == 0, done.stderr


def test_cmake_accepts_its_snippet(tmp_path):
    cmake = shutil.which("cmake")
    if cmake is None:
        pytest.skip("there is no CMake")
    board = board_of(replace(real("kws_dscnn")[0], name=HOSTILE))
    script = tmp_path / "sizes.cmake"
    script.write_text(
        cmake_text(board)
        + 'message("${REEFPOINT_TENSOR_ARENA_BYTES};${REEFPOINT_DRIVER_DEFINITIONS}")\n'
    )
    done = subprocess.run([cmake, "-P", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    routes = [f"{name}={number}" for name, number in board.device.routes]
    assert done.stderr.strip().split(";") == [str(board.tensor_arena_bytes), *routes]


@pytest.mark.parametrize("kind", TARGETS)
def test_a_linker_puts_the_buffers_of_the_c_snippet_where_its_fragment_says(kind, tmp_path):
    tools = [shutil.which(name) for name in ("gcc", "ld", "objdump")]
    if None in tools:
        pytest.skip("there is no compiler, linker and objdump")
    compiler, linker, dump = map(str, tools)
    board = board_of(replace(real("kws_dscnn", kind)[0], name=HOSTILE))
    fragment, source = linker_script(board), tmp_path / "sizes.c"
    source.write_text(c_text(board))
    subprocess.run([compiler, "-c", "-o", tmp_path / "o", source], check=True)
    memories = dict.fromkeys(re.findall(r"\} > (\w+)", fragment))
    places = {memory: (at + 1) << 28 for at, memory in enumerate(memories)}
    whole = "\n".join(
        f"{memory} (rw) : ORIGIN = {place}, LENGTH = 256M" for memory, place in places.items()
    )

    def linked(text):
        script = tmp_path / "board.ld"
        script.write_text(f"MEMORY {{\n{whole}\n}}\nSECTIONS\n{{\n{text}\n}}\n")
        words = [linker, "-T", script, "-o", tmp_path / "elf", tmp_path / "o"]
        return subprocess.run(words, capture_output=True, text=True, check=False)

    done = linked(fragment)
    assert done.returncode == 0, done.stderr
    told = subprocess.run(
        [dump, "-h", tmp_path / "elf"], capture_output=True, text=True, check=True
    )
    found = {
        line.split()[1]: (int(line.split()[2], 16), int(line.split()[3], 16))
        for line in told.stdout.splitlines()
        if re.match(r" +\d+ \.", line)
    }
    arena_memory = board.arena_memory.upper().replace("-", "_").replace(" ", "_")
    size, place = found[".tensor_arena"]
    assert size >= board.tensor_arena_bytes
    assert place == places[arena_memory]
    assert (".ethosu_scratch" in found) == bool(board.sizes.fast_scratch_bytes)
    # A program whose buffers are elsewhere, or smaller, is not linked.
    assert "has less than" in linked(fragment.replace(".bss.tensor_arena", ".other")).stderr


def test_kconfig_has_one_statement_a_line():
    board = board_of(replace(real("kws_dscnn")[0], name=HOSTILE))
    for line in kconfig_text(board).splitlines():
        assert re.fullmatch(r'(#.*|config [A-Z_]+|\tint "[^"]*"|\tdefault \d+|)', line)


def test_memories_are_named(material):
    board = board_of(material)
    assert board.fast_memory == AREA_TITLES[Area.SRAM]
    assert board.arena_memory in AREA_TITLES.values()
