"""The real window for every test of this folder."""

from __future__ import annotations

from tests.gui.running import app_again, one_window, open_app

__all__ = ["app_again", "one_window", "open_app"]
