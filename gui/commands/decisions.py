"""Commands that decide something about what is selected, and about what was decided."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from core.ir.edits import Living, WeightsAsked, What
from core.target.format import Format
from gui.commands.app import App
from gui.commands.command import Command, When
from gui.document.decisions import Deed
from gui.present.edits import deeds, offers
from gui.present.edits.deeds import Asked, Obstacle
from gui.present.edits.rows import State, edit_rows
from gui.views.cascades.view import CascadesView
from gui.views.edits.view import EditsView
from gui.views.memory.view import MemoryView
from gui.views.network.view import NetworkView
from gui.views.operators.view import OperatorsView
from gui.views.timeline.view import TimelineView
from gui.views.why.view import WhyView

MENU = ("Edit", "Decisions")
_SCOPES = tuple(
    kind.NAME
    for kind in (
        TimelineView,
        MemoryView,
        OperatorsView,
        NetworkView,
        CascadesView,
        WhyView,
        EditsView,
    )
)
"""Letters work while one of these has the focus."""

Make = Callable[[Asked], Deed | Obstacle]
List = Callable[[Asked], Sequence[offers.Offer] | Obstacle]


def commands() -> tuple[Command, ...]:
    """All of them, in the order of the menu."""
    return (
        *_maps(),
        *_cascades(),
        *_operators(),
        *_weights(),
        *_storage(),
        *_freezes(),
        *_wholes(),
    )


def _maps() -> tuple[Command, ...]:
    return (
        _deed(
            "keep",
            "Keep in fast storage",
            lambda a: deeds.lives(a, Living.FAST),
            "K",
            marks=offers.memories,
        ),
        _deed(
            "evict",
            "Move out of fast storage",
            lambda a: deeds.lives(a, Living.SLOW),
            "O",
            marks=offers.memories,
        ),
        _deed("free_memory", "Let the search decide the memory", _free(What.REGION)),
        _deed(
            "rows",
            "Store in rows",
            lambda a: offers.stored(a, Format.LINEAR),
            section=1,
            marks=offers.formats,
        ),
        _deed(
            "bricks",
            "Store in bricks",
            lambda a: offers.stored(a, Format.BRICKS),
            section=1,
            marks=offers.formats,
        ),
        _deed("free_format", "Let the search decide the format", _free(What.FORMAT), section=1),
        Command(
            id="edits.address",
            title="Put at an address...",
            menu=MENU,
            section=1,
            when=_when(lambda asked: deeds.placed(asked, 0)),
            run=_ask_address,
        ),
        _deed("free_address", "Let the search decide the address", _free(What.ADDRESS), section=1),
    )


def _cascades() -> tuple[Command, ...]:
    return (
        _deed("merge", "Run in one cascade, or with what follows", deeds.merged, "C", section=2),
        _deed("split", "End a cascade before this", deeds.split_before, "X", section=2),
        _deed(
            "alone",
            "Keep out of cascades",
            deeds.kept_out,
            "Shift+X",
            section=2,
            marks=offers.groupings,
        ),
        _deed("free_cascade", "Let the search decide cascades", _free(What.CASCADE), section=2),
    )


def _operators() -> tuple[Command, ...]:
    return (
        _deed("sooner", "Run sooner", deeds.run_sooner, "Alt+Shift+Left", section=3),
        _deed("later", "Run later", deeds.run_later, "Alt+Shift+Right", section=3),
        _deed(
            "free_order",
            "Let the search decide the order",
            _free(What.BEFORE, What.AFTER),
            section=3,
        ),
        _deed("cpu", "Run on the CPU", deeds.put_on_cpu, section=3),
        _choice(
            "stripe",
            "Stripe height...",
            offers.heights,
            offers.can_choose_height,
            "H",
            section=3,
        ),
        _deed(
            "higher",
            "Next higher stripe",
            lambda asked: deeds.stripe_stepped(asked, 1),
            "Alt+Up",
            section=3,
        ),
        _deed(
            "lower",
            "Next lower stripe",
            lambda asked: deeds.stripe_stepped(asked, -1),
            "Alt+Down",
            section=3,
        ),
        _choice("block", "Block...", offers.blocks, offers.can_choose_block, "B", section=3),
    )


def _weights() -> tuple[Command, ...]:
    return (
        *(
            _deed(
                f"weights.{name}",
                title,
                _buffered(count),
                section=4,
                marks=offers.buffers,
            )
            for count, (name, title) in enumerate(
                (
                    ("direct", "Weights without a buffer"),
                    ("one", "Weights through one buffer"),
                    ("two", "Weights through two buffers"),
                )
            )
        ),
        _deed(
            "weights.early",
            "Weights fetched early",
            lambda asked: deeds.fetched(asked, WeightsAsked(prefetch=True)),
            section=4,
            marks=offers.fetchings,
        ),
        _deed(
            "weights.late",
            "Weights not fetched early",
            lambda asked: deeds.fetched(asked, WeightsAsked(prefetch=False)),
            section=4,
            marks=offers.fetchings,
        ),
        _choice(
            "weights.slices",
            "Slices of weights...",
            offers.slices,
            offers.can_choose_slices,
            section=4,
        ),
        _deed("weights.free", "Let the search decide the weights", _free(What.WEIGHTS), section=4),
    )


def _buffered(count: int) -> Make:
    return lambda asked: deeds.fetched(asked, WeightsAsked(buffers=count))


def _storage() -> tuple[Command, ...]:
    return (
        Command(
            id="edits.reserve",
            title="Reserve fast storage...",
            menu=MENU,
            section=5,
            when=_when(lambda asked: deeds.reserved(asked, 0)),
            run=_ask_reserve,
        ),
    )


def _freezes() -> tuple[Command, ...]:
    """What was found becomes what is asked for, and back."""
    return (
        Command(
            id="edits.freeze",
            title="Freeze the selection as it is",
            menu=MENU,
            section=6,
            keys=("Shift+F", "P"),
            scopes=_SCOPES,
            when=_cheaply(lambda asked: deeds.can_freeze(asked, only_selected=True)),
            run=lambda app: _freeze(app, only_selected=True),
        ),
        Command(
            id="edits.freeze_all",
            title="Freeze everything as it is",
            menu=MENU,
            section=6,
            when=_cheaply(lambda asked: deeds.can_freeze(asked, only_selected=False)),
            run=lambda app: _freeze(app, only_selected=False),
        ),
        Command(
            id="edits.solve_alone",
            title="Solve only the selection anew",
            menu=MENU,
            section=6,
            keys=("Shift+U",),
            scopes=_SCOPES,
            when=_cheaply(lambda asked: deeds.can_freeze(asked, only_selected=True)),
            run=lambda app: _decide(app, deeds.solved_alone),
        ),
        _deed("thaw", "Thaw what was frozen", lambda a: deeds.thawed(a.document), section=6),
    )


def _wholes() -> tuple[Command, ...]:
    """About several edits at once."""
    return (
        _deed(
            "remove",
            "Let the search decide all about the selection",
            deeds.let_decide,
            "U",
            section=7,
        ),
        Command(
            id="edits.remove_all",
            title="Remove all edits",
            menu=MENU,
            section=7,
            keys=("Ctrl+Shift+Del",),
            when=_no_edits,
            run=lambda app: app.view(EditsView).remove_everything(),
        ),
        Command(
            id="edits.ignore",
            title="Ignore all edits for now",
            menu=MENU,
            section=7,
            keys=("Ctrl+Shift+L",),
            when=_no_edits,
            is_on=lambda app: app.store.document.ignores_edits,
            run=lambda app: app.view(EditsView).ignore_all(),
        ),
        Command(
            id="edits.search_anew",
            title="Search the rest anew",
            menu=MENU,
            section=7,
            when=_nothing_kept,
            run=lambda app: app.view(EditsView).price.search_rest_anew(),
        ),
        Command(
            id="edits.keep_shown",
            title="Edits keep what is shown",
            menu=MENU,
            section=7,
            is_on=lambda app: app.preferences.keeps_shown,
            run=_switch_keeping,
        ),
        Command(
            id="edits.next_refused",
            title="Next edit that was not honoured",
            menu=MENU,
            section=7,
            keys=("F8",),
            when=_none_refused,
            run=_go_to_refused,
        ),
    )


def _deed(
    name: str, title: str, make: Make, *keys: str, section: int = 0, marks: List | None = None
) -> Command:
    """A command that makes edits; its title names what it would do.

    Where it asks for one of a list of values, it is marked as long as the schedule has that value.
    """

    make = _Once(make)

    def label(app: App) -> str:
        found = _made(app, make)
        return "" if isinstance(found, str) else found.label

    def run(app: App) -> None:
        found = _made(app, make)
        if isinstance(found, Deed):
            app.store.decide(found)

    def is_so(app: App) -> bool:
        asked = _asked(app)
        if marks is None or isinstance(asked, str):
            return False
        listed, mine = marks(asked), make(asked)
        if isinstance(listed, str) or isinstance(mine, str):
            return False
        return any(each.is_applied and each.deed.new == mine.new for each in listed)

    return Command(
        id=f"edits.{name}",
        title=title,
        menu=MENU,
        section=section,
        keys=keys,
        scopes=_SCOPES if keys else (),
        when=_when(make),
        is_on=is_so if marks else None,
        label=label,
        deed=lambda app: _made(app, make),
        run=run,
    )


def _choice(
    name: str,
    title: str,
    make: Callable[[Asked], Sequence[offers.Offer] | Obstacle],
    obstacle: Callable[[Asked], Obstacle],
    *keys: str,
    section: int,
) -> Command:
    """A command that lets the user choose from a list, which is made when it is asked for."""

    def run(app: App) -> None:
        found = _made(app, make)
        if not isinstance(found, str):
            app.dialogs.offer(title.removesuffix("..."), found)

    return Command(
        id=f"edits.{name}",
        title=title,
        menu=MENU,
        section=section,
        keys=keys,
        scopes=_SCOPES,
        when=_cheaply(obstacle),
        run=run,
    )


def _asked(app: App) -> Asked | Obstacle:
    store = app.store
    return deeds.asked_of(store.document, store.answer, store.selection)


def _made(app: App, make: Callable[[Asked], deeds.Made]) -> deeds.Made | Obstacle:
    asked = _asked(app)
    return asked if isinstance(asked, str) else make(asked)


class _Once:
    """Makes something of what is asked once: a menu row wants its title, whether it can be, and
    whether it is so already."""

    def __init__(self, make: Make) -> None:
        self._make = make
        self._last: tuple[Asked, Deed | Obstacle] | None = None

    def __call__(self, asked: Asked) -> Deed | Obstacle:
        last = self._last
        if last is None or not _is_same(last[0], asked):
            self._last = last = asked, self._make(asked)
        return last[1]


def _is_same(one: Asked, other: Asked) -> bool:
    """Whether two are about the very same values."""
    return (
        one.document is other.document
        and one.answer is other.answer
        and one.selection == other.selection
    )


def _when(make: Make) -> When:
    def obstacle(app: App) -> str:
        found = _made(app, make)
        return found if isinstance(found, str) else ""

    return obstacle


def _cheaply(obstacle: Callable[[Asked], Obstacle]) -> When:
    return lambda app: _made(app, obstacle)


def _free(*whats: What) -> Make:
    return lambda asked: deeds.let_decide(asked, *whats)


def _freeze(app: App, *, only_selected: bool) -> None:
    found = _made(app, lambda asked: deeds.frozen(asked, only_selected=only_selected))
    if isinstance(found, Deed):
        app.store.decide(found)


def _ask_address(app: App) -> None:
    asked = _asked(app)
    if isinstance(asked, Asked):
        now = offers.address_now(asked)
        app.dialogs.ask_number(
            "Address in its memory, in bytes",
            now,
            lambda value: _decide(app, lambda it: deeds.placed(it, value)),
            step=offers.ADDRESS_STEP,
        )


def _ask_reserve(app: App) -> None:
    app.dialogs.ask_number(
        "Bytes of fast storage that others need",
        offers.RESERVE_BYTES,
        lambda value: _decide(app, lambda asked: deeds.reserved(asked, value)),
        step=offers.ADDRESS_STEP,
    )


def _decide(app: App, make: Make) -> None:
    found = _made(app, make)
    if isinstance(found, Deed):
        app.store.decide(found)


def _no_edits(app: App) -> str:
    return "" if app.store.document.edits else "there are no edits"


def _nothing_kept(app: App) -> str:
    kept = app.store.document.around
    return "" if kept is not None else "nothing is kept as it was shown: edits are in the search"


def _switch_keeping(app: App) -> None:
    kept = app.preferences
    app.prefer(kept.with_keeping(keeps=not kept.keeps_shown))


_NOT_AS_ASKED = (State.REFUSED, State.CHANGED, State.ORPHAN)


def _none_refused(app: App) -> str:
    if told := _no_edits(app):
        return told
    rows = edit_rows(app.store.document, app.store.answer)
    return "" if any(row.state in _NOT_AS_ASKED for row in rows) else "all edits are honoured"


def _go_to_refused(app: App) -> None:
    app.panels.show_panel(EditsView.NAME)
    app.view(EditsView).pick_next(_NOT_AS_ASKED)
