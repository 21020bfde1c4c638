"""Networks computed by LiteRT's reference kernels; where it has no wheel, that is said.

LiteRT ends its process on some inputs, so it has one of its own (`litert_worker.py`), which is
started by the first who needs it and serves all others. What is computed ahead (`ahead.py`) has a
second one, so that the operators that a compiled model leaves to the CPU do not wait for it.
"""

from __future__ import annotations

import atexit
import importlib.util
import pickle
import re
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from core.base.errors import InputError, OptionError
from core.base.frozen import replace
from core.base.ids import TensorId
from core.ir.network import Network, Tensor
from core.tflite import writer

Array = npt.NDArray[Any]
Values = Mapping[TensorId, Array]

LIMIT_SECONDS = 300.0
"""For one answer."""
_PATIENCE_SECONDS = 5.0
"""For a process whose pipe has ended to be gone, so that its exit code is its own."""
_LACKS_VERSION = re.compile(r"builtin opcode '(?P<kind>\w+)' version '(?P<version>\d+)'")
_PACKAGE = "ai_edge_litert"
_WORKER = Path(__file__).with_name("litert_worker.py")


class Ended(InputError):  # noqa: N818 - said of LiteRT, as in an answer
    """LiteRT has ended its own process, as it does on some inputs."""


def is_available() -> bool:
    """Whether LiteRT is installed."""
    return importlib.util.find_spec(_PACKAGE) is not None


def demand() -> None:
    """Refuse what cannot be done without LiteRT, and say how to get it."""
    if not is_available():
        raise OptionError(
            "this needs LiteRT, which is not installed: python -m pip install ai-edge-litert"
        )


def start_anew() -> None:
    """Have a process that has nothing in memory for who comes next; the old one serves its own."""
    if False in _processes:
        _processes.pop(False).retire()


def end_ahead() -> None:
    """Leave what is computed ahead of others, as nobody needs it any more."""
    if True in _processes:
        _processes[True].end()


def compute(network: Network, inputs: Values, *, keep_all: bool = False) -> dict[TensorId, Array]:
    """The outputs of the main subgraph, or every tensor that LiteRT can show."""
    return Session(network, keep_all=keep_all).run(inputs)


class Session:
    """A network that is ready to be run; its state goes on from one run to the next."""

    def __init__(self, network: Network, *, keep_all: bool = False, is_ahead: bool = False) -> None:
        demand()
        graph = network.main
        self._inputs = {number: graph.tensors[number] for number in graph.inputs}
        self._wanted = list(range(len(graph.tensors)) if keep_all else graph.outputs)
        self._process = _process(is_ahead=is_ahead)
        self._number = self._process.begin()
        weakref.finalize(self, self._process.forget, self._number)
        self._open(mended(network), keep_all=keep_all)

    def _open(self, network: Network, *, keep_all: bool) -> None:
        """Have it ready to run; of operators that are newer than LiteRT in their first version.

        Its kernels do not ask for the version: they take the types that they know, or refuse.
        """
        try:
            self._process.ask("open", self._number, writer.write(network), keep_all)
        except InputError as error:
            lacking = _LACKS_VERSION.search(error.message)
            if lacking is None or int(lacking["version"]) == 1:
                raise
            self._open(_in_first_version(network, lacking["kind"]), keep_all=keep_all)

    def run(self, inputs: Values) -> dict[TensorId, Array]:
        """What one inference makes of the values of the main subgraph's inputs."""
        given = {
            # Unlike `ascontiguousarray`, this leaves a single number without a dimension.
            number: np.asarray(as_declared(tensor, inputs[number]), order="C")
            for number, tensor in self._inputs.items()
        }
        found: dict[TensorId, Array] = self._process.ask("run", self._number, given, self._wanted)
        return found


def as_declared(tensor: Tensor, value: Array) -> Array:
    """A value in the shape of its tensor; an InputError where it has other elements."""
    if tensor.dtype.numpy is not None and value.dtype != np.dtype(tensor.dtype.numpy):
        raise InputError(
            f"'{tensor.name}' is said to have {tensor.dtype.name} elements, of which LiteRT makes"
            f" {value.dtype}: its type is not what its operator gives"
        )
    if value.size != tensor.elements:
        raise InputError(
            f"'{tensor.name}' has {tensor.elements} elements, of which LiteRT makes {value.size}:"
            " its shape is not what its operator gives"
        )
    return value.reshape(tensor.shape)


class _Process:
    """The process, as the one who asks sees it."""

    def __init__(self) -> None:
        self._begun = 0
        self._forgotten: list[int] = []
        """Sessions that nobody has any more, which the next request tells."""
        self._is_retired = False
        self._kept: set[int] = set()
        self._lock = threading.Lock()
        self._popen = subprocess.Popen(
            # Not the folder of the file, whose modules are none of its business.
            [sys.executable, "-P", str(_WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        atexit.register(self.end)

    def begin(self) -> int:
        """The number of a new session."""
        self._begun += 1
        self._kept.add(self._begun)
        return self._begun

    def forget(self, session: int) -> None:
        """Nobody has this session any more."""
        self._kept.discard(session)
        self._forgotten.append(session)
        self._end_unless_needed()

    def retire(self) -> None:
        """End as soon as nobody has a session of it."""
        self._is_retired = True
        self._end_unless_needed()

    def _end_unless_needed(self) -> None:
        if self._is_retired and not self._kept:
            self.end()

    def ask(self, action: str, session: int, *arguments: Any) -> Any:
        """The answer to one request; an InputError where LiteRT refuses, or ends itself."""
        with self._lock:
            late = threading.Event()
            timer = threading.Timer(LIMIT_SECONDS, self._end_late, (late,))
            timer.start()
            try:
                is_done, answer = self._exchange((action, session, arguments))
            # A ValueError says that the pipe is closed: the process was ended before.
            except (EOFError, OSError, ValueError, pickle.UnpicklingError) as error:
                with suppress(subprocess.TimeoutExpired):
                    self._popen.wait(_PATIENCE_SECONDS)
                self.end()
                raise self._death(late) from error
            except BaseException:
                # The answer would be taken for that to the next request.
                self.end()
                raise
            finally:
                timer.cancel()
        if not is_done:
            raise InputError(f"LiteRT refuses it: {_first_line(answer)}")
        return answer

    def end(self) -> None:
        """Leave nothing of it; whoever comes next gets a new one."""
        for place, process in tuple(_processes.items()):
            if process is self:
                del _processes[place]
        atexit.unregister(self.end)
        self._popen.kill()
        for pipe in (self._popen.stdin, self._popen.stdout):
            with suppress(OSError):
                assert pipe is not None
                pipe.close()
        self._popen.wait()

    def _exchange(self, request: tuple[Any, ...]) -> tuple[bool, Any]:
        assert self._popen.stdin is not None
        assert self._popen.stdout is not None
        forgotten = tuple(self._forgotten)
        del self._forgotten[: len(forgotten)]
        pickle.dump((forgotten, *request), self._popen.stdin, pickle.HIGHEST_PROTOCOL)
        self._popen.stdin.flush()
        answer: tuple[bool, Any] = pickle.load(self._popen.stdout)
        return answer

    def _end_late(self, late: threading.Event) -> None:
        late.set()
        self._popen.kill()

    def _death(self, late: threading.Event) -> InputError:
        if late.is_set():
            return InputError(f"LiteRT has not computed it after {LIMIT_SECONDS:g} seconds")
        code = self._popen.returncode
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return Ended(f"LiteRT ends itself where it computes it ({how})")


_processes: dict[bool, _Process] = {}
"""By whether it computes ahead of others, who then need not wait for it."""


def _process(*, is_ahead: bool = False) -> _Process:
    if is_ahead not in _processes:
        _processes[is_ahead] = _Process()
    return _processes[is_ahead]


def _first_line(text: str) -> str:
    return next(iter(text.strip().splitlines()), "without a reason").strip()


def mended(network: Network) -> Network:
    """A network without metadata, and without axes of quantisation that newer LiteRT refuses."""
    graphs = tuple(
        replace(graph, tensors=tuple(_mended(tensor) for tensor in graph.tensors))
        for graph in network.subgraphs
    )
    return replace(network, subgraphs=graphs, metadata=())


def _in_first_version(network: Network, kind: str) -> Network:
    graphs = tuple(
        replace(
            graph,
            operators=tuple(
                replace(op, version=1) if op.kind == kind else op for op in graph.operators
            ),
        )
        for graph in network.subgraphs
    )
    return replace(network, subgraphs=graphs)


def _mended(tensor: Tensor) -> Tensor:
    """Old converters gave biases the axis of the weights that they belong to."""
    given, rank = tensor.quantization, len(tensor.shape)
    if given is None or given.axis < max(rank, 1):
        return tensor
    return replace(tensor, quantization=replace(given, axis=max(rank - 1, 0)))
