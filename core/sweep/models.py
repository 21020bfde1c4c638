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

_MOST_BYTES = 64 << 20
"""Of models that are kept beside the last one."""


class Models(Frozen, kw_only=False):
    """Files by the digest of their content."""

    by_digest: dict[str, tuple[SweptModel, Path]]
    unread: tuple[InputError, ...]
    """What cannot be read does not keep the others waiting."""
    _kept: OrderedDict[str, bytes] = field(default_factory=OrderedDict)

    @classmethod
    def found(cls, paths: Iterable[Path]) -> Models:
        """The models of some files; one that is there twice counts once."""
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
            by_digest.setdefault(key, (model, path))
        return cls(by_digest, tuple(unread))

    def bytes_of(self, digest: str) -> bytes:
        """The content of a model; an InputError where the file has another one by now."""
        known = self._kept.pop(digest, None)
        if known is None:
            path = self.by_digest[digest][1]
            known = read_bytes(path)
            if digest_bytes(known) != digest:
                raise InputError("has changed since the sweep began", str(path))
        self._kept[digest] = known
        while len(self._kept) > 1 and sum(map(len, self._kept.values())) > _MOST_BYTES:
            self._kept.popitem(last=False)
        return known
