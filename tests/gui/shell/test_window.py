"""The window opens; where a system library is missing, the app says which."""

from __future__ import annotations

import sys

import pytest

from gui.shell import bootstrap


@pytest.fixture
def window(request):
    """The window's module with a running Qt; without the system libraries there is none to test."""
    try:
        from gui.shell import window as module  # noqa: PLC0415 - loading it is what is tested
    except ImportError as error:
        told = bootstrap.explain(error)
    else:
        request.getfixturevalue("qtbot")
        return module
    assert "apt-get install" in told
    pytest.skip(told)


def test_the_window_names_the_model_and_a_command_that_works(window, request):
    shown = window.build(["net.tflite"])
    request.getfixturevalue("qtbot").addWidget(shown)
    shown.show()
    assert shown.windowTitle() == "Reefpoint"
    assert "python main.py inspect net.tflite" in shown.centralWidget().text()


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="None is immortal from 3.12 on")
def test_qt_gives_back_the_references_to_none_that_it_takes(window, request):
    # PySide6 6.12.0 loses one on every call that returns None, and aborts after some thousand.
    shown = window.build([])
    request.getfixturevalue("qtbot").addWidget(shown)
    label = shown.centralWidget()
    before = sys.getrefcount(None)
    for index in range(1000):
        label.setText(str(index))
    assert abs(sys.getrefcount(None) - before) < 500
