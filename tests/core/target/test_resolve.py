"""From names to targets: presets, files over them, and what is refused in which words."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.digest import digest
from core.base.errors import OptionError
from core.base.frozen import Frozen, field, replace
from core.check.target import verify
from core.target import boards
from core.target.config import load
from core.target.registry import ACCELERATORS
from core.target.resolve import resolve
from core.target.target import Area, Port
from tests.canonical import canonical_text
from tests.conftest import Golden
from tests.core.base.values import variants

PRESETS = load()
FLASH = ("Ethos_U55_Deep_Embedded", "Ethos_U55_High_End_Embedded", "Ethos_U65_Embedded")
BOARDS = tuple(name for name in PRESETS.system_configs if name.startswith("Board_"))
DRAM = ("Ethos_U65_Mid_End", "Ethos_U65_High_End", "Ethos_U65_Client_Server")
DEDICATED = ("Dedicated_Sram", *(f"Dedicated_Sram_{size}KB" for size in (256, 384, 512)))

# A system and a mode that are complete, for a case to change.
GOOD = """
[System_Config.Board]
core_clock=400e6
axi0_port=Sram
axi1_port=OffChipFlash
Sram_clock_scale=1.0
Sram_burst_length=32
Sram_read_latency=16
Sram_write_latency=17
OffChipFlash_clock_scale=0.25
OffChipFlash_burst_length=64
OffChipFlash_read_latency=80
OffChipFlash_write_latency=0

[Memory_Mode.Shared]
const_mem_area=Axi1
arena_mem_area=Axi0
cache_mem_area=Axi0
"""


# Presets


@pytest.mark.parametrize("name", PRESETS.system_configs)
def test_each_preset_system_is_as_written_down(golden: Golden, name):
    golden.check(f"system_{name}.txt", canonical_text(PRESETS.system_config(name)))


@pytest.mark.parametrize("name", PRESETS.memory_modes)
def test_each_preset_mode_is_as_written_down(golden: Golden, name):
    golden.check(f"mode_{name}.txt", canonical_text(PRESETS.memory_mode(name)))


@pytest.mark.parametrize("accelerator", ACCELERATORS)
def test_each_default_target_is_as_written_down(golden: Golden, accelerator):
    target = resolve(accelerator)
    assert target.accelerator is ACCELERATORS[accelerator]
    golden.check(f"target_{accelerator}.txt", canonical_text((target.system, target.mode)))


def test_the_presets_are_those_that_the_ecosystem_knows_and_those_of_boards():
    assert set(PRESETS.system_configs) == {*FLASH, *DRAM, *BOARDS}
    assert set(BOARDS) <= {board.system_config.value for board in boards.BOARDS}
    assert set(PRESETS.memory_modes) == {"Sram_Only", "Shared_Sram", *DEDICATED}


@pytest.mark.parametrize("accelerator", ACCELERATORS)
@pytest.mark.parametrize("system", PRESETS.system_configs)
@pytest.mark.parametrize("mode", PRESETS.memory_modes)
def test_presets_fit_together_but_for_feature_maps_in_flash(accelerator, system, mode):
    if system in {*FLASH, *BOARDS} and mode in DEDICATED:
        with pytest.raises(
            OptionError, match=r"arena_mem_area: Axi1 is OffChipFlash in .* Sram or"
        ):
            resolve(accelerator, system, mode)
        return
    target = resolve(accelerator, system, mode)
    assert verify(target) == ()
    assert target.is_spilling == (mode in DEDICATED)
    assert target.fast.area is Area.SRAM
    assert target.arena.area is (Area.DRAM if mode in DEDICATED else Area.SRAM)


@pytest.mark.parametrize("name", ["ethos-u55-2560", "ethos-u65-25"])
def test_what_is_not_known_gets_nobody_elses_figures(name):
    with pytest.raises(OptionError, match=rf"unknown accelerator '{name}'; did you mean 'ethos-"):
        resolve(name)


def test_of_another_family_no_name_is_near():
    with pytest.raises(OptionError, match=r"no accelerator 'ethos-u85-256' .* known are ethos-u55"):
        resolve("ethos-u85-256")


def test_the_accelerator_that_nobody_chose():
    assert resolve() == resolve("ethos-u55-256") == resolve("Ethos-U55-256")


@pytest.mark.parametrize("system", PRESETS.system_configs)
def test_constants_in_the_one_sram_read_as_from_a_flash_as_fast(system):
    target = resolve("ethos-u65-256", system, "Sram_Only")
    sram = PRESETS.system_config(system).axi0
    assert target.permanent == replace(sram, area=Area.ON_CHIP_FLASH)
    assert target.arena == target.fast == sram
    assert not target.is_spilling


def test_the_one_sram_may_be_at_the_other_port(files):
    text = GOOD.replace("axi0_port=Sram", "axi0_port=Dram").replace(
        "axi1_port=OffChipFlash", "axi1_port=Sram"
    )
    text += "[Memory_Mode.One]\nconst_mem_area=Axi1\narena_mem_area=Axi1\ncache_mem_area=Axi1\n"
    target = resolve(system_config="Board", memory_mode="One", config_files=files(text))
    assert target.mode.constants is Port.AXI0
    assert target.system.axi0 == replace(target.system.axi1, area=Area.ON_CHIP_FLASH)


# Limits


@pytest.mark.parametrize("size", [0, 1, 65536, "64K", "0x10000", "1M", 1 << 32])
def test_a_limit_that_is_asked_for_holds(size):
    target = resolve(arena_cache_size=size)
    expected = {"64K": 65536, "0x10000": 65536, "1M": 1 << 20}.get(size, size)
    assert target.fast_limit_bytes == expected
    assert target == resolve().with_limit(expected)


def test_without_a_limit_all_that_can_be_addressed_is_fast():
    assert resolve("ethos-u55-32").fast_limit_bytes == 1 << 32
    assert resolve("ethos-u65-512", memory_mode="Dedicated_Sram").fast_limit_bytes == 1 << 40


# Files


@pytest.fixture
def files(tmp_path):
    """Writes texts to a.ini, b.ini, ... and gives their paths."""

    def write(*texts):
        paths = tuple(tmp_path / f"{name}.ini" for name, _ in zip("abc", texts, strict=False))
        for path, text in zip(paths, texts, strict=True):
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return paths

    return write


def board(paths, **options):
    return resolve(system_config="Board", memory_mode="Shared", config_files=paths, **options)


def test_a_file_adds_to_the_presets(files):
    paths = files(GOOD)
    system = board(paths).system
    assert (system.name, system.core_clock_hz) == ("Board", 400e6)
    assert (system.axi0.area, system.axi0.read_latency, system.axi0.write_latency) == (
        Area.SRAM,
        16,
        17,
    )
    assert (system.axi1.clock_scale, system.axi1.burst_length) == (0.25, 64)
    assert resolve(config_files=paths) == resolve()
    assert set(load(paths).system_configs) == {*PRESETS.system_configs, "Board"}


def test_a_file_changes_single_keys_of_a_preset(files):
    paths = files("[System_Config.Ethos_U55_High_End_Embedded]\ncore_clock=250e6\n")
    preset = resolve().system
    assert resolve(config_files=paths).system == replace(preset, core_clock_hz=250e6)


def test_the_last_file_holds(files):
    section = "[System_Config.Board]\ncore_clock="
    assert board(files(GOOD, f"{section}1e9")).system.core_clock_hz == 1e9
    assert board(files(f"{section}1e9", GOOD)).system.core_clock_hz == 400e6
    assert board(files(GOOD, f"{section}1e9", f"{section}2e9")).system.core_clock_hz == 2e9


def test_a_file_inherits_from_a_preset_and_from_another_file(files):
    mine = "[System_Config.Mine]\ninherit=System_Config.Board\ncore_clock=1e6\n"
    mode = "[Memory_Mode.Mine]\ninherit=Memory_Mode.Shared_Sram\narena_cache_size=96K\n"
    target = resolve(
        system_config="Mine", memory_mode="Mine", config_files=files(mine + mode, GOOD)
    )
    assert target.system == replace(board(files(GOOD)).system, name="Mine", core_clock_hz=1e6)
    assert target.fast_limit_bytes == 96 * 1024


def test_keys_may_be_in_any_case_and_files_have_a_mark_comments_and_dos_lines(files):
    plain = board(files(GOOD))
    shouted = re.sub(r"^[A-Za-z0-9_]+=", lambda key: key.group().upper(), GOOD, flags=re.MULTILINE)
    dressed = "\ufeff; first\n# second\n" + shouted.replace("=", " : ").replace("\n", "\r\n")
    assert board(files(dressed)) == plain


def test_the_section_of_defaults_holds_below_a_section_and_above_what_it_inherits(files):
    heir = "[System_Config.Heir]\ninherit=System_Config.Board\n"
    catalogue = load(files(GOOD + heir + "[DEFAULT]\nSram_read_latency=5\nSram_ports_used=2\n"))
    assert catalogue.system_config("Board").axi0.read_latency == 16
    assert catalogue.system_config("Board").axi0.ports_used == 2
    assert catalogue.system_config("Heir").axi0.read_latency == 5


@pytest.mark.parametrize(("written", "used"), [("0", 1), ("1", 1), ("4", 4)])
def test_a_memory_uses_at_least_one_port(files, written, used):
    section = f"[System_Config.Board]\nSram_ports_used={written}\n"
    assert board(files(GOOD, section)).system.axi0.ports_used == used


def test_a_port_that_nobody_uses_need_not_say_how_fast_it_is(files):
    text = "\n".join(line for line in GOOD.splitlines() if not line.startswith("OffChipFlash_"))
    target = resolve(system_config="Board", memory_mode="Sram_Only", config_files=files(text))
    assert target.permanent.read_latency == 16
    with pytest.raises(OptionError, match="OffChipFlash_clock_scale: is missing"):
        board(files(text))


# Inheritance


@given(st.permutations(["core_clock", "axi0_port", "axi1_port"]), st.integers(1, 6), st.data())
def test_the_nearest_section_of_a_chain_holds(tmp_path_factory, keys, length, data):
    """Each key is written somewhere along a chain; the one nearest to its start is found."""
    domains = {
        "core_clock": st.integers(1, 1000).map(str),
        "axi0_port": st.just("Sram"),
        "axi1_port": st.sampled_from(["Dram", "OnChipFlash", "OffChipFlash"]),
    }
    chain: list[dict[str, str]] = [{} for _ in range(length)]
    for key in keys:
        for link in data.draw(st.sets(st.integers(0, length - 1), min_size=1)):
            chain[link][key] = data.draw(domains[key])
    order = data.draw(st.permutations(range(length)))
    path = tmp_path_factory.mktemp("chain") / "chain.ini"
    path.write_text("\n".join(section_of_chain(chain, link) for link in order))
    system = load([path]).system_config("L0", ports=())
    expected = {key: next(link[key] for link in chain if key in link) for key in keys}
    assert system.core_clock_hz == float(expected["core_clock"])
    assert system.axi0.area.value == expected["axi0_port"]
    assert system.axi1.area.value == expected["axi1_port"]


def section_of_chain(chain, link):
    below = [f"inherit=System_Config.L{link + 1}"] if link + 1 < len(chain) else []
    keys = [f"{key}={value}" for key, value in chain[link].items()]
    return "\n".join([f"[System_Config.L{link}]", *keys, *below])


@given(st.integers(0, 4), st.integers(1, 5))
def test_a_circle_is_named_from_where_it_was_entered(tmp_path_factory, lead, length):
    names = [f"System_Config.L{n}" for n in range(lead + length)]
    links = [*itertools.pairwise(names), (names[-1], names[lead])]
    path = tmp_path_factory.mktemp("circle") / "circle.ini"
    path.write_text("\n".join(f"[{name}]\ninherit={parent}" for name, parent in links))
    with pytest.raises(OptionError) as caught:
        load([path]).system_config("L0")
    shown = " -> ".join([*names, names[lead]])
    assert str(caught.value) == f"{path}: [{names[-1]}] inherit: goes in a circle, {shown}"


# What is refused


class Refusal(Frozen, kw_only=False):
    """What is given, and the line that comes back."""

    line: str
    texts: tuple[str | bytes, ...] = (GOOD,)
    names: dict[str, object] = field(default_factory=dict)


def changed(before: str, after: str) -> tuple[str, ...]:
    assert GOOD.count(before) == 1
    return (GOOD.replace(before, after),)


BOARD = "a.ini: [System_Config.Board]"
SHARED = "a.ini: [Memory_Mode.Shared]"
REFUSALS = {
    "accelerator": Refusal(
        "unknown accelerator 'ethos-u55-2560'; did you mean 'ethos-u55-256'?",
        names={"accelerator": "ethos-u55-2560"},
    ),
    "system": Refusal(
        "unknown system config 'Bord'; did you mean 'Board'?", names={"system_config": "Bord"}
    ),
    "mode": Refusal(
        "unknown memory mode 'Sram_Onyl'; did you mean 'Sram_Only'?",
        names={"memory_mode": "Sram_Onyl"},
    ),
    "no clock": Refusal(f"{BOARD} core_clock: is missing", changed("core_clock=400e6", "")),
    "no port": Refusal(
        f"{BOARD} axi1_port: is missing",
        changed("axi1_port=OffChipFlash", ""),
    ),
    "no figure": Refusal(
        f"{BOARD} Sram_burst_length: is missing; there is 'sram_burst_lenght'",
        changed("Sram_burst_length", "Sram_burst_lenght"),
    ),
    "no latency": Refusal(
        f"{BOARD} Sram_write_latency: is missing", changed("Sram_write_latency=17", "x=1")
    ),
    "no use": Refusal(f"{SHARED} arena_mem_area: is missing", changed("arena_mem_area=Axi0", "")),
    "clock is a word": Refusal(
        f"{BOARD} core_clock: 'fast' is not a number above 0", changed("400e6", "fast")
    ),
    "clock is infinite": Refusal(
        f"{BOARD} core_clock: 'inf' is not a number above 0", changed("400e6", "inf")
    ),
    "scale is zero": Refusal(
        f"{BOARD} OffChipFlash_clock_scale: '0' is not a number above 0", changed("=0.25", "=0")
    ),
    "burst of nothing": Refusal(
        f"{BOARD} Sram_burst_length: '0' is not an integer of 1 or more", changed("=32", "=0")
    ),
    "latency is a fraction": Refusal(
        f"{BOARD} Sram_read_latency: '1.5' is not an integer of 0 or more", changed("=16", "=1.5")
    ),
    "limit on reads is a word": Refusal(
        f"{BOARD} Sram_max_reads: 'many' is not an integer of 0 or more",
        changed("core_clock=400e6", "core_clock=400e6\nSram_max_reads=many"),
    ),
    "value over two lines": Refusal(
        f"{BOARD} core_clock: '4 5' is not a number above 0", changed("400e6", "4\n  5")
    ),
    "area": Refusal(
        f"{BOARD} axi0_port: unknown name 'SRAM'; known are Dram, OffChipFlash, OnChipFlash, Sram",
        changed("axi0_port=Sram", "axi0_port=SRAM"),
    ),
    "port": Refusal(
        f"{SHARED} const_mem_area: unknown name 'Axi2'; did you mean 'Axi1'?",
        changed("const_mem_area=Axi1", "const_mem_area=Axi2"),
    ),
    "cache size": Refusal(
        f"{SHARED} arena_cache_size: '-1' is not a size; sizes look like 65536, 64K, 0x10000 or 1M",
        (GOOD + "arena_cache_size=-1",),
    ),
    "cache too large": Refusal(
        f"{SHARED} arena_cache_size: is more than 4294967296, which can be addressed",
        (GOOD + "arena_cache_size=4294967297",),
    ),
    "cache too large by option": Refusal(
        "arena cache size 8589934592: has to be 0 to 4294967296", names={"arena_cache_size": "8G"}
    ),
    "cache negative by option": Refusal(
        "arena cache size -1: has to be 0 to 4294967296", names={"arena_cache_size": -1}
    ),
    "cache no size by option": Refusal(
        "'lots' is not a size; sizes look like 65536, 64K, 0x10000 or 1M",
        names={"arena_cache_size": "lots"},
    ),
    "constants in sram": Refusal(
        f"{SHARED} const_mem_area: Axi1 is Sram in [System_Config.Board];"
        " it has to be Dram or OnChipFlash or OffChipFlash",
        changed("axi1_port=OffChipFlash", "axi1_port=Sram"),
    ),
    "arena in flash": Refusal(
        f"{SHARED} arena_mem_area: Axi1 is OffChipFlash in [System_Config.Board];"
        " it has to be Sram or Dram",
        changed("arena_mem_area=Axi0", "arena_mem_area=Axi1"),
    ),
    "cache in flash": Refusal(
        f"{SHARED} cache_mem_area: Axi1 is OffChipFlash in [System_Config.Board];"
        " it has to be Sram",
        changed("cache_mem_area=Axi0", "cache_mem_area=Axi1"),
    ),
    "parent": Refusal(
        f"{BOARD} inherit: unknown section 'System_Config.Ethos_U65_MidEnd';"
        " did you mean 'System_Config.Ethos_U65_Mid_End'?",
        changed("core_clock", "inherit=System_Config.Ethos_U65_MidEnd\ncore_clock"),
    ),
    "itself": Refusal(
        f"{SHARED} inherit: goes in a circle, Memory_Mode.Shared -> Memory_Mode.Shared",
        (GOOD + "inherit=Memory_Mode.Shared",),
    ),
    "error in a parent": Refusal(
        "b.ini: [System_Config.Base] core_clock: 'x' is not a number above 0",
        (
            *changed("core_clock=400e6", "inherit=System_Config.Base"),
            "[System_Config.Base]\ncore_clock=x",
        ),
    ),
    "error in the second file": Refusal(
        "b.ini: [System_Config.Board] core_clock: 'x' is not a number above 0",
        (GOOD, "[System_Config.Board]\ncore_clock=x"),
    ),
    "missing in both files": Refusal(
        "a.ini, b.ini: [System_Config.Board] core_clock: is missing",
        (*changed("core_clock=400e6", ""), "[System_Config.Board]\naxi0_port=Sram"),
    ),
    "section twice": Refusal("a.ini: line 2: there are two sections [A]", ("[A]\n[A]\n",)),
    "key twice": Refusal("a.ini: line 3: [A] b: is given twice", ("[A]\nb=1\nB=2\n",)),
    "no section": Refusal("a.ini: line 1: a [section] has to come first", ("b=1\n",)),
    "no key": Refusal("a.ini: line 2: is neither a [section] nor key=value", ("[A]\nb\n",)),
    "no text": Refusal("a.ini: is not text in UTF-8", (b"[A]\nb=\xff\n",)),
}


@pytest.mark.parametrize("case", REFUSALS.values(), ids=REFUSALS)
def test_what_is_wrong_is_one_line_that_names_the_place(files, tmp_path, case):
    names = {"system_config": "Board", "memory_mode": "Shared", **case.names}
    with pytest.raises(OptionError) as caught:
        resolve(**names, config_files=files(*case.texts))
    assert str(caught.value).replace(f"{tmp_path}/", "") == case.line


def test_a_file_that_cannot_be_read(tmp_path):
    with pytest.raises(OptionError, match=r"none\.ini: No such file or directory$"):
        resolve(config_files=[tmp_path / "none.ini"])
    with pytest.raises(OptionError, match=r"Is a directory$"):
        resolve(config_files=[tmp_path])


@given(text=st.text("[]=:;#\n abAxi_.", max_size=60))
def test_no_text_breaks_the_reader(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("any") / "any.ini"
    path.write_text(text)
    try:
        outcome = " ".join(load([path]).system_configs)
    except OptionError as error:
        outcome = str(error)
    assert PRESETS.system_configs[0] in outcome or re.fullmatch(r".*any\.ini: .+", outcome)


# Values


@pytest.mark.parametrize("accelerator", ACCELERATORS)
def test_a_target_is_the_same_each_time_and_differs_with_any_field(accelerator):
    target = resolve(accelerator)
    assert digest(resolve(accelerator)) == digest(target)
    others = list(variants(target))
    assert len(others) > 40
    assert digest(target) not in {digest(other) for other in others}
    assert len({digest(other) for other in others}) == len(set(others))
