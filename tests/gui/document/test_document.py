"""Documents are values: equal where they ask for the same, and fit to be keys."""

from __future__ import annotations

import pickle

import pytest

from core.base.errors import OptionError
from core.ir.options import (
    Options,
)
from core.ir.settings import Settings
from gui.document.changes import ChangeSet, Part
from gui.document.display import Span
from gui.document.document import Document, ModelRef
from gui.document.selection import NOTHING_SELECTED, CascadeRef, Selection


def test_settings_mean_what_the_command_line_means_by_default():
    target = Settings().target()
    assert target.accelerator.name == "ethos-u55-256"
    assert target.mode.name == "Shared_Sram"
    assert Settings().options == Options()


def test_settings_of_a_target_ask_for_it_again():
    for settings in (
        Settings(),
        Settings(accelerator="ethos-u65-512", memory_mode="Dedicated_Sram", limit_bytes=1 << 16),
    ):
        target = settings.target()
        assert Settings.of(target, settings.options).target() == target


def test_the_target_has_what_was_asked(tmp_path):
    config = tmp_path / "more.ini"
    config.write_text("[Memory_Mode.Mine]\ninherit = Memory_Mode.Dedicated_Sram_256KB\n")
    settings = Settings(
        accelerator="ethos-u65-512",
        system_config="Ethos_U65_High_End",
        memory_mode="Mine",
        configs=(str(config),),
    )
    target = settings.target()
    assert (target.accelerator.name, target.system.name) == ("ethos-u65-512", "Ethos_U65_High_End")
    assert (target.mode.name, target.fast_limit_bytes) == ("Mine", 256 << 10)
    with pytest.raises(OptionError, match="unknown memory mode"):
        Settings(memory_mode="Mine").target()


def test_a_config_file_that_changes_changes_the_target(tmp_path):
    config = tmp_path / "more.ini"
    text = "[Memory_Mode.Mine]\ninherit = Memory_Mode.Shared_Sram\narena_cache_size = {}\n"
    config.write_text(text.format(1024))
    settings = Settings(memory_mode="Mine", configs=(str(config),))
    assert settings.target().fast_limit_bytes == 1024
    assert settings.target() is settings.target()
    config.write_text(text.format(65536))
    assert settings.target().fast_limit_bytes == 65536
    config.unlink()
    with pytest.raises(OptionError, match="No such file"):
        settings.target()


def test_documents_are_keys_and_can_be_sent():
    document = Document(model=ModelRef(path="/a/b.tflite", digest="1"), settings=Settings())
    copy = pickle.loads(pickle.dumps(document))
    assert copy == document
    assert {document: 1}[copy] == 1
    assert document.model.name == "b.tflite"
    assert Document(model=ModelRef(path="/a/b.tflite", digest="2")) != document


def test_a_change_has_parts():
    change = ChangeSet(frozenset({Part.ANSWER, Part.SPAN}), "timeline")
    assert change.has(Part.ANSWER)
    assert change.has(Part.DOCUMENT, Part.SPAN)
    assert not change.has(Part.DOCUMENT, Part.JOB)


def test_a_selection_of_the_first_of_its_kind_is_not_empty():
    assert NOTHING_SELECTED.is_empty
    assert not Selection(op=0).is_empty
    assert not Selection(cpu_op=0).is_empty
    assert not Selection(cascade=CascadeRef(0, 0)).is_empty
    assert Span(start_cycle=2.0, end_cycle=5.0).cycles == 3.0
