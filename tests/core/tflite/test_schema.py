"""The list of the schema against the bindings, and these against their own builder functions."""

from __future__ import annotations

import importlib
import inspect

import pytest

from core.flatbuf.schema import FieldKind
from core.tflite.schema import TFLITE, names_of, numbers_of, table_schema
from tests.conftest import Golden
from tests.core.tflite.bindings import is_table, names, schema_text

TABLES = [name for name in names() if is_table(name)]


class Recorder:
    """Stands in for a builder and notes the one call that is made."""

    def __init__(self):
        self.call = None

    def __getattr__(self, name):
        def note(*args):
            self.call = (name, args)

        return note


def built(kind: str) -> dict[int, tuple[str, object]]:
    """Slot to the builder's method and default, for each field that can be added."""
    module = importlib.import_module(f"tflite.{kind}")
    found = {}
    for name, function in inspect.getmembers(module, inspect.isfunction):
        if name.startswith(f"{kind}Add"):
            recorder = Recorder()
            function(recorder, 1)
            method, (slot, _, default) = recorder.call
            found[slot] = (method, default)
    return found


def test_the_list_is_what_the_bindings_say(request):
    update = request.config.getoption("--update-goldens")
    Golden(TFLITE.path.parent, update).check(TFLITE.path.name, schema_text())


def test_every_table_of_the_bindings_is_looked_at():
    assert len(TABLES) > 120


@pytest.mark.parametrize("kind", TABLES)
def test_slots_types_and_defaults_are_those_that_the_builder_writes(kind):
    oracle = built(kind)
    schema = table_schema(kind)
    types = {field.slot - 1 for field in schema.fields if field.kind is FieldKind.UNION}
    assert {field.slot for field in schema.fields} | types == oracle.keys()
    for field in schema.fields:
        method, default = oracle[field.slot]
        if field.kind is FieldKind.SCALAR:
            codes = {"Bool": "<?", "Float32": "<f"}
            signs = {"Int": "bhiq", "Uint": "BHIQ"}
            stem = method.removeprefix("Prepend").removesuffix("Slot")
            name = stem.rstrip("0123456789")
            if stem not in codes:
                bits = int(stem.removeprefix(name))
                codes[stem] = "<" + signs[name][(8, 16, 32, 64).index(bits)]
            assert (field.code, field.default) == (codes[stem], default)
        else:
            assert method == "PrependUOffsetTRelativeSlot"


@pytest.mark.parametrize("kind", TABLES)
def test_vectors_have_the_width_that_the_builder_starts_them_with(kind):
    module = importlib.import_module(f"tflite.{kind}")
    for field in table_schema(kind).fields:
        if field.kind in (FieldKind.NUMBERS, FieldKind.TABLES):
            camel = "".join(part[0].upper() + part[1:] for part in field.name.split("_"))
            recorder = Recorder()
            getattr(module, f"{kind}Start{camel}Vector")(recorder, 5)
            width = field.width_bytes if field.kind is FieldKind.NUMBERS else 4
            assert recorder.call == ("StartVector", (width, 5, width))


@pytest.mark.parametrize(
    "union", ["BuiltinOptions", "BuiltinOptions2", "QuantizationDetails", "SparseIndexVector"]
)
def test_every_member_of_a_union_is_a_table(union):
    members = {number: name for number, name in names_of(union).items() if number}
    assert members
    for number, name in members.items():
        assert table_schema(name).kind == name
        assert numbers_of(union)[name] == number


def test_every_field_leads_to_a_table_or_a_union_that_exists():
    for kind in TABLES:
        for field in table_schema(kind).fields:
            if field.kind in (FieldKind.TABLE, FieldKind.TABLES):
                assert field.target in TABLES
            elif field.kind is FieldKind.UNION:
                assert names_of(field.target)[0] == "NONE"


def test_no_table_contains_itself_so_that_reading_ends():
    def walk(kind: str, above: tuple[str, ...]) -> None:
        assert kind not in above
        for field in table_schema(kind).fields:
            if field.kind is FieldKind.UNION:
                for number, name in names_of(field.target).items():
                    if number:
                        walk(name, (*above, kind))
            elif field.target:
                walk(field.target, (*above, kind))

    walk("Model", ())
