"""Pictures as the process that exports draws them, with the test's own application."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QPalette

from gui.export.studio import QtStudio


@pytest.fixture(scope="module")
def studio(qapp):
    """The studio; style, font and palette are put back."""
    font, palette, style = qapp.font(), QPalette(qapp.palette()), qapp.style().name()
    yield QtStudio()
    qapp.setStyle(style)
    qapp.setFont(font)
    qapp.setPalette(palette)
