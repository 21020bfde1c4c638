"""The document: a model and what is asked for it. One frozen value; undo is an older one."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from core.ir.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRef:
    """A model file as it was when it was read."""

    path: str
    digest: str
    """Of its bytes: a file that changed on disk is another model."""

    @property
    def name(self) -> str:
        """The file's name."""
        return Path(self.path).name


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """What the user has opened and asked for."""

    model: ModelRef | None = None
    settings: Settings = field(default_factory=Settings)
