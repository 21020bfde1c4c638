"""Every command line that the pages of the help show is run, page by page, as a reader would."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import numpy as np
import pytest

import main as program
from gui.document.help_pages import HELP, pages

ROOT = Path(__file__).parents[1]
KWS = ROOT / "resources" / "examples" / "kws_dscnn.tflite"
_LINE = re.compile(r"^    reefpoint (.+)$", re.MULTILINE)
_FILE = re.compile(r"^(?:    (?!reefpoint ).*\n|\n(?=    (?!reefpoint )))+", re.MULTILINE)
_DIFFERS = {"compare a.tflite b.tflite"}
"""These end with 1, as the page says."""


def commands(text: str) -> list[str]:
    return _LINE.findall(text)


@pytest.mark.long
@pytest.mark.parametrize(
    "page", [page for page in pages() if commands(page.text)], ids=lambda page: page.name
)
def test_what_a_page_shows_can_be_typed(page, tmp_path, monkeypatch, capsys):
    shutil.copy(KWS, tmp_path / "net.tflite")
    (tmp_path / "budgets.toml").write_text(budgets(), "utf-8")
    np.savez(tmp_path / "inputs.npz", input=np.zeros((2, 49, 10, 1), np.int8))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    for command in commands(page.text):
        code = program.main(shlex.split(command))
        assert code == (command in _DIFFERS), (command, capsys.readouterr().err)
        capsys.readouterr()


def budgets() -> str:
    """The file of budgets that the page shows."""
    text = next(page.text for page in pages() if page.name == "ci")
    (found,) = [block for block in _FILE.findall(text) if "[[model]]" in block]
    return re.sub("^    ", "", found, flags=re.MULTILINE)


def test_each_matter_has_a_page_and_the_site_has_each_page():
    wanted = {"timeline", "map", "cascades", "edits", "compare", "ci", "boards", "calibration"}
    assert wanted | {"start", "proof"} <= {page.name for page in pages()}
    site = (ROOT / "mkdocs.yml").read_text("utf-8")
    assert re.findall(r"\S+\.md$", site, re.MULTILINE) == sorted(
        path.name for path in HELP.glob("*.md")
    )
    assert sum(len(commands(page.text)) for page in pages()) > 20
