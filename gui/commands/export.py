"""Commands that hand work over."""

from __future__ import annotations

from gui.commands.app import App
from gui.commands.command import Command
from gui.document.wares import Ware
from gui.present.compiled import is_compiled

_SECTION = 2
_NEEDS_SCHEDULE = {
    Ware.MODEL: "what is open is a compiled model already",
    Ware.SCHEDULE: "a compiled model does not tell the schedule that it was made from",
    Ware.NODES: "a compiled model has no source operators any more",
}


def commands() -> tuple[Command, ...]:
    """All of them, in the order of the menu."""
    return (
        _export("file.export_model", Ware.MODEL, 0, ("Ctrl+E",)),
        _export("file.report", Ware.REPORT, 1, ("Ctrl+Shift+E",)),
        _export("file.export_page", Ware.PAGE, 1, ()),
        _export("file.export_picture", Ware.PICTURE, 1, ()),
        _export("file.export_summary", Ware.SUMMARY, 2, ()),
        _export("file.export_layers", Ware.LAYERS, 2, ()),
        _export("file.export_schedule", Ware.SCHEDULE, 2, ()),
        _export("file.export_trace", Ware.TRACE, 2, ()),
        _export("file.export_nodes", Ware.NODES, 2, ()),
        _export("file.export_sweep", Ware.SWEEP, 2, ()),
        _written("file.open_written", "Open what was written last", in_folder=False),
        _written("file.show_written", "Show in its folder what was written last", in_folder=True),
    )


def _export(name: str, ware: Ware, group: int, keys: tuple[str, ...]) -> Command:
    return Command(
        id=name,
        title=f"{ware.value}...",
        menu=("File", "Export"),
        # In the menu above, all of them are one line behind those of sessions.
        section=_SECTION + group,
        keys=keys,
        when=lambda app: _obstacle(app, ware),
        run=lambda app: app.exports.ask(ware),
    )


def _written(name: str, title: str, *, in_folder: bool) -> Command:
    return Command(
        id=name,
        title=title,
        menu=("File", "Export"),
        section=_SECTION + 3,
        when=lambda app: "" if app.exports.written else "nothing was written yet",
        run=lambda app: app.exports.open_written(in_folder=in_folder),
    )


def _obstacle(app: App, ware: Ware) -> str:
    if app.store.answer is None:
        return "there is no schedule yet"
    if is_compiled(app.store.answer) and ware in _NEEDS_SCHEDULE:
        return _NEEDS_SCHEDULE[ware]
    if ware is Ware.SWEEP and app.store.swept.shown is None:
        return "no sweep is shown"
    return "" if app.store.is_current else "the schedule is of what was asked before"
