"""Other models that are in a device with each model of a sweep."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.base.digest import digest, digest_bytes
from core.base.frozen import Frozen
from core.ir.sweep import SweptModel
from core.ir.together import Calls


class Company(Frozen):
    """What travels with each model: the names of the others, and how many bytes each has."""

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    digests: tuple[str, ...]
    calls: Calls

    @classmethod
    def of(cls, others: Sequence[tuple[str, bytes]], calls: Calls) -> Company:
        """Of files by their names."""
        return cls(
            names=tuple(name for name, _ in others),
            sizes=tuple(len(data) for _, data in others),
            digests=tuple(digest_bytes(data) for _, data in others),
            calls=calls,
        )

    def joined(self, model: SweptModel) -> SweptModel:
        """All of them as one, which is what a cell is of."""
        way = ", nested" if self.calls is Calls.NESTED else ""
        return SweptModel(
            digest=digest((model.digest, self.digests, self.calls.value)),
            name=" + ".join((model.name, *self.names)) + way,
            size_bytes=model.size_bytes + sum(self.sizes),
        )

    def apart(self, data: bytes) -> Iterator[bytes]:
        """The bytes of each, which come one behind the other."""
        at = len(data) - sum(self.sizes)
        yield data[:at]
        for size in self.sizes:
            yield data[at : at + size]
            at += size
