"""LiteRT in a process of its own: it may end, be late or refuse, and nobody else is harmed."""

from __future__ import annotations

import gc
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from core.api import compiler, proof, schedules, targets
from core.base.errors import InputError
from core.base.frozen import replace
from core.ir.network import Network
from core.ir.options import Options
from core.pipeline.proof import litert
from core.pipeline.proof.random_inputs import random_inputs
from core.synth.builder import Builder
from core.tflite import reader, writer
from tests.core.pipeline.planted import EXAMPLES, ROOT, example
from tests.processes import kill

KWS = reader.read(example("kws_dscnn"))


def computed() -> np.ndarray:
    (values,) = litert.compute(KWS, random_inputs(KWS, 0, 0)).values()
    return values


def with_version(version: int) -> Network:
    operators = tuple(replace(op, version=version) for op in KWS.main.operators)
    return replace(KWS, subgraphs=(replace(KWS.main, operators=operators),))


def test_operators_newer_than_litert_are_computed_by_what_it_has():
    (found,) = litert.compute(with_version(99), random_inputs(KWS, 0, 0)).values()
    assert np.array_equal(found, computed())


def test_what_no_version_is_known_of_is_refused():
    (op, *others) = KWS.main.operators
    unknown = replace(op, kind="BITCAST", version=3)
    net = replace(KWS, subgraphs=(replace(KWS.main, operators=(unknown, *others)),))
    with pytest.raises(InputError, match="LiteRT refuses it"):
        litert.compute(net, random_inputs(KWS, 0, 0))


def worker_pid() -> int:
    return litert._process()._popen.pid


def test_one_process_serves_all():
    computed()
    first = worker_pid()
    computed()
    assert worker_pid() == first


def test_its_death_is_one_sentence_and_the_next_one_works():
    before = computed()
    session = litert.Session(KWS)
    kill(worker_pid(), signal.SIGABRT)
    with pytest.raises(litert.Ended, match=r"LiteRT ends itself where it computes it \(\w+"):
        session.run(random_inputs(KWS, 0, 0))
    assert np.array_equal(computed(), before)


def test_what_takes_too_long_is_ended(monkeypatch):
    computed()
    before = worker_pid()

    def never(process: litert._Process, request: object) -> object:
        del request
        return pickle.load(process._popen.stdout)

    monkeypatch.setattr(litert, "LIMIT_SECONDS", 0.01)
    monkeypatch.setattr(litert._Process, "_exchange", never)
    with pytest.raises(InputError, match=r"after 0\.01 seconds"):
        computed()
    monkeypatch.undo()
    computed()
    assert worker_pid() != before


def test_values_of_another_size_than_declared_are_refused():
    graph = KWS.main
    inputs = {number: np.zeros(3, np.int8) for number in graph.inputs}
    with pytest.raises(InputError, match="has 490 elements, of which LiteRT makes 3"):
        litert.compute(KWS, inputs)


@pytest.mark.long
def test_a_single_number_keeps_to_have_no_dimension():
    b = Builder(3)
    image = b.input((1, 6, 6, 4))
    network = b.build((b.add(image, b.mean(image, (0, 1, 2, 3), keep=False)),), "centred")
    target = targets.resolve_target("ethos-u55-128")
    made = compiler.compile_model(schedules.schedule(writer.write(network), target, Options()))
    # The mean stays on the CPU, and the sum behind it is given what it makes.
    assert proof.verify(made.data, writer.write(network), inputs=2).holds


def test_sessions_that_nobody_has_any_more_are_given_back():
    session = litert.Session(KWS)
    process = litert._process()
    del session
    gc.collect()
    assert process._forgotten
    computed()
    assert len(process._forgotten) <= 1


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks where Linux has its processes")
def test_it_ends_with_whoever_started_it():
    """Even where that one had no time to say anything."""
    script = (
        "import os, sys; from core.pipeline.proof import litert; from core.tflite import reader;"
        f" litert.Session(reader.read(open({str(EXAMPLES / 'kws_dscnn.tflite')!r}, 'rb').read()));"
        " print(litert._process()._popen.pid, flush=True); os._exit(3)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    pid = int(done.stdout)
    deadline = time.monotonic() + 10
    while Path(f"/proc/{pid}/cmdline").exists() and time.monotonic() < deadline:
        if not Path(f"/proc/{pid}/cmdline").read_bytes():
            break  # It has ended, and waits to be noticed by the system.
        time.sleep(0.02)
    else:
        assert not Path(f"/proc/{pid}/cmdline").exists()


def test_what_litert_cannot_prepare_is_refused():
    with pytest.raises(InputError, match="LiteRT refuses it: "):
        litert._process().ask("open", -1, b"no model at all", False)


def test_a_session_outlives_a_new_process():
    session = litert.Session(KWS)
    before, (expected,) = worker_pid(), session.run(random_inputs(KWS, 0, 0)).values()
    litert.start_anew()
    assert worker_pid() != before
    (again,) = session.run(random_inputs(KWS, 0, 0)).values()
    assert np.array_equal(again, expected)


def test_a_session_of_a_process_that_was_ended_says_so():
    session = litert.Session(KWS)
    litert._process().end()
    with pytest.raises(InputError, match="LiteRT ends itself"):
        session.run(random_inputs(KWS, 0, 0))
