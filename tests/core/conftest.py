"""What tests of the compiler run under beside all others."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from core.cli import output


@pytest.fixture(autouse=True)
def no_time_passes_for_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands say where they are after a while: on a busy machine where a test expects nothing."""
    monkeypatch.setattr(output, "time", SimpleNamespace(monotonic=lambda: 0.0))
