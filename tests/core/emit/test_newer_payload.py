"""The ecosystem's newer container, as its compiler writes it."""

from __future__ import annotations

import os
import struct
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import cli
from core.base.errors import InputError
from core.emit.open import open_program
from core.emit.payload import Payload, read_payload, write_payload
from core.ir.program import Architecture
from core.pipeline.proof.verify import verify
from core.tflite import reader
from tests.core.emit.streams import U55

MODEL = Path(__file__).parents[3] / "resources" / "examples" / "kws_dscnn.tflite"
VERSION = Architecture(1, 0, 6)
PEER = os.environ.get("REEFPOINT_PEER", "")


def newer(stream: tuple[int, ...] = (1, 2, 3), **changed: int) -> bytes:
    """A payload of the form; words are changed by `word_5=...`."""
    config, architecture = struct.unpack_from("<2I", write_payload(U55, VERSION, ()), 8)
    head = [int.from_bytes(b"VEUM", "little"), 1, 20, config, architecture, 1, 64, 0, 0xFFFFFFFF]
    part = [len(head) * 4, *head, *stream]
    words = [int.from_bytes(b"COP2", "little"), 1, len(part) * 4 + 8, 0, 1, len(part) * 4, *part]
    for name, value in changed.items():
        words[int(name.removeprefix("word_"))] = value
    return struct.pack(f"<{len(words)}I", *words)


@pytest.mark.parametrize(("mode", "is_own"), [(1, False), (2, True)])
def test_its_stream_and_hardware_are_those_of_the_older_form(mode, is_own):
    found = read_payload(newer(word_12=mode))
    assert found == Payload(U55, VERSION, (1, 2, 3), has_own_regions=is_own)


def test_one_that_promises_more_than_it_has_is_cut_off():
    assert read_payload(newer()[:-4]) == Payload(U55, VERSION, (1, 2), is_cut_off=True)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (newer()[:40], "ends inside its head"),
        (newer(word_1=2), "is of version 2 of COP2"),
        (newer(word_4=7), "begins with a part of kind 7"),
        (newer(word_7=7), "has no head of a command stream that is known"),
        (newer(word_6=6), "has a head of 6 bytes"),
        (newer(word_5=8), "has a head that is longer than its part"),
        (newer(word_12=3), "has regions of mode 3"),
        (newer(word_10=0x0FFF0000), "is not known"),
    ],
)
def test_what_is_otherwise_is_refused(data, reason):
    with pytest.raises(InputError, match=reason):
        read_payload(data)


@given(st.binary(max_size=90))
def test_any_bytes_are_read_or_refused(data):
    with suppress(InputError):
        read_payload(b"COP2" + data)


@pytest.mark.skipif(not PEER, reason="REEFPOINT_PEER names no compiler")
@pytest.mark.parametrize("own", [(), ("--separate-io-regions",)])
def test_the_peers_files_are_opened_priced_and_hold(own, tmp_path, capsys):
    words = ["--accelerator-config", "ethos-u55-256", "--cop-format", "COP2", *own]
    run = [str(Path(PEER).with_name("vela")), str(MODEL), "--output-dir", str(tmp_path), *words]
    subprocess.run(run, check=True, capture_output=True)
    made = tmp_path / "kws_dscnn_vela.tflite"
    for command in ("inspect", "schedule"):
        assert cli.main([command, str(made)]) == 0
    assert "36 NPU operators in 1 command stream" in capsys.readouterr().out
    assert verify(made.read_bytes(), MODEL.read_bytes(), inputs=3).holds
    (part,) = open_program(reader.read(made.read_bytes())).parts
    places = [item.arena_address for item in (*part.inputs, *part.outputs)]
    assert (places == [None, None]) is bool(own)
