"""A better schedule that waits for the hand to leave the picture."""

from __future__ import annotations

from collections.abc import Callable

from gui.document.answer import Answer


def _never() -> bool:
    return False


class Better:
    """What the search has found of the document that is shown, and is not on the screen yet."""

    def __init__(self, announce: Callable[[], None], show: Callable[[Answer], None]) -> None:
        self._announce = announce
        self._show = show
        self.answer: Answer | None = None
        """None where what is on the screen is the newest."""
        self.is_picture_held: Callable[[], bool] = _never
        """Whether the user has a hand on the picture; who knows the pointer says it."""

    def offer(self, answer: Answer) -> None:
        """Show it, or keep it until somebody asks for it or nobody has a hand on the picture."""
        if self.is_picture_held():
            self.answer = answer
            self._announce()
        else:
            self._show(answer)

    def show(self) -> None:
        """Put what waits on the screen."""
        if self.answer is not None:
            self._show(self.answer)

    def forget(self) -> None:
        """Something else is asked or shown: what waits is not about that."""
        if self.answer is not None:
            self.answer = None
            self._announce()
