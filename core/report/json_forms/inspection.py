"""The keys of what `inspect` writes: of networks, of compiled models, and of queries."""

from __future__ import annotations

from core.report.json_forms.key import Key, section

_TARGET = {
    "accelerator_config": "text: as --accelerator-config takes it",
    "system_config": "text: as --system-config takes it",
    "memory_mode": "text: as --memory-mode takes it",
    "arena_cache_size": "int?: bytes of fast storage that may be used, where that is known",
}
_NETWORK = {
    "model": "text: file name of the model",
    "target": "object: what it is lowered for",
    "tensors": "list: all of them",
    "operators": "list: all of them, in their order",
    "warnings": "[text]: what is to be known of the network",
    "cpu_ops": "[text]: kinds of the operators on the CPU, in their order",
    "schedules": "list: one object for each command stream",
}
_TENSOR = {
    "subgraph": "int: which subgraph it is in",
    "index": "int: its number there",
    "name": "text: as the file has it",
    "shape": "[int]: its dimensions",
    "type": "text: of its elements",
    "constant": "bool: whether the file has its values",
    "variable": "bool: whether it is kept from one inference to the next",
    "scales": "[number]: of its quantisation, one or one for each channel",
    "zero_points": "[int]: likewise",
}
_OPERATOR = {
    "subgraph": "int: which subgraph it is in",
    "index": "int: its number there",
    "kind": "text: as the file has it",
    "inputs": "[int?]: numbers of tensors, null where one is left out",
    "outputs": "[int]: numbers of tensors",
    "fate": "text: what became of it",
    "npu_ops": "[int]: the operators on the NPU that do its work",
    "reason": "object?: why it is on the CPU",
    "reason.rule": "text: which rule it breaks",
    "reason.found": "text: what was found",
    "reason.accepted": "text: what would be accepted",
}
_OP = {
    "index": "int: position in the command stream",
    "name": "text: of the source operator or its output",
    "type": "text: kind of the operator on the NPU",
    "activation": "text?: what is applied to its output",
    "kernel": "[int]: width, height, stride along x and y, dilation along x and y",
    "sources": "[[int]]: source operators that it does the work of, as [subgraph, position]",
}
_MAP = {
    "name": "text: of the map",
    "shape": "[int]: as the operator sees it",
    "touched": "[int]: shape of the part that is touched",
    "bits": "int: of an element",
    "constant": "bool: whether its values are known",
}


def network_keys() -> tuple[Key, ...]:
    """Of a network that is not compiled."""
    maps = "schedules[].ops[].feature_maps"
    return (
        *section("", _NETWORK),
        *section("target", _TARGET),
        *section("tensors[]", _TENSOR),
        *section("operators[]", _OPERATOR),
        *section("schedules[]", {"subgraph": "text: its name", "ops": "list: as they run"}),
        *section("schedules[].ops[]", _OP),
        Key(f"{maps}.ifm2", "~object", "the second input"),
        *(key for role in ("ifm", "ifm2", "ofm") for key in section(f"{maps}.{role}", _MAP)),
    )


_MATCHES = {
    "queries": "list: one object for each --where",
    "queries[].where": "text: the query",
    "queries[].matches": "list: what it finds",
    "queries[].matches[]": "open: all that can be asked about it, where that is known",
    "queries[].matches[].name": "text: of the operator or map",
    "queries[].matches[].title": "text: as the window calls it",
    "queries[].matches[].kind": "text: of the operator, or of the one that makes the map",
    "queries[].matches[].is": "[text]: what it is",
}


def matches_keys() -> tuple[Key, ...]:
    """Of what a query finds."""
    return tuple(section("", _MATCHES))


_COMPILED = {
    "model": "text: file name of the model",
    "compiler": "text: who has compiled it",
    "cpu_ops": "[text]: kinds of the operators on the CPU, in their order",
    "calls": "list: who runs what, and what is handed over",
    "misfits": "[text]: where program and command streams say different things",
    "advice": "[open]: what costs cycles at the borders of delegates",
    "room": "object?: whether a board has what it takes, where one is asked about",
    "ram": "list: pools of ExecuTorch's allocators, by plan",
    "arena_addresses": "[[int]]: by subgraph and tensor, where the file says it lies; -1: nowhere",
    "command_streams": "list: all that is known of each",
    "untold": "list: what a compiled model cannot tell",
    "untold[].matter": "text: what it is about",
    "untold[].text": "text: a sentence",
}
_CALL = {
    "method": "text: of the program, or the subgraph",
    "call": "text: what is called",
    "command_stream": "int?: which one that is; null on the CPU",
    "takes": "list: what it is given",
    "gives": "list: what it makes",
}
_HANDED = {
    "name": "text: of the tensor",
    "shape": "[int]: its dimensions",
    "dtype": "text: of its elements",
    "size_bytes": "int: of all of it",
}
_ROOM = {
    "board": "text: which board",
    "accelerator": "text: that it has",
    "fits_accelerator": "bool: whether the model is for that",
    "sram_bytes": "int: SRAM that applications have there",
    "needed_bytes": "int: SRAM that the model takes",
    "missing_bytes": "int: what is missing",
}
_RAM = {
    "plan": "text: of the program",
    "method_bytes": "int: pool of the method",
    "planned_bytes": "[int]: planned memory in it, by buffer",
    "tables_bytes": "int: the runtime's tables in it, estimated",
    "inputs_bytes": "int: inputs in it",
    "temporary_bytes": "int: pool of temporary memory, which scratch memory is from",
    "fast_scratch_bytes": "int: fast scratch memory",
    "planned_fast_bytes": "int: planned memory beside the accelerator",
    "delegates": "list: what each takes of that",
    "delegates[].delegate": "int: which one",
    "delegates[].scratch_bytes": "int: scratch memory",
    "delegates[].fast_scratch_bytes": "int: fast scratch memory",
    "delegates[].copied_bytes": "int: inputs and outputs that are copied",
    "missing_bytes": "~int: what is missing of the target's memory",
}
_STREAM = {
    "operator": "object: the operator of the file that it is in",
    "operator.subgraph": "int: its subgraph",
    "operator.index": "int: its number there",
    "target": "object?: what it is priced for",
    "accelerator": "open: what the stream says that it is for",
    "architecture": "open: its version",
    "regions": "[open]: by number: what the stream's addresses count from",
    "traffic": "[open]: by region: how far it is used, and bytes read and written",
    "inputs": "[open]: tensors that it is given",
    "outputs": "[open]: tensors that it makes",
    "words": "int: of the commands",
    "problem": "any: what keeps the stream from being read, or null",
    "macs": "int: multiplications",
    "npu_cycles": "int: of its operations, without waiting",
    "dma_cycles": "int: of its copies",
    "commands": "list: in their order",
    "commands[]": "open: with all fields of its kind, and `estimated_` figures",
    "commands[].word": "int?: where it is in the stream",
    "commands[].command": "text: its kind",
    "layers": "[open]: commands that do one operator's work",
    "cascades": "[open]: layers that take turns",
    "live_ranges": "[open]: bytes of a region, from the first command that touches them to the"
    " last",
}


def compiled_keys() -> tuple[Key, ...]:
    """Of a compiled model."""
    return (
        *section("", _COMPILED),
        *section("calls[]", _CALL),
        *section("calls[].takes[]", _HANDED),
        *section("calls[].gives[]", _HANDED),
        *section("room", _ROOM),
        *section("ram[]", _RAM),
        *section("command_streams[]", _STREAM),
        *section("command_streams[].target", _TARGET),
    )
