"""What exporters write and samples lack: weights in the program, methods, calls of other kinds."""

from __future__ import annotations

import pytest

from core.api import proof
from core.executorch import reader
from core.executorch.beside import entry_of
from core.executorch.container import open_data
from core.ir.network import Table
from core.pipeline.compiled import read_program
from core.pipeline.proof.verdict import Verification
from tests.core.executorch.exported import exported, of, table, taken_apart, with_fields, with_plan
from tests.core.executorch.samples import EXTERNAL, SMALL
from tests.shared import need

PLAIN = "executorch/convres_u55-128.pte"


def sample(name: str = PLAIN) -> tuple[Table, list[bytes], Table]:
    """Tables, segments and the first plan of a sample."""
    record, segments = taken_apart(need(name).read_bytes())
    return record, segments, of(record, "execution_plan")[0]


def judged(data: bytes, graphs: int = 1, name: str = PLAIN) -> Verification:
    paths = [need(name).with_suffix(f".delegate{number}.tosa") for number in range(graphs)]
    return proof.verify_delegates(data, {each.name: each.read_bytes() for each in paths}, inputs=1)


def test_a_sample_that_is_exported_again_is_the_same_program():
    data = need(SMALL).read_bytes()
    assert reader.read(exported(*taken_apart(data))) == reader.read(data)


def test_weights_may_be_named_data_of_the_program_itself():
    data = need(EXTERNAL).with_name("convres_external_u55-128.flash.ptd").read_bytes()
    (key,) = (view.string("key") for view in open_data(data).root.tables("named_data"))
    record, segments, _ = sample(EXTERNAL)
    weights = entry_of((data,), key)
    assert weights is not None
    named = table("NamedData", key=key, segment_index=len(segments))
    whole = with_fields(record, {"named_data": (named,)})
    assert judged(exported(whole, [*segments, weights]), name=EXTERNAL).holds


def test_two_methods_have_a_delegate_each():
    record, segments, plan = sample()
    twice = (plan, with_fields(plan, {"name": "encode"}))
    data = exported(with_fields(record, {"execution_plan": twice}), segments)
    found = judged(data)
    assert found.holds
    assert len(found.outputs) == 2
    read = read_program(data)
    assert read is not None
    assert [each.plan for each in read.program.pools] == ["forward", "encode"]
    assert all(each.temporary_bytes for each in read.program.pools)


def test_a_delegate_may_be_called_twice():
    record, segments, plan = sample()
    (chain,) = of(plan, "chains")
    first, call, last = of(chain, "instructions")
    longer = with_fields(chain, {"instructions": (first, call, call, last)})
    data = exported(with_plan(record, chains=(longer,)), segments)
    assert len(judged(data).outputs) == 2
    assert judged(data).holds


def test_two_delegates_may_share_their_bytes():
    record, segments, plan = sample()
    (delegate,), (chain,) = of(plan, "delegates"), of(plan, "chains")
    first, call, last = of(chain, "instructions")
    args = with_fields(of(call, "instr_args"), {"delegate_index": 1})
    calls = (first, call, with_fields(call, {"instr_args": args}), last)
    data = exported(
        with_plan(
            record,
            delegates=(delegate, delegate),
            chains=(with_fields(chain, {"instructions": calls}),),
        ),
        segments,
    )
    assert judged(data).holds


def test_delegates_of_other_processors_are_kernels():
    record, segments, plan = sample()
    (delegate,), (chain,) = of(plan, "delegates"), of(plan, "chains")
    first, call, last = of(chain, "instructions")
    other = with_fields(delegate, {"id": "XnnpackBackend"})
    args = with_fields(of(call, "instr_args"), {"delegate_index": 1})
    calls = (first, with_fields(call, {"instr_args": args}), call, last)
    data = exported(
        with_plan(
            record,
            delegates=(delegate, other),
            chains=(with_fields(chain, {"instructions": calls}),),
        ),
        segments,
    )
    read = read_program(data)
    assert read is not None
    assert "XnnpackBackend 1" in read.program.cpu_ops
    assert judged(data).holds


@pytest.mark.parametrize(
    "instruction",
    [
        table("MoveCall", move_from=0, move_to=1),
        table("JumpFalseCall", cond_value_index=0, destination_instruction=0),
        table("FreeCall", value_index=0),
    ],
    ids=lambda record: record.kind,
)
def test_moves_jumps_and_frees_are_calls_by_their_names(instruction: Table):
    record, segments, plan = sample()
    (chain,) = of(plan, "chains")
    more = (*of(chain, "instructions"), table("Instruction", instr_args=instruction))
    data = exported(
        with_plan(record, chains=(with_fields(chain, {"instructions": more}),)), segments
    )
    read = read_program(data)
    assert read is not None
    assert read.program.cpu_ops[-1] == instruction.kind
    assert judged(data).holds


def test_constants_of_kernels_are_in_a_segment_of_their_own():
    record, segments, plan = sample()
    constant = table("Tensor", scalar_type=6, sizes=(2,), dim_order=b"\0", data_buffer_idx=1)
    (chain,) = of(plan, "chains")
    values = (*of(plan, "values"), table("EValue", val=constant))
    call = table("KernelCall", op_index=0, args=(len(values) - 1,))
    more = (*of(chain, "instructions"), table("Instruction", instr_args=call))
    whole = with_fields(
        with_plan(record, values=values, chains=(with_fields(chain, {"instructions": more}),)),
        {
            "constant_segment": table(
                "SubsegmentOffsets", segment_index=len(segments), offsets=(0, 16)
            )
        },
    )
    data = exported(whole, [*segments, bytes(16) + b"\0\0\x80\x3f\0\0\0\x40"])
    (read,) = (plan.values[-1] for plan in reader.read(data).plans[:1])
    assert list(read.data.array) == [1.0, 2.0]
    assert judged(data).holds


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"sizes": (1, 3, 32, 16)}, "has 3072 B in the blob, and 1536 B in the program"),
        (
            {"sizes": (1, 3, 32, 16), "scalar_type": 2},
            "has elements of 1 B in the blob, and elements of 2 B in the program",
        ),
        ({"sizes": (1, 3, 32, 32), "scalar_type": 6}, "has 3072 B in the blob"),
    ],
    ids=["fewer", "wider", "real numbers"],
)
def test_what_is_handed_over_is_held_against_the_blob(fields: dict[str, object], told: str):
    record, segments, plan = sample()
    (chain,) = of(plan, "chains")
    given = of(of(of(chain, "instructions")[1], "instr_args"), "args")[0]
    values = list(of(plan, "values"))
    values[given] = table("EValue", val=with_fields(of(values[given], "val"), fields))
    found = judged(exported(with_plan(record, values=tuple(values)), segments))
    assert f"input 0 of delegate 0 {told}" in "\n".join(found.faults)
    assert not found.holds


def test_types_of_one_width_are_handed_over():
    record, segments, plan = sample()
    (chain,) = of(plan, "chains")
    given = of(of(of(chain, "instructions")[1], "instr_args"), "args")[0]
    values = list(of(plan, "values"))
    other = with_fields(of(values[given], "val"), {"scalar_type": 0})
    values[given] = table("EValue", val=other)
    assert judged(exported(with_plan(record, values=tuple(values)), segments)).holds
