"""Choices that somebody looks at, and what each would come to, as far as that was tried."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gui.document.document import Document
from gui.document.trial import Trial

MOST_KNOWN = 400
"""Of all lists that are opened around one schedule."""


class Trials:
    """What views want tried; it tells whoever follows the store when more is wanted or known."""

    def __init__(self, announce: Callable[[], None]) -> None:
        self._announce = announce
        self._wanted: tuple[Document, ...] = ()
        self._ground: Document | None = None
        """What all trials that are known differ from by edits alone."""
        self._known: dict[object, Trial | None] = {}
        self.held: Document | None = None
        """What comes of letting go of what is dragged."""
        self.searched: Document | None = None
        """What is asked for without what was adopted: a search of its own."""
        self.found: Trial | None = None
        """What that comes to."""

    def want(self, documents: Iterable[Document | None]) -> None:
        """Have these tried, the first first; those that nothing is kept around would each be a
        search of its own, and are not."""
        self._wanted = tuple(each for each in documents if each is not None and each.ground)
        if self._wanted:
            ground = self._wanted[0].with_edits(())
            if ground != self._ground or len(self._known) > MOST_KNOWN:
                self._ground, self._known = ground, {}
        if self.missing:
            self._announce()

    def hold(self, document: Document | None) -> None:
        """Something is dragged, to be let go where this comes of it; or nothing."""
        if document != self.held:
            self.held = document
            self._wanted = ()
            self.want([document])
            self._announce()

    def search(self, document: Document | None) -> None:
        """Have this searched, after all that somebody looks at; or nothing."""
        if document != self.searched:
            self.searched, self.found = document, None
            self._announce()

    @property
    def missing(self) -> tuple[Document, ...]:
        """What is still to be tried."""
        wanted = tuple(each for each in self._wanted if each.edits not in self._known)
        if self.searched is None or self.found is not None:
            return wanted
        return (*wanted, self.searched)

    def put(self, document: Document, trial: Trial | None) -> None:
        """Keep what was tried; None where it has no answer."""
        if document == self.searched:
            self.found = trial
        else:
            self._known[document.edits] = trial
        self._announce()

    def of(self, document: Document | None) -> Trial | None:
        """What a choice comes to, where that is known."""
        return None if document is None else self._known.get(document.edits)
