"""Fronts in a folder, so that the next start begins where the last one ended.

A file is named by a digest of all that its front depends on, this program's own text among that,
and sealed under that name. It takes its name when it is whole; one that is damaged, or that nobody
can read or write, is as if it were not there: nothing is lost but time. Where others can write,
nothing is taken and nothing is put.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

from core.base.digest import digest_bytes
from core.base.errors import CoreError, InputError
from core.base.files import write_whole
from core.base.frozen import Frozen
from core.base.private import demand_private, made_private, private_file, read_private

OFF = "off"
VARIABLE = "REEFPOINT_CACHE"
"""A folder for fronts, or `off`."""
_MOST_BYTES = 256 << 20
_SUFFIX = ".front"
_ABANDONED_NS = 3600 * 10**9
_FAST = 1


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
    """A folder of bytes by digests; those used longest ago go when there are too many."""

    folder: Path
    most_bytes: int = _MOST_BYTES

    @property
    def refusal(self) -> str:
        """Why nothing is kept in a folder that is there; nothing where it is."""
        try:
            demand_private(self.folder)
        except InputError as error:
            return str(error)
        except OSError:
            return ""
        return ""

    def find(self, key: str, most_bytes: int) -> bytes | None:
        """What is kept under a digest, where it is no more than it can be."""
        path = self._path(key)
        try:
            demand_private(self.folder)
            data = read_private(path, self.most_bytes)
            length = hashlib.sha256().digest_size
            if _seal(path, data[length:]) != data[:length]:
                return None
            # It is not known how much it is before it is there.
            found = zlib.decompressobj().decompress(data[length:], most_bytes + 1)
        except (OSError, CoreError, zlib.error):
            return None
        with suppress(OSError):
            os.utime(path)
        return found if len(found) <= most_bytes else None

    def put(self, key: str, value: bytes, most_bytes: int) -> None:
        """Keep what there is under a digest; where that cannot be, it is not kept."""
        path, data = self._path(key), zlib.compress(value, _FAST)
        if len(value) > most_bytes or len(data) > self.most_bytes:
            return
        with suppress(OSError, CoreError):
            made_private(self.folder)
            write_whole({path: _seal(path, data) + data})
            private_file(path)
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


def _seal(path: Path, data: bytes) -> bytes:
    """Of what a file has under its name: under another it is not taken for what it is not."""
    return hashlib.sha256(path.name.encode() + b"\0" + data).digest()


@cache
def program_digest() -> str:
    """Of all text of the compiler: another version may find something else."""
    root = Path(__file__).parents[2]
    state = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        state.update(path.relative_to(root).as_posix().encode())
        state.update(hashlib.sha256(path.read_bytes()).digest())
    return state.hexdigest()
