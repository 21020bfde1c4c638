"""The main window; so far it says what the app is and where its work can be had today."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QMainWindow

_ABOUT = """\
Reefpoint shows how a network fits an Arm Ethos-U NPU's SRAM.

This window is not built yet. The command line works:

    python main.py inspect {model}
"""


def build(argv: Sequence[str]) -> QMainWindow:
    """The main window for a command line; nothing is shown yet."""
    model = argv[0] if argv and not argv[0].startswith("-") else "MODEL.tflite"
    label = QLabel(_ABOUT.format(model=model))
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    label.setMargin(24)
    window = QMainWindow()
    window.setWindowTitle("Reefpoint")
    window.setCentralWidget(label)
    return window


def run(argv: Sequence[str]) -> int:
    """Show the window until it is closed; the app's exit code."""
    app = QApplication(["reefpoint"])
    window = build(argv)
    window.show()
    return app.exec()
