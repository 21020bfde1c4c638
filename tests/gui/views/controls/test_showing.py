"""The controls show what is asked, what was applied, and what they cannot know."""

from __future__ import annotations

from PySide6.QtWidgets import QScrollArea

from core.base.frozen import replace
from core.ir.options import (
    Allocator,
    Search,
    Strategy,
)
from core.ir.settings import Settings
from gui.document.changes import Part
from gui.document.display import ByteUnit, Display
from gui.document.document import Document
from gui.present.controls import applied
from gui.state.store import Store
from gui.theme.tones import DARK
from tests.gui.answers import answer_of, arrive, store_with
from tests.gui.views.controls.handling import KIB, choose, limited, settings_of
from tests.settings import settings_with


def test_what_was_applied_stands_beside_what_is_asked(unet):
    answer = unet._store.answer
    expected = applied(answer)
    assert {field: row.applied.text for field, row in unet.rows.items()} == {
        field: expected[field] for field in unet.rows
    }
    assert expected["system_config"] == "Ethos_U65_Client_Server"
    assert unet._heads[1].text() == "Applied"
    choose(unet.boxes["strategy"], Strategy.SIZE)
    assert unet._heads[1].text() == "Applied before"
    assert unet.rows["strategy"].applied.text == "Performance"
    assert unet.rows["strategy"]._is_older
    assert not unet.rows["allocator"]._is_older
    assert "before this change" in unet.limit.verdict.text()


def test_the_verdict_has_colour_and_text(show):
    answer = answer_of("unet_128", strategy=Strategy.SIZE, limit_bytes=64 * KIB)
    view = show(store_with(answer))
    area = answer.scheduled.layout.areas[0]
    assert area.excess_bytes
    numbers = {value.accessibleName(): value.text() for value in view.limit.numbers.values()}
    assert numbers["Limit"] == "64 KiB"
    assert numbers["Required"] == f"{area.height_bytes / KIB:,.2f}".rstrip("0").rstrip(".") + " KiB"
    assert view.limit.verdict.text().startswith("✗ ")
    theme = view._store.theme
    assert view.limit.verdict.palette().windowText().color().name() == theme.danger
    fitting = show(store_with(answer_of("kws_dscnn")))
    assert fitting.limit.verdict.text() == "✓ fits"
    assert fitting.limit.verdict.palette().windowText().color().name() == theme.good


def test_knobs_without_effect_say_so(show):
    view = show(store_with(answer_of("kws_dscnn")))
    spill = view.rows["eviction"].effect
    assert spill.isVisible()
    assert spill.text() == "no effect: in Shared_Sram, feature maps never leave fast storage"
    assert view.limit.effect.text().startswith("no effect: everything fits in ")
    assert "no effect" in view.limit.slider.bar.accessibleDescription()
    assert view.rows["effort"].effect.isVisible()
    choose(view.boxes["search"], Search.BEST)
    assert not view.rows["effort"].effect.isVisible()
    choose(view.boxes["strategy"], Strategy.SIZE)
    assert "whatever the limit" in view.limit.effect.text()


def test_an_empty_store_is_shown_quietly(show):
    view = show(Store())
    assert view.limit.verdict.text() == "no schedule yet"
    assert view._heads[1].text() == ""
    assert all(row.applied.text == "" for row in view.rows.values())


def test_settings_that_name_no_target_say_why(show):
    view = show(Store(Document(settings=Settings(memory_mode="Shared_Ram"))))
    assert "did you mean 'Shared_Sram'" in view.rows["memory_mode"].error.text()
    assert view.boxes["memory_mode"].currentIndex() == -1
    choose(view.boxes["memory_mode"], "Shared_Sram")
    assert settings_of(view).memory_mode == "Shared_Sram"
    assert not view.rows["memory_mode"].error.isVisible()


def test_other_units_and_colours_are_taken_up(unet):
    unet._store.set_display(Display(byte_unit=ByteUnit.BYTES))
    assert unet.limit.numbers["Limit"].text() == "131,072 B"
    unet._store.set_theme(DARK)
    assert unet.limit.verdict.palette().windowText().color().name() == DARK.good


def test_an_edit_by_others_is_shown(unet):
    store = unet._store
    changed = settings_with(settings_of(unet), limit_bytes=64 * KIB, allocator=Allocator.LINEAR)
    store.edit(replace(store.document, settings=changed), "elsewhere", initiator="command")
    store.turns.finish()
    assert unet.limit.field.text() == "64K"
    assert unet.limit.slider.bar.limit_bytes == 64 * KIB
    assert unet.boxes["allocator"].value is Allocator.LINEAR


def test_one_edit_is_one_signal(unet):
    changes = []
    unet._store.changed.connect(changes.append)
    choose(unet.boxes["allocator"], Allocator.GREEDY)
    assert [change.parts for change in changes] == [frozenset({Part.DOCUMENT})]


def places(view):
    return {
        name: box.mapTo(view, box.rect().topLeft())
        for name, box in view.boxes.items()
        if box.isVisible()
    }


def test_nothing_moves_under_the_pointer_when_a_knob_loses_its_effect(unet):
    before = places(unet)
    assert unet.rows["effort"].effect.isVisible()
    choose(unet.boxes["search"], Search.BEST)
    unet.grab()
    assert not unet.rows["effort"].effect.isVisible()
    assert places(unet) == before
    told = unet.limit.effect.text()
    choose(unet.boxes["memory_mode"], "Shared_Sram")
    choose(unet.boxes["strategy"], Strategy.SIZE)
    unet.grab()
    assert unet.limit.effect.text() != told
    assert places(unet) == before


def test_the_limit_stays_in_sight_while_the_rest_scrolls(show):
    view = show(store_with(answer_of("kws_dscnn")))
    view.resize(340, 420)
    view.grab()
    bar = view.findChild(QScrollArea).verticalScrollBar()
    before = view.limit.mapTo(view, view.limit.rect().topLeft())
    assert bar.maximum() > 0
    bar.setValue(bar.maximum())
    assert view.limit.mapTo(view, view.limit.rect().topLeft()) == before
    assert not view.limit.visibleRegion().isEmpty()
    assert view.limit.visibleRegion().boundingRect() == view.limit.rect()


def test_out_of_sight_nothing_is_written_and_what_was_learnt_is_kept(unet):
    store, before = unet._store, unet.limit.numbers["Required"].text()
    unet.hide()
    changed = settings_with(settings_of(unet), limit_bytes=64 * KIB)
    store.edit(replace(store.document, settings=changed), "elsewhere")
    arrive(store, limited(64))
    assert unet.limit.field.text() == "128K"
    assert unet.limit.numbers["Required"].text() == before
    assert unet.lacks_answer
    unet.show()
    assert unet.limit.field.text() == "64K"
    assert unet.limit.numbers["Limit"].text() == "64 KiB"
    assert [trial.limit_bytes for trial in unet.trials.tried(store.document)] == [
        64 * KIB,
        128 * KIB,
    ]


def test_what_is_refused_out_of_sight_is_told_in_sight(unet):
    unet.hide()
    unet.ask_limit("many")
    unet.ask("allocator", Allocator.GREEDY)
    assert settings_of(unet).options.allocator is Allocator.GREEDY
    unet.ask_limit("4 many")
    assert not unet.limit.error.text()
    unet.show()
    assert unet.boxes["allocator"].value is Allocator.GREEDY
    assert "4 many" in unet.limit.error.text()
