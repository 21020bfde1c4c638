"""From a schedule with addresses to the compiled model."""

from __future__ import annotations

from core.base.errors import InputError, InternalError
from core.base.frozen import Frozen
from core.base.progress import SILENT, Progress
from core.check import network as network_check
from core.check.finding import hold
from core.edits import text as edits_text
from core.edits.text import EditsFile
from core.emit.commands import run as commands
from core.emit.commands.constants import constants
from core.emit.container.metadata import with_edits
from core.emit.container.run import contain
from core.emit.instructions.known import instructions_for
from core.emit.open import is_compiled
from core.emit.ordering.run import ordered
from core.ir.network import Network
from core.ir.program import CommandStream
from core.ir.schedule import OpPlan
from core.ir.scheduled import Scheduled
from core.ir.weightstream import EncodedWeights
from core.pipeline.scheduled import weight_layout
from core.target.target import Target
from core.tflite import writer
from core.weights.encode import EncodingCache, Request, encode, encode_many


class Compiled(Frozen):
    """A compiled model, as bytes and as what they say."""

    data: bytes
    network: Network


def demand_compilable(target: Target) -> None:
    """Refuse an accelerator that nobody here can write commands for, before there is work."""
    instructions_for(target.accelerator.family)


def demand_uncompiled(network: Network) -> None:
    """Refuse what a compiler has made already: nothing is left in it to decide."""
    if is_compiled(network):
        raise InputError("has been compiled already; take the model that it was made from")


def compile_model(
    scheduled: Scheduled,
    progress: Progress = SILENT,
    *,
    encodings: EncodingCache | None = None,
    keeps_edits: bool = False,
) -> Compiled:
    """The compiled model; `encodings` are those that scheduling has made, if they are at hand.

    Edits are in it where they are to be kept: they name the layers of the source.
    """
    demand_uncompiled(scheduled.run.network)
    demand_compilable(scheduled.target)
    graph, target, schedule = scheduled.run.graph, scheduled.target, scheduled.schedule
    cache = EncodingCache() if encodings is None else encodings

    def request_of(plan: OpPlan) -> Request:
        if plan.weights is None:
            raise InternalError("an operator without weights has no stream")
        op = graph.ops[plan.op]
        layout = weight_layout(plan.block, plan.weights.depth_slices)
        return Request(op, graph.fm(op.ifm).dtype, layout)

    def stream_of(plan: OpPlan) -> EncodedWeights:
        op, ifm, layout = request_of(plan)
        return encode(op, ifm, target.accelerator, layout, cache=cache)

    requests = [request_of(plan) for plan in schedule.ops if plan.weights is not None]
    encode_many(requests, target.accelerator, cache=cache)
    islands = commands.run(graph, schedule, scheduled.layout, target, stream_of, progress)
    streams = {
        island.island: CommandStream(commands=ordered(island.commands, target.accelerator))
        for island in islands
    }
    image = constants(graph, schedule, scheduled.layout, stream_of)
    network = contain(
        scheduled.run.network,
        graph,
        schedule,
        scheduled.layout,
        target,
        streams,
        image,
        is_newer=scheduled.options.is_newer_container,
    )
    if keeps_edits and scheduled.options.edits:
        file = EditsFile(edits=scheduled.options.edits)
        network = with_edits(network, edits_text.encode(file))
    if not network_check.verify(scheduled.run.network):
        hold("the compiled model", network_check.verify(network))
    return Compiled(data=writer.write(network), network=network)
