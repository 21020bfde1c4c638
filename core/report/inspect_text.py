"""A lowered network as text for the terminal."""

from __future__ import annotations

from core.base.harmless import visible
from core.ir.network import Network, Subgraph, Tensor
from core.ir.npugraph import NpuGraph, NpuOp, SourceFate, View
from core.report.tables import table
from core.report.words import counted, fast_storage_text, ranges_text, shape_text
from core.target.target import Target


def render(name: str, network: Network, graph: NpuGraph, target: Target) -> str:
    """Tensors, operators with their placement and reasons, and NPU operators with provenance."""
    parts = [_heading(name, network, graph, target)]
    for index, subgraph in enumerate(network.subgraphs):
        title = f"subgraph {index}" + (f" '{visible(subgraph.name)}'" if subgraph.name else "")
        parts += [f"Tensors of {title}", _tensors(subgraph)]
    parts += ["Operators", _operators(network, graph)]
    parts += ["NPU operators", _npu_operators(network, graph)]
    reasons = _reasons(network, graph)
    if reasons:
        parts += ["Why operators stay on the CPU", reasons]
    parts += [f"Warning: {visible(warning)}" for warning in graph.warnings]
    return "\n\n".join(parts) + "\n"


def _heading(name: str, network: Network, graph: NpuGraph, target: Target) -> str:
    sources = sum(len(subgraph.operators) for subgraph in network.subgraphs)
    on_cpu = len(graph.cpu_ops)
    return (
        f"{visible(name)}: {sources} operators, of which {on_cpu} on the CPU;"
        f" {len(graph.ops)} NPU operators in {counted(len(graph.islands), 'command stream')}\n"
        f"for {target.accelerator.name}, {target.system.name}, {target.mode.name},"
        f" {fast_storage_text(target)}"
    )


def _tensors(subgraph: Subgraph) -> str:
    roles = dict.fromkeys(map(int, subgraph.inputs), "input")
    roles |= dict.fromkeys(map(int, subgraph.outputs), "output")
    rows = [
        (
            index,
            tensor.name,
            shape_text(tensor.shape),
            tensor.dtype.name.lower(),
            _scaling(tensor),
            roles.get(index, _role(tensor)),
        )
        for index, tensor in enumerate(subgraph.tensors)
    ]
    return table(("#", "name", "shape", "type", "scale, zero point", "role"), rows)


def _role(tensor: Tensor) -> str:
    if tensor.data is not None:
        return "constant"
    return "variable" if tensor.is_variable else ""


def _scaling(tensor: Tensor) -> str:
    quantization = tensor.quantization
    if quantization is None or not quantization.scales:
        return ""
    if len(quantization.scales) > 1:
        return f"{len(quantization.scales)} along axis {quantization.axis}"
    zero_point = quantization.zero_points[0] if quantization.zero_points else 0
    return f"{quantization.scales[0]:.6g}, {zero_point}"


def _operators(network: Network, graph: NpuGraph) -> str:
    rows = []
    for entry in graph.lineage:
        op = network.operator(entry.op)
        tensors = network.subgraphs[entry.op.subgraph].tensors
        name = tensors[op.outputs[0]].name if op.outputs else ""
        rows.append((*entry.op, op.title, name, _FATES[entry.fate], ranges_text(entry.npu_ops)))
    return table(("subgraph", "#", "kind", "name", "placed", "NPU operators"), rows)


_FATES = {
    SourceFate.NPU: "NPU",
    SourceFate.CPU: "CPU",
    SourceFate.FUSED: "NPU, in another",
    SourceFate.REMOVED: "nothing to do",
}


def _npu_operators(network: Network, graph: NpuGraph) -> str:
    rows = []
    for island in graph.islands:
        for number in island.ops:
            op = graph.ops[number]
            place = (int(number), int(island.id), op.kind.value)
            rows.append((*place, *_maps(op), _kernel(op), _from(network, op)))
    headers = ("#", "stream", "kind", "ifm", "ifm2", "ofm", "kernel", "from")
    return table(headers, rows)


def _maps(op: NpuOp) -> tuple[str, str, str]:
    ifm2 = "" if op.ifm2 is None else _view(op.ifm2)
    return _view(op.ifm), ifm2, _view(op.ofm)


def _view(view: View) -> str:
    if view.touched == view.shape:
        return shape_text(view.shape)
    return f"{shape_text(view.touched)} of {shape_text(view.shape)}"


def _kernel(op: NpuOp) -> str:
    kernel = op.kernel
    if kernel.taps == 1 and kernel.stride_h == kernel.stride_w == 1:
        return ""
    text = f"{kernel.h}x{kernel.w}"
    if kernel.stride_h > 1 or kernel.stride_w > 1:
        text += f" stride {kernel.stride_h}x{kernel.stride_w}"
    if kernel.dilation_h > 1 or kernel.dilation_w > 1:
        text += f" dilation {kernel.dilation_h}x{kernel.dilation_w}"
    return text


def _from(network: Network, op: NpuOp) -> str:
    return " + ".join(f"{network.operator(ref).title} {ref.op}" for ref in op.sources)


def _reasons(network: Network, graph: NpuGraph) -> str:
    on_cpu = {step.source for step in graph.cpu_ops}
    return "\n".join(
        visible(
            f"{network.operator(reason.op).title} {reason.op.op}: {reason.rule};"
            f" found {reason.found}; accepted: {reason.accepted}"
        )
        for reason in graph.rejections
        if reason.op in on_cpu
    )
