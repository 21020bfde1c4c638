"""Timelines of two networks, one of them with cascades."""

from __future__ import annotations

import pytest

from tests.gui.views.timeline.watched import CASCADING, Watched


@pytest.fixture
def kws(qtbot):
    return Watched(qtbot, "kws_dscnn")


@pytest.fixture
def cascading(qtbot):
    name, settings = CASCADING
    return Watched(qtbot, name, **settings)
