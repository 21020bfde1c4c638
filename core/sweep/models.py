"""The models of a sweep: known by digest, and in memory only while somebody needs them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from pathlib import Path

from core.base.digest import digest_bytes
from core.base.errors import InputError
from core.base.files import read_bytes
from core.base.frozen import Frozen, field
from core.ir.sweep import SweptModel
from core.ir.together import Calls
from core.sweep.company import Company

_MOST_BYTES = 64 << 20
"""Of models that are kept beside the last one."""


class Models(Frozen, kw_only=False):
    """Files by the digest of their content."""

    by_digest: dict[str, tuple[SweptModel, Path]]
    unread: tuple[InputError, ...]
    """What cannot be read does not keep the others waiting."""
    company: Company | None = None
    """Others that are in the device with each of them."""
    _beside: bytes = b""
    """Their bytes."""
    _kept: OrderedDict[str, bytes] = field(default_factory=OrderedDict)

    @classmethod
    def found(
        cls, paths: Iterable[Path], others: Iterable[Path] = (), calls: Calls = Calls.IN_TURN
    ) -> Models:
        """The models of some files, one that is there twice counts once; each with the others."""
        company, beside = _company(others, calls)
        by_digest: dict[str, tuple[SweptModel, Path]] = {}
        unread = []
        for path in paths:
            try:
                data = read_bytes(path)
            except InputError as error:
                unread.append(error)
                continue
            key = digest_bytes(data)
            model = SweptModel(digest=key, name=path.name, size_bytes=len(data))
            model = model if company is None else company.joined(model)
            by_digest.setdefault(model.digest, (model, path))
        return cls(by_digest, tuple(unread), company, beside)

    def bytes_of(self, digest: str) -> bytes:
        """The content of a model and of others; an InputError where the file has another by now."""
        known = self._kept.pop(digest, None)
        if known is None:
            known = self._read(digest)
        self._kept[digest] = known
        while len(self._kept) > 1 and sum(map(len, self._kept.values())) > _MOST_BYTES:
            self._kept.popitem(last=False)
        return known

    def _read(self, digest: str) -> bytes:
        named, path = self.by_digest[digest]
        data = read_bytes(path)
        model = SweptModel(digest=digest_bytes(data), name=path.name, size_bytes=len(data))
        if named != (model if self.company is None else self.company.joined(model)):
            raise InputError("has changed since the sweep began", str(path))
        return data + self._beside


def _company(paths: Iterable[Path], calls: Calls) -> tuple[Company | None, bytes]:
    """Those that are with each model, and their bytes; an InputError where one cannot be read."""
    others = [(path.name, read_bytes(path)) for path in paths]
    if not others:
        return None, b""
    return Company.of(others, calls), b"".join(data for _, data in others)
