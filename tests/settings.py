"""Settings as tests write them."""

from __future__ import annotations

from typing import Any

from core.base.frozen import field_names, replace
from core.ir.settings import Settings

_OWN = set(field_names(Settings))


def settings_with(settings: Settings | None = None, **named: Any) -> Settings:
    """Settings with other values of these fields, or of fields of their options."""
    base = settings or Settings()
    own = {name: named.pop(name) for name in _OWN & named.keys()}
    return replace(base, options=replace(base.options, **named), **own)
