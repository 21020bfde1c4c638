"""Controls that are shown, by themselves and of a network with a limit."""

from __future__ import annotations

import pytest

from gui.views.controls.view import ControlsView


@pytest.fixture
def show(qtbot):
    def make(store):
        view = ControlsView(store)
        qtbot.addWidget(view)
        view.resize(340, 800)
        with qtbot.waitExposed(view):
            view.show()
        view.activateWindow()
        return view

    return make


@pytest.fixture
def unet(unet_store, show):
    return show(unet_store)
