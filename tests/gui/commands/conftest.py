"""The real window for every test of this folder."""

from __future__ import annotations

from tests.gui.running import open_app

__all__ = ["open_app"]
