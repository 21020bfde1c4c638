"""Answers of the compiler to show in tests: each is worked out once in a session."""

from __future__ import annotations

import time
from functools import cache
from pathlib import Path
from typing import Any

from core.base.digest import digest_bytes
from core.ir.options import Search
from core.ir.settings import Settings
from gui.document.answer import Answer
from gui.document.document import Document, ModelRef
from gui.jobs.desk import Desk
from gui.state.store import Store
from tests import shared
from tests.settings import settings_with

EXAMPLES = Path(__file__).parents[2] / "resources" / "examples"


def model_path(name: str) -> Path:
    """An example by its name; else a shared model by the beginning of its name."""
    example = EXAMPLES / f"{name}.tflite"
    if example.exists():
        return example
    found = sorted(shared.SHARED.glob(f"models/{name}*.tflite"))
    return found[0] if found else shared.need(f"models/{name}.tflite")


def model_ref(path: Path) -> ModelRef:
    """A model file as it is now."""
    return ModelRef(path=str(path), digest=digest_bytes(path.read_bytes()))


def document_of(name: str, **settings: Any) -> Document:
    """A document that asks for a model with these settings, which are fields of `Settings`.

    Views have to show whatever was found, and tests of them name what that is: so they ask for the
    search that always finds the same.
    """
    asked = {"search": Search.COMPATIBLE} | settings
    return Document(model=model_ref(model_path(name)), settings=settings_with(**asked))


def answer_of(name: str, **settings: Any) -> Answer:
    """The compiler's answer to such a document; the same object for the same question."""
    return answer_to(document_of(name, **settings))


def store_with(answer: Answer) -> Store:
    """A store that shows an answer to its own document."""
    store = Store(answer.document)
    store.set_answer(answer)
    return store


def arrive(store: Store, answer: Answer) -> None:
    """An answer comes, and all views have their turns to show it."""
    store.set_answer(answer)
    store.turns.finish()


def adopting(document: Document, settings: Settings) -> Document:
    """The document that decides what some settings find."""
    return _DESK.adopting(document, settings)


_DESK = Desk()


@cache
def answer_to(document: Document) -> Answer:
    """The same for any document."""
    begin = time.perf_counter()
    solution = _DESK.solve(document)
    return Answer(
        number=answer_to.cache_info().currsize + 1,
        document=document,
        scheduled=solution.scheduled,
        analysis=solution.analysis,
        seconds=time.perf_counter() - begin,
        unlimited_bytes=solution.unlimited_bytes,
    )
