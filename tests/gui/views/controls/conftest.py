"""Controls that are shown, by themselves and of a network with a limit."""

from __future__ import annotations

import pytest

from gui.views.controls.view import ControlsView
from tests.gui.exposed import exposed


@pytest.fixture
def show(qtbot):
    def make(store):
        view = exposed(qtbot, ControlsView(store), 340, 800)
        view.activateWindow()
        return view

    return make


@pytest.fixture
def unet(unet_store, show):
    return show(unet_store)
