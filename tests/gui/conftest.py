"""What tests of the app share: answers of the compiler, and stores that show them."""

from __future__ import annotations

import pytest

from tests.gui import answers
from tests.gui.apart import garbage_is_collected_between_tests, no_key_stays_held

__all__ = ["garbage_is_collected_between_tests", "no_key_stays_held"]


@pytest.fixture(scope="session")
def answer_of():
    """`answer_of(example, **settings)`: see tests/gui/answers.py."""
    return answers.answer_of


@pytest.fixture
def store_with():
    """`store_with(answer)`: a fresh store that shows an answer."""
    return answers.store_with


@pytest.fixture
def kws_store():
    """A store that shows a small network."""
    return answers.store_with(answers.answer_of("kws_dscnn"))


@pytest.fixture
def unet_store():
    """A store that shows a network with evictions: dedicated SRAM, and too little of it."""
    return answers.store_with(
        answers.answer_of("unet_128", accelerator="ethos-u65-256", limit_bytes=128 << 10)
    )
