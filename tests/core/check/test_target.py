"""The judge of targets: silent about every preset, and it sees each thing that can be wrong."""

from __future__ import annotations

import pytest

from core.base.frozen import replace
from core.base.geometry import Block
from core.check.target import verify
from core.target.family import Concurrency
from core.target.registry import ACCELERATORS
from core.target.resolve import resolve
from core.target.target import Area, Port, Target


def with_accelerator(**parts):
    return lambda target: replace(target, accelerator=replace(target.accelerator, **parts))


def with_family(**parts):
    def change(target):
        return with_accelerator(family=replace(target.accelerator.family, **parts))(target)

    return change


def with_buffer(**parts):
    def change(target):
        return with_accelerator(buffer=replace(target.accelerator.shared_buffer, **parts))(target)

    return change


def with_granules(**parts):
    def change(target):
        granules = replace(target.accelerator.shared_buffer.granules, **parts)
        return with_buffer(granules=granules)(target)

    return change


def with_system(**parts):
    return lambda target: replace(target, system=replace(target.system, **parts))


def with_sram(**parts):
    return lambda target: with_system(axi0=replace(target.system.axi0, **parts))(target)


def with_mode(**parts):
    return lambda target: replace(target, mode=replace(target.mode, **parts))


WRONG = {
    "macs": (with_accelerator(macs=128), "macs", "128, but the micro-block needs 256"),
    "no core": (with_accelerator(cores=0), "cores", "0 is below 1"),
    "no address": (with_family(address_bits=-1), "address_bits", "-1 is below 1"),
    "no side": (with_accelerator(ifm_ublock=Block(2, 0, 8)), "ifm_ublock", "has an empty side"),
    "parts": (with_family(max_ofm_block=Block(33, 64, 128)), "max_ofm_block", "not made of"),
    "dependency": (
        with_family(concurrency=Concurrency(transfers=1, kernels=1, blocks=-1)),
        "concurrency blocks",
        "below 0",
    ),
    "granule 0": (with_granules(ifm16=0), "granules ifm16", "not within 1 to 44 banks"),
    "granule 45": (with_granules(acc40=45), "granules acc40", "not within 1 to 44 banks"),
    "order": (with_granules(acc32=4), "granules acc16", "is more than acc32"),
    "burst": (with_sram(burst_length=0), "axi0 burst_length", "0 is below 1"),
    "ports": (with_sram(ports_used=0), "axi0 ports_used", "0 is below 1"),
    "constants": (with_mode(constants=Port.AXI0), "constants", "are in SRAM"),
    "arena": (with_mode(arena=Port.AXI1), "arena", "OffChipFlash cannot be written"),
    "cache": (with_mode(cache=Port.AXI1), "cache", "OffChipFlash is not fast storage"),
    "limit": (with_mode(arena_cache_size=(1 << 32) + 1), "arena_cache_size", "is not within 0 to"),
}


AT_THE_BORDER = {
    "no block ahead": with_family(concurrency=Concurrency(transfers=1, kernels=1, blocks=0)),
    "no latency": with_sram(read_latency=0, write_latency=0, burst_length=1, ports_used=1),
    "no cache": with_mode(arena_cache_size=0),
    "all that can be addressed": with_mode(arena_cache_size=1 << 32),
}


@pytest.mark.parametrize("change", AT_THE_BORDER.values(), ids=AT_THE_BORDER)
def test_nothing_is_wrong_at_the_border(change):
    assert verify(change(resolve("ethos-u55-256"))) == ()


@pytest.mark.parametrize("accelerator", ACCELERATORS)
def test_nothing_is_wrong_with_a_default_target(accelerator):
    assert verify(resolve(accelerator)) == ()


@pytest.mark.parametrize(("change", "where", "message"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_found_where_it_is(change, where, message):
    findings = verify(change(resolve("ethos-u55-256")))
    found = [finding for finding in findings if where in finding.where]
    assert len(found) == 1
    assert message in found[0].message


def test_all_that_is_wrong_is_found_at_once():
    target: Target = with_mode(arena_cache_size=(1 << 40) + 1)(
        with_sram(area=Area.DRAM, burst_length=0)(resolve())
    )
    places = [finding.where.rsplit(" ", 1)[1] for finding in verify(target)]
    assert places == ["burst_length", "cache", "arena_cache_size"]
