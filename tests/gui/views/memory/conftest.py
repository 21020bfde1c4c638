"""Memory views of networks."""

from __future__ import annotations

import pytest

from gui.state.store import Store
from gui.views.memory.view import MemoryView
from tests.gui.exposed import exposed


@pytest.fixture
def show(qtbot, answer_of, store_with):
    """`show(example, settings)`: a store and the view of it."""

    def make(name: str, settings: dict, size=(1280, 800)) -> tuple[Store, MemoryView]:
        store = store_with(answer_of(name, **settings))
        return store, exposed(qtbot, MemoryView(store), *size)

    return make
