"""The door to targets: accelerators, and the configurations of systems around them."""

from __future__ import annotations

from core.target.config import load as load_configs
from core.target.registry import ACCELERATORS
from core.target.resolve import resolve as resolve_target

__all__ = ["ACCELERATORS", "load_configs", "resolve_target"]
