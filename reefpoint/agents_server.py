"""The questions of agents as tools of a server of the Model Context Protocol."""

from __future__ import annotations

import inspect
import sys
import time
from collections.abc import Callable
from threading import Lock
from typing import Any

from anyio import from_thread
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations

from core.base.errors import CoreError, InputError, OptionError
from core.base.harmless import terminal_text
from core.base.version import VERSION
from reefpoint.agents import Agents
from reefpoint.progress import Watcher

_INSTRUCTIONS = (
    "Reefpoint schedules quantised .tflite networks for Arm Ethos-U NPUs. Begin with schedule, ask"
    " why about what takes long, and try edits or ask for advice; nothing is written but by"
    " compile, which is there with --write alone."
)
_REPORT_SECONDS = 0.25
"""Between two reports of one question, at least."""

Ask = Callable[..., str]


def serve(*, writes: bool) -> None:
    """Answer on standard input and output until that ends."""
    agents = Agents()
    server = MCPServer(
        "reefpoint", version=VERSION, instructions=_INSTRUCTIONS, log_level="WARNING"
    )
    reads: tuple[Ask, ...] = (
        agents.load,
        agents.schedule,
        agents.why,
        agents.try_edits,
        agents.compare,
        agents.advise,
        agents.front,
    )
    one_at_a_time = Lock()
    for ask in (*reads, agents.compile) if writes else reads:
        annotations = ToolAnnotations(read_only_hint=ask in reads)
        server.tool(annotations=annotations)(_tool(agents, ask, one_at_a_time))
    _run(server)


def _run(server: MCPServer) -> None:
    if sys.stdin is None:
        raise OptionError("standard input is closed, and questions come from there")
    fault: OSError | None = None
    try:
        server.run()
    except* OSError as faults:
        fault = _first_of(faults)
    # A client that has left wants nothing more.
    if fault is not None and not isinstance(fault, BrokenPipeError):
        raise InputError(fault.strerror or "cannot be written", "standard output") from fault


def _first_of(faults: BaseExceptionGroup[OSError]) -> OSError:
    first = faults.exceptions[0]
    return _first_of(first) if isinstance(first, BaseExceptionGroup) else first


def _tool(agents: Agents, ask: Ask, lock: Lock) -> Ask:
    """A question as the SDK takes it: what is refused is told in its one line."""

    def answer(context: Context, **given: Any) -> str:
        with lock:
            agents.watcher = _watcher(context)
            try:
                return ask(**given)
            except CoreError as error:
                raise ToolError(terminal_text(str(error))) from None

    asked = inspect.signature(ask, eval_str=True)
    told = inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=Context)
    answer.__name__, answer.__doc__ = ask.__name__, ask.__doc__
    answer.__annotations__ = {"context": Context}
    # What the SDK makes of a tool's arguments it reads here.
    vars(answer)["__signature__"] = asked.replace(parameters=[*asked.parameters.values(), told])
    return answer


def _watcher(context: Context) -> Watcher:
    """Tells the client how far an answer is, and ends it where the client no longer wants it."""
    began = last = time.monotonic()

    def watch(stage: str, done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < _REPORT_SECONDS:
            return
        last = now
        from_thread.check_cancelled()
        step = f", {done} of {total}" if total > 1 else ""
        # Stages begin anew, and what the protocol tells has to grow.
        from_thread.run(context.report_progress, now - began, None, f"{stage}{step}")

    return watch
