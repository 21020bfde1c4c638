"""What is about to be written, held against what is read and what is there already."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Hashable, Iterable
from pathlib import Path

from core.base.errors import OptionError
from core.base.files import demand_place, told
from core.base.forms import Form
from core.base.frozen import Frozen

FORCE = "--force replaces it"
"""How commands go on where a file of another kind is in the way."""
_HEAD_BYTES = 1 << 16


class Output(Frozen):
    """A file that will be written."""

    path: Path
    form: Form

    def is_foreign(self) -> bool:
        """Whether a file is there with something else than what will be in it."""
        with told(self.path):
            if not self.path.is_file():
                return False
            with self.path.open("rb") as stream:
                head = stream.read(_HEAD_BYTES)
        return bool(head) and not self.form.begins(head)


def demand_outputs(
    outputs: Iterable[Output],
    inputs: Iterable[Path],
    *,
    replaces: bool = False,
    way_on: str = "choose another name",
) -> None:
    """Refuse, before any work is done, what cannot be written and what would lose a file.

    `replaces` is said by users who know that a file of another kind is there.
    """
    read = {_identity(path): path for path in inputs}
    written: dict[Hashable, Path] = {}
    for output in outputs:
        path = output.path
        demand_place(path)
        identity = _identity(path)
        if identity is None:
            continue
        if identity in read:
            raise OptionError(f"{path}: is {read[identity]}, which is read and would be lost")
        if identity in written:
            raise OptionError(f"{path}: is asked for twice, also as {written[identity]}")
        written[identity] = path
        if not replaces and output.is_foreign():
            raise OptionError(f"{path}: is there and is no {output.form.title} file; {way_on}")


def _identity(path: Path) -> Hashable:
    """The same for all paths of one file, also of one that is not there yet; None of a device."""
    final = Path(os.path.realpath(path))
    try:
        found = final.stat()
    except OSError:
        return _unborn(final)
    if not final.is_file():
        return None
    return found.st_dev, found.st_ino


def _unborn(final: Path) -> Hashable:
    """The folder and the name; its letter case where that makes a difference."""
    try:
        folder = final.parent.stat()
    except OSError:
        return str(final)
    name = final.name
    if _folds_case(final.parent):
        name = unicodedata.normalize("NFC", name).casefold()
    return folder.st_dev, folder.st_ino, name


def _folds_case(folder: Path) -> bool:
    """Whether a folder takes names in another letter case for the same, tried on one it has."""
    try:
        known = next((each for each in folder.iterdir() if _turned(each) != each), folder)
        return known.samefile(_turned(known))
    except (OSError, ValueError):
        return False


def _turned(path: Path) -> Path:
    return path.with_name(path.name.swapcase())
