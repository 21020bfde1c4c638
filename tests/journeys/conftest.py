"""The real window for every test of this folder."""

from __future__ import annotations

from tests.gui.apart import garbage_is_collected_between_tests, no_key_stays_held
from tests.gui.running import open_app, open_app_once

__all__ = ["garbage_is_collected_between_tests", "no_key_stays_held", "open_app", "open_app_once"]
