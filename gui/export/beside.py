"""Files that a report's command line names, written beside it; no Qt."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from core.api import edits, notes
from core.base.digest import digest_bytes
from core.base.errors import OptionError
from core.base.files import as_utf8, read_bytes
from core.base.forms import Form
from core.base.outputs import Output
from core.ir import knobs
from gui.document.document import Document
from gui.document.wares import Ware, file_name
from gui.export.orders import Order

_DIGITS = 8


def files_beside(document: Document, order: Order, path: Path) -> dict[Path, bytes]:
    """The edits and notes of a report at a path, but for those that are there already.

    What they say is in their names: other edits are another file, and an older report's stay.
    """
    found = dict(_named(document, order, path).values())
    return {own: content for own, content in found.items() if not _is_there(own, content)}


def outputs_beside(document: Document, order: Order, path: Path) -> tuple[Output, ...]:
    """The same as outputs, before anything is made."""
    found = files_beside(document, order, path)
    return tuple(Output(path=own, form=Form.JSON) for own in found)


def command_of(document: Document, order: Order, path: Path) -> tuple[str, ...]:
    """The words that make a report again, where the model and what is beside the report are."""
    model = document.model
    if model is None:
        return ()
    asked = document.asked
    configs = (word for config in asked.configs for word in ("--config", config))
    named = _named(document, order, path).items()
    others = (word for each in document.company.models for word in ("--with", each.name))
    calls = ("--calls", document.company.calls.value) if document.company.models else ()
    files = (word for option, (own, _) in named for word in (option, own.name))
    # What a report is called makes no other report of it.
    output = file_name(model.name, order.ware, order.form)
    words = (*knobs.command_line(asked), *configs, *others, *calls, *files, "-o", output)
    return ("reefpoint", "report", model.name, *words)


def _named(document: Document, order: Order, path: Path) -> Mapping[str, tuple[Path, bytes]]:
    """By option: a file and its content."""
    if order.ware is not Ware.REPORT or document.model is None:
        return {}
    found: dict[str, tuple[Path, bytes]] = {}
    taken = document.asked.options.edits
    if taken:
        file = edits.EditsFile(edits=taken, model=document.model.digest)
        found["--edits"] = _beside(path, "edits", edits.encode(file))
    if order.notes:
        found["--notes"] = _beside(path, "notes", notes.encode(order.notes))
    return found


def _beside(path: Path, what: str, text: str) -> tuple[Path, bytes]:
    content = as_utf8(text)
    name = f"{path.stem}.{what}-{digest_bytes(content)[:_DIGITS]}.json"
    return path.with_name(name), content


def _is_there(path: Path, content: bytes) -> bool:
    if not path.exists():
        return False
    if read_bytes(path) != content:
        raise OptionError(f"{path}: is there and says something else; choose another name")
    return True
