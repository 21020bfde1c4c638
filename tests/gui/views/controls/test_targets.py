"""Targets and strategies are chosen, and what cannot be is refused at its place."""

from __future__ import annotations

from PySide6.QtCore import Qt

from core.api import targets
from tests.core.target.test_mlops import INI, TEXT
from tests.gui.views.controls.handling import choose, settings_of


def test_every_choice_of_the_catalogue_is_offered(unet):
    catalogue = targets.load_configs()
    boxes = unet.boxes

    def offered(field):
        return [choice.value for choice in boxes[field]._choices]

    assert offered("accelerator") == list(targets.ACCELERATORS)
    assert offered("system_config") == [None, *catalogue.system_configs]
    assert offered("memory_mode") == [None, *catalogue.memory_modes]


def test_a_target_that_cannot_be_is_refused_under_its_knob(unet):
    before = unet._store.document
    choose(unet.boxes["system_config"], "Ethos_U55_High_End_Embedded")
    row = unet.rows["system_config"]
    assert unet._store.document is before
    assert unet.boxes["system_config"].value is None
    assert row.error.isVisible()
    assert "it has to be Sram or Dram" in row.error.text()
    choose(unet.boxes["system_config"], "Ethos_U65_High_End")
    assert not row.error.isVisible()


def test_another_accelerator_takes_names_along_only_where_they_fit(unet):
    choose(unet.boxes["memory_mode"], "Dedicated_Sram")
    choose(unet.boxes["accelerator"], "ethos-u55-128")
    assert settings_of(unet).accelerator == "ethos-u55-128"
    assert settings_of(unet).memory_mode is None
    assert unet.rows["accelerator"].error.text() == "memory mode set back to the default"
    unet._store.undo()
    assert settings_of(unet).memory_mode == "Dedicated_Sram"


def test_config_files_bring_names_and_take_them_away(unet, qtbot, tmp_path):
    config = tmp_path / "more.ini"
    config.write_text(
        "[Memory_Mode.Tiny]\ninherit = Memory_Mode.Dedicated_Sram\narena_cache_size = 16384\n"
    )
    qtbot.mouseClick(unet.limit.own, Qt.MouseButton.LeftButton)
    unet.configs.add([str(config)])
    assert settings_of(unet).configs == (str(config),)
    choose(unet.boxes["memory_mode"], "Tiny")
    assert unet.limit.field.text() == "16K"
    unet.configs.list.setFocus()
    qtbot.keyClick(unet.configs.list, Qt.Key.Key_Delete)
    assert settings_of(unet).configs == (str(config),)
    assert "unknown memory mode 'Tiny'" in unet.configs.error.text()
    choose(unet.boxes["memory_mode"], None)
    assert not unet.configs.error.isVisible()
    qtbot.mouseClick(unet.configs.remove_button, Qt.MouseButton.LeftButton)
    assert settings_of(unet).configs == ()
    assert not unet.configs.list.isVisible()


def test_a_broken_config_file_is_refused(unet, tmp_path):
    config = tmp_path / "broken.ini"
    config.write_text("nonsense")
    unet.configs.add([str(config)])
    assert settings_of(unet).configs == ()
    assert "line 1" in unet.configs.error.text()
    unet.configs.add([str(tmp_path / "none.ini")])
    assert "No such file" in unet.configs.error.text()


def test_a_project_of_cmsis_toolbox_is_taken_as_a_target(unet, tmp_path):
    (tmp_path / ".cmsis").mkdir()
    ini = tmp_path / ".cmsis" / "device_vela.ini"
    ini.write_text(INI)
    project = tmp_path / "app.cbuild-mlops.yml"
    project.write_text(TEXT.replace("macs: 256", "macs: 128"))
    unet.configs.add([str(project)])
    settings = settings_of(unet)
    assert (settings.accelerator, settings.system_config) == ("ethos-u55-256", "RTSS_HP")
    assert settings.configs == (str(ini),)
    assert "the device's NPU is ethos-u55-128" in unet.configs.error.text()
    assert unet._store.history.present.label == "Schedule for app.cbuild-mlops.yml"
    project.write_text("cbuild-run:\n  x: y\n")
    unet.configs.add([str(project)])
    assert settings_of(unet) == settings
    assert "no project of CMSIS-Toolbox" in unet.configs.error.text()
