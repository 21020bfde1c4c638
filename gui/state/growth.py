"""Whether the best search goes on by itself."""

from __future__ import annotations

from collections.abc import Callable


class Growth:
    """Stopped or not; it tells whoever follows the store."""

    def __init__(self, announce: Callable[[], None]) -> None:
        self._announce = announce
        self._is_stopped = False

    @property
    def is_stopped(self) -> bool:
        """The front goes no further until somebody lets it go on."""
        return self._is_stopped

    def switch(self) -> None:
        """Stop it, or let it go on."""
        self._is_stopped = not self._is_stopped
        self._announce()
