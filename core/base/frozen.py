"""What values are made of: their members are given by name, and never change.

The fields of a `Frozen` are slots, equality and hash are of all of them. It is a `msgspec.Struct`
and no dataclass, as a search makes thousands of values and a command line hundreds of classes: a
value takes a tenth of the time to make, and a class a thirtieth. `Changing` is the same for what is
no value: it changes while a function works. A `NamedTuple` is a value that is also unpacked, sorted
or hashed as a tuple; this one is `typing`'s, whose classes take a third of the time to make, as
nobody compiles what a field is said to hold.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Literal, dataclass_transform

from msgspec import NODEFAULT, Struct, StructMeta, field

if TYPE_CHECKING:
    # Both do the same to whatever they know; type checkers know which fields this one may change.
    from dataclasses import replace
    from typing import NamedTuple
else:
    from msgspec.structs import replace

__all__ = [
    "Changing",
    "Frozen",
    "NamedTuple",
    "compared",
    "field",
    "field_names",
    "later",
    "members",
    "needed_names",
    "replace",
]


class _ByName(StructMeta):
    """Fields are given by name wherever a class does not say otherwise."""

    def __new__(
        cls,
        name: str,
        bases: tuple[type, ...],
        namespace: dict[str, Any],
        *,
        kw_only: bool = True,
        **settings: Any,
    ) -> Any:
        if "__eq__" in namespace:
            # A struct's own inequality knows nothing of an equality that is written by hand.
            namespace = {"__ne__": object.__ne__, **namespace}
        return super().__new__(cls, name, bases, namespace, kw_only=kw_only, **settings)


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field,))
class Frozen(Struct, metaclass=_ByName, frozen=True):
    """A value. With `dict=True` it may keep what follows from its fields in cached properties."""

    UNCOMPARED: ClassVar[frozenset[str]] = frozenset()
    """Fields that equality and digests pass over, in classes that have an equality of their own."""


if not TYPE_CHECKING:

    class _AsTuple(type):
        """Makes a tuple with named members of a class of annotated fields."""

        def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> Any:
            if not bases:
                return super().__new__(cls, name, bases, namespace)
            fields = namespace.get("__annotations__", {})
            defaults = [namespace.pop(field) for field in fields if field in namespace]
            made = namedtuple(name, fields, defaults=defaults, module=namespace["__module__"])
            for key, value in namespace.items():
                setattr(made, key, value)
            return made

    class NamedTuple(metaclass=_AsTuple):
        """What `typing.NamedTuple` makes, without a look at what the fields hold."""


def later(*, init: Literal[False] = False) -> Any:  # noqa: ARG001 - type checkers read it
    """A field of a `Changing` that `__post_init__` sets: whoever makes one does not give it."""
    return field(default=None)


@dataclass_transform(field_specifiers=(field, later))
class Changing(Struct):
    """What changes while a function works; its fields are given in their order or by name."""


def field_names(kind: type[Frozen] | Frozen) -> tuple[str, ...]:
    """The names of the fields, in their order."""
    found: tuple[str, ...] = kind.__struct_fields__
    return found


def needed_names(kind: type[Frozen]) -> frozenset[str]:
    """The names of the fields that have no default."""
    names, defaults = field_names(kind), kind.__struct_defaults__
    first = len(names) - len(defaults)
    optional = (
        name for name, usual in zip(names[first:], defaults, strict=True) if usual is not NODEFAULT
    )
    return frozenset(names).difference(optional)


def members(value: Frozen) -> dict[str, Any]:
    """What the fields hold, by their names."""
    return {name: getattr(value, name) for name in field_names(value)}


def compared(value: Frozen) -> Iterator[tuple[str, Any]]:
    """The fields that make two values differ."""
    for name in field_names(value):
        if name not in value.UNCOMPARED:
            yield name, getattr(value, name)
