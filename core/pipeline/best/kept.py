"""Fronts in a folder, so that the next start begins where the last one ended.

A file is named by a digest of all that its front depends on, this program's own text among that.
It takes its name when it is whole; one that is damaged, or that nobody can read or write, is as if
it were not there: nothing is lost but time.
"""

from __future__ import annotations

import hashlib
import io
import os
import pickle
import zlib
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from core.base.digest import digest_bytes
from core.base.errors import CoreError
from core.base.files import write_whole
from core.base.frozen import Frozen
from core.ir.scheduled import Run

Value = TypeVar("Value")

OFF = "off"
VARIABLE = "REEFPOINT_CACHE"
"""A folder for fronts, or `off`."""
_MOST_BYTES = 256 << 20
_SUFFIX = ".front"
_ABANDONED_NS = 3600 * 10**9
_PROTOCOL = 5
_FAST = 1
_OWN = "core."
_PLAIN = {("builtins", "frozenset"), ("builtins", "set"), ("msgspec._utils", "rebuild")}
"""What makes plain sets, and values of a type that is asked for in the same way."""


def kept_by_default(environment: Mapping[str, str]) -> Kept | None:
    """The user's folder; None where the environment says that nothing is to be kept."""
    named = environment.get(VARIABLE, "")
    if named.lower() == OFF:
        return None
    if named:
        return Kept(folder=Path(named))
    home = environment.get("XDG_CACHE_HOME", "") or environment.get("LOCALAPPDATA", "")
    try:
        caches = Path(home) if Path(home).is_absolute() else Path.home() / ".cache"
    except RuntimeError:
        return None
    return Kept(folder=caches / "reefpoint" / "fronts")


class Kept(Frozen):
    """A folder of values by digests; those used longest ago go when there are too many bytes."""

    folder: Path
    most_bytes: int = _MOST_BYTES

    def find(self, key: str, kind: type[Value], run: Run) -> Value | None:
        """What is kept under a digest, about a network that was lowered."""
        path = self._path(key)
        try:
            data = path.read_bytes()
            length = hashlib.sha256().digest_size
            if hashlib.sha256(data[length:]).digest() != data[:length]:
                return None
            found = _Unpickler(io.BytesIO(zlib.decompress(data[length:])), run).load()
        except Exception:  # noqa: BLE001 - whatever is wrong with a file, its front is made anew
            return None
        with suppress(OSError):
            os.utime(path)
        return found if isinstance(found, kind) else None

    def put(self, key: str, value: object) -> None:
        """Keep a value; where that cannot be, it is not kept."""
        stream = io.BytesIO()
        _Pickler(stream, _PROTOCOL).dump(value)
        data = zlib.compress(stream.getvalue(), _FAST)
        if len(data) > self.most_bytes:
            return
        with suppress(OSError, CoreError):
            self.folder.mkdir(parents=True, exist_ok=True)
            write_whole({self._path(key): hashlib.sha256(data).digest() + data})
            self._make_room()

    def _path(self, key: str) -> Path:
        return self.folder / f"{digest_bytes(f'{program_digest()} {key}'.encode())}{_SUFFIX}"

    def _make_room(self) -> None:
        """Take away what was used longest ago; others may do so at the same time."""
        found = []
        for path in self.folder.glob(f"*{_SUFFIX}"):
            with suppress(OSError):
                status = path.stat()
                found.append((status.st_mtime_ns, status.st_size, path))
        newest = max((when for when, _, _ in found), default=0)
        for path in self.folder.glob(f".*{_SUFFIX}.*"):
            # Of a process that was killed while it wrote.
            with suppress(OSError):
                if newest - path.stat().st_mtime_ns > _ABANDONED_NS:
                    path.unlink()
        left = sum(size for _, size, _ in found)
        for _, size, path in sorted(found):
            if left <= self.most_bytes:
                return
            path.unlink(missing_ok=True)
            left -= size


@cache
def program_digest() -> str:
    """Of all text of the compiler: another version may find something else."""
    root = Path(__file__).parents[2]
    state = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        state.update(path.relative_to(root).as_posix().encode())
        state.update(hashlib.sha256(path.read_bytes()).digest())
    return state.hexdigest()


class _Pickler(pickle.Pickler):
    """Leaves out the network, which whoever reads has."""

    def persistent_id(self, obj: Any) -> str | None:
        return "run" if isinstance(obj, Run) else None


class _Unpickler(pickle.Unpickler):
    """Makes values of this compiler and nothing else."""

    def __init__(self, stream: io.BytesIO, run: Run) -> None:
        super().__init__(stream)
        self._run = run

    def persistent_load(self, pid: Any) -> Run:
        del pid
        return self._run

    def find_class(self, module_name: str, global_name: str) -> Any:
        found = super().find_class(module_name, global_name)
        # A name with dots, or one that is imported, would lead out of our modules.
        is_own = module_name.startswith(_OWN) and getattr(found, "__module__", "") == module_name
        if not (is_own and isinstance(found, type)) and (module_name, global_name) not in _PLAIN:
            raise pickle.UnpicklingError(f"{module_name}.{global_name} is no value of ours")
        return found
