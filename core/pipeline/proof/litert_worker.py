"""LiteRT in a process of its own, which can end itself and take nobody along.

This file is run by its path and imports as little as it can, so that it is soon ready. It reads
requests from standard input, one tuple each, and answers on standard output; both are pickled.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import threading
from typing import Any, BinaryIO

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType

Request = tuple[tuple[int, ...], str, int, tuple[Any, ...]]
"""Sessions that nobody needs any more; what to do, for which session, and with what."""


class _Sessions:
    """Networks that are open, by number."""

    def __init__(self) -> None:
        self._open: dict[int, Any] = {}

    def forget(self, numbers: tuple[int, ...]) -> None:
        for number in numbers:
            self._open.pop(number, None)

    def open(self, number: int, model: bytes, keep_all: bool) -> None:  # noqa: FBT001 - see Request
        interpreter = Interpreter(
            model_content=model,
            experimental_op_resolver_type=OpResolverType.BUILTIN_REF,
            experimental_preserve_all_tensors=keep_all,
        )
        interpreter.allocate_tensors()
        self._open[number] = interpreter

    def run(self, number: int, inputs: dict[int, Any], wanted: list[int]) -> dict[int, Any]:
        interpreter = self._open[number]
        for tensor, value in inputs.items():
            interpreter.set_tensor(tensor, value)
        interpreter.invoke()
        shown = ((tensor, _value(interpreter, tensor)) for tensor in wanted)
        return {tensor: value for tensor, value in shown if value is not None}


def _value(interpreter: Any, number: int) -> Any:
    """A copy of what a tensor holds; None where LiteRT has not kept it."""
    try:
        return np.array(interpreter.get_tensor(number))
    except ValueError:
        return None


def main() -> None:
    """Answer until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.fdopen(os.dup(1), "wb")
    # What LiteRT prints must not come between the answers.
    os.dup2(2, 1)
    requests: queue.SimpleQueue[Request] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(os.fdopen(0, "rb"), requests), daemon=True).start()
    sessions = _Sessions()
    while True:
        forgotten, action, number, arguments = requests.get()
        sessions.forget(forgotten)
        try:
            answer = True, getattr(sessions, action)(number, *arguments)
        except (RuntimeError, ValueError) as error:
            answer = False, str(error)
        pickle.dump(answer, answers, pickle.HIGHEST_PROTOCOL)
        answers.flush()


def _read(source: BinaryIO, requests: queue.SimpleQueue[Request]) -> None:
    """In a thread of its own, so that the end of whoever asks is seen while LiteRT computes."""
    try:
        while True:
            requests.put(pickle.load(source))
    except (EOFError, OSError, pickle.UnpicklingError):
        os._exit(0)


if __name__ == "__main__":
    main()
