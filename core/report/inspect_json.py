"""A lowered network as JSON.

The keys `cpu_ops` and `schedules` have the form of the schedule reports, as far as lowering alone
can fill them, so that two runs can be held side by side before there is a schedule.
"""

from __future__ import annotations

from typing import Any

from core.ir.network import Network, Tensor
from core.ir.npugraph import FeatureMap, Island, NpuGraph, NpuOp, View
from core.report.ecosystem_names import activation_name, cpu_name, island_names, npu_name
from core.report.json_forms.stamp import stamp
from core.target.target import Target

Json = dict[str, Any]


def describe(name: str, network: Network, graph: NpuGraph, target: Target) -> Json:
    """Everything that `inspect` knows."""
    fates = {
        entry.op: {"fate": entry.fate.value, "npu_ops": list(entry.npu_ops)}
        for entry in graph.lineage
    }
    reasons = {
        rejection.op: {
            "rule": rejection.rule,
            "found": rejection.found,
            "accepted": rejection.accepted,
        }
        for rejection in graph.rejections
    }
    return {
        **stamp("network"),
        "model": name,
        "target": describe_target(target, target.fast_limit_bytes),
        "tensors": [
            {"subgraph": index, "index": number, **_tensor(tensor)}
            for index, subgraph in enumerate(network.subgraphs)
            for number, tensor in enumerate(subgraph.tensors)
        ],
        "operators": [
            {
                "subgraph": ref.subgraph,
                "index": ref.op,
                "kind": op.title,
                "inputs": list(op.inputs),
                "outputs": list(op.outputs),
                **fates[ref],
                "reason": reasons.get(ref),
            }
            for ref, op in network.operators()
        ],
        "warnings": list(graph.warnings),
        "cpu_ops": [cpu_name(op.kind) for op in graph.cpu_ops],
        "schedules": [
            _island(graph, island, title)
            for island, title in zip(graph.islands, island_names(network, graph), strict=True)
        ],
    }


def describe_target(target: Target, limit_bytes: int | None) -> Json:
    """The target by the names that the command line takes, with the limit, where one is told."""
    return {
        "accelerator_config": target.accelerator.name,
        "system_config": target.system.name,
        "memory_mode": target.mode.name,
        "arena_cache_size": limit_bytes,
    }


def describe_op(graph: NpuGraph, op: NpuOp, index: int) -> Json:
    """What lowering decides about an NPU operator."""
    kernel = op.kernel
    roles = (("ifm", op.ifm), ("ifm2", op.ifm2), ("ofm", op.ofm))
    return {
        "index": index,
        "name": op.name,
        "type": npu_name(op.kind),
        "activation": activation_name(op.activation),
        "kernel": [
            kernel.w,
            kernel.h,
            kernel.stride_w,
            kernel.stride_h,
            kernel.dilation_w,
            kernel.dilation_h,
        ],
        "feature_maps": {
            role: _feature_map(graph.fm(view), view) for role, view in roles if view is not None
        },
        "sources": [list(source) for source in op.sources],
    }


def _island(graph: NpuGraph, island: Island, title: str) -> Json:
    return {
        "subgraph": title,
        "ops": [
            describe_op(graph, graph.ops[number], index) for index, number in enumerate(island.ops)
        ],
    }


def _feature_map(fm: FeatureMap, view: View) -> Json:
    return {
        "name": fm.name,
        "shape": list(view.shape),
        "touched": list(view.touched),
        "bits": fm.dtype.bits,
        "constant": fm.data is not None,
    }


def _tensor(tensor: Tensor) -> Json:
    quantization = tensor.quantization
    return {
        "name": tensor.name,
        "shape": list(tensor.shape),
        "type": tensor.dtype.name.lower(),
        "constant": tensor.data is not None,
        "variable": tensor.is_variable,
        "scales": [] if quantization is None else list(quantization.scales),
        "zero_points": [] if quantization is None else list(quantization.zero_points),
    }
