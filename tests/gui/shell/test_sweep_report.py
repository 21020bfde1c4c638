"""`reefpoint report` of a sweep's file."""

from __future__ import annotations

from pathlib import Path

import pytest

import main
from tests.core.sweep.sweeping import rows_of, small_models


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sweep")
    out = folder / "s.sqlite"
    words = ["sweep", *map(str, small_models(folder, 2)), "--sram", "8K,1M", "--jobs", "1"]
    assert main.main([*words, "-o", str(out)]) == 0
    return out


def reported(*words: object) -> int:
    return main.main(["report", *map(str, words)])


@pytest.mark.long
def test_a_folder_has_page_and_tables(sweep: Path, tmp_path: Path) -> None:
    assert reported(sweep, "-o", tmp_path / "all", "--sram-of", "corstone-300") == 0
    assert {path.name for path in (tmp_path / "all").iterdir()} == {"s.html", "s.csv", "s.json"}
    assert (tmp_path / "all" / "s.csv").read_text() == rows_of(sweep)
    assert "ISRAM0 and ISRAM1" in (tmp_path / "all" / "s.html").read_text()


def test_what_matters_comes_first(sweep: Path, tmp_path: Path) -> None:
    assert reported(sweep, "-o", tmp_path / "r.html", "--rank", "sram,cycles") == 0
    assert "by sram, then cycles" in (tmp_path / "r.html").read_text()


def test_paper_has_it_too(sweep: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gui.shell.studios._studio", lambda: (Studio(), ""))
    assert reported(sweep, "-o", tmp_path / "r.pdf") == 0
    assert (tmp_path / "r.pdf").read_bytes() == b"%PDF s.sqlite: sweep"


class Studio:
    """Lays nothing out."""

    def paper(self, report: object, made_at: str) -> bytes:
        assert made_at
        return f"%PDF {report.title}".encode()  # type: ignore[attr-defined] - a document


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--rank", "fun"), "unknown figure to rank by 'fun'"),
        (("--sram-of", "toaster"), "unknown board 'toaster'"),
        (("--with", __file__), "--with is about a model"),
        (("--format", "png"), "unknown format 'png'"),
        (("--theme", "pink"), "unknown theme 'pink'"),
    ],
)
def test_what_cannot_be_reported_is_one_line(
    sweep: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    said: str,
) -> None:
    assert reported(sweep, "-o", tmp_path / "all", *words) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1
    assert not (tmp_path / "all").exists()


def test_the_sweep_itself_is_never_written_over(
    sweep: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "link.html").symlink_to(sweep)
    before = sweep.read_bytes()
    assert reported(sweep, "-o", tmp_path / "link.html", "--force") == 2
    assert "would be lost" in capsys.readouterr().err
    assert sweep.read_bytes() == before


def test_a_model_has_no_rank(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = small_models(tmp_path, 1)[0]
    assert reported(model, "-o", tmp_path / "r.html", "--rank", "cycles") == 2
    assert "ask for a sweep" in capsys.readouterr().err
