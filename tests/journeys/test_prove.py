"""What is shown is proved with inputs of the user's own: a table of operators, and a lane."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

from core import cli
from core.tflite import reader
from gui.document.proof import Against
from gui.document.selection import Selection
from gui.present.runs.proof import HEADERS, STOPPED
from gui.views.proof.view import ProofView
from gui.views.timeline.view import TimelineView
from tests.gui.answers import EXAMPLES
from tests.gui.running import wait_for_answer

PATIENCE_MS = 120_000
MODEL = EXAMPLES / "shuffle_with_cpu.tflite"
NETWORK = reader.read(MODEL.read_bytes()).main
INPUT = NETWORK.tensors[NETWORK.inputs[0]]


def array_file(folder, name="mine.npz", shape=(2, 64, 64, 3)):
    drawn = np.random.default_rng(1).uniform(-1.2, 1.2, shape).astype(np.float32)
    file = io.BytesIO()
    np.savez(file, **{INPUT.name: drawn})
    (folder / name).write_bytes(file.getvalue())
    return folder / name


@pytest.fixture
def app(open_app):
    return open_app(MODEL)


def choose(monkeypatch, path, *, is_folder=False):
    name = "getExistingDirectory" if is_folder else "getOpenFileName"
    monkeypatch.setattr(
        QFileDialog, name, lambda *_: str(path) if is_folder else (str(path), "all")
    )


def ended(app, qtbot):
    qtbot.waitUntil(lambda: app.store.proofs.making is None, timeout=PATIENCE_MS)
    app.store.turns.finish()
    return app.store.proofs


def test_each_operator_is_told_and_a_row_shows_it_everywhere(app, qtbot, tmp_path, monkeypatch):
    choose(monkeypatch, array_file(tmp_path))
    assert app.actions.run("schedule.prove_file")
    view = app.view(ProofView)
    assert view.isVisible()
    assert not app.actions.run("schedule.prove_file")
    proofs = ended(app, qtbot)
    assert proofs.latest.found.holds
    assert view.headline.text() == "The compiled model holds on the inputs of mine.npz."
    assert view.lines.text().startswith("Whose fault: nobody's")
    rows = view.table.listing.rows
    assert [row[0] for row in rows] == list(range(len(NETWORK.operators)))
    # What the command line tells of the same file is the same.
    told = {row[0]: row for row in rows}
    for error in proofs.latest.found.operators:
        row = told[error.number]
        assert row[1:4] == (error.kind, error.name, "CPU" if error.is_on_cpu else "NPU")
        if error.integer is not None:
            assert row[5:8] == (0, 0.0, 0.0)
    # A click on a heading has the farthest off first, another one the nearest.
    header, column = view.table.horizontalHeader(), HEADERS.index("Quantised: up to")
    for is_descending in (True, False):
        place = QPoint(header.sectionViewportPosition(column) + 9, header.height() // 2)
        view.table.scrollTo(view.table.model().index(0, column))
        place.setX(header.sectionViewportPosition(column) + 9)
        QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=place)
        values = [row[column] for row in view.table.listing.rows if row[column] is not None]
        assert values == sorted(values, reverse=is_descending)
    view.table.scrollTo(view.table.model().index(0, 0))
    wanted = next(at for at, each in enumerate(view.errors) if each.kind == "SOFTMAX")
    view.table.scrollTo(view.table.model().index(wanted, 1))
    at = view.table.visualRect(view.table.model().index(wanted, 1)).center()
    QTest.mouseClick(view.table.viewport(), Qt.MouseButton.LeftButton, pos=at)
    graph = app.store.answer.scheduled.graph
    line = next(line for line in graph.lineage if line.op.op == view.errors[wanted].number)
    assert set(app.store.selection.ops) == set(line.npu_ops)
    # The timeline has a lane of it, in which what is selected is outlined.
    stage = app.view(TimelineView).stage
    assert stage.lanes.rows.errors.title == "Errors"
    assert stage.lanes.errors.selected >= set(line.npu_ops)
    before = stage.lanes.errors.rects.ink.tolist()
    place = view.against.findText(Against.KERNELS.value)
    view.against.setCurrentIndex(place)
    view.against.activated.emit(place)
    after = stage.lanes.errors.rects.ink.tolist()
    assert before != after
    assert set(after) == {0}


def test_a_folder_is_taken_and_another_schedule_is_not_said_to_be_proved(
    app, qtbot, tmp_path, monkeypatch
):
    for name in ("a.npz", "b.npz"):
        array_file(tmp_path, name, (1, 64, 64, 3))
    choose(monkeypatch, tmp_path, is_folder=True)
    app.panels.show_panel("proof")
    assert app.actions.run("schedule.prove_folder")
    app.panels.show_panel("summary")
    latest = ended(app, qtbot).latest
    assert latest.found.outputs[0].inputs == 2
    assert "holds on the inputs of" in app.proof_aside.text()
    lanes = app.view(TimelineView).stage.lanes
    assert lanes.rows.errors is not None
    assert app.actions.run("schedule.accelerator.ethos-u55-64")
    wait_for_answer(qtbot, app)
    app.store.turns.finish()
    assert lanes.rows.errors is None
    QTest.mouseClick(app.proof_aside, Qt.MouseButton.LeftButton)
    view = app.view(ProofView)
    assert "what is shown now is another schedule" in view.headline.text()
    assert app.proof_aside.isHidden()
    assert app.actions.run("edit.undo")
    wait_for_answer(qtbot, app)
    app.store.turns.finish()
    assert lanes.rows.errors is not None
    # Another model has none.
    assert app.files.open(str(EXAMPLES / "kws_dscnn.tflite"))
    wait_for_answer(qtbot, app)
    assert app.store.proofs.latest is None


def test_a_compiled_model_is_proved_against_the_file_that_the_user_names(
    app, qtbot, tmp_path, monkeypatch
):
    out, arrays = tmp_path / "compiled.tflite", array_file(tmp_path)
    assert cli.main(["compile", str(MODEL), "-o", str(out), "--effort", "0"]) == 0
    assert app.files.open(str(out))
    wait_for_answer(qtbot, app)
    asked, files = [], [str(MODEL), str(arrays)]

    def chosen(_, title, *__):
        asked.append(title)
        return files[len(asked) - 1], "all"

    monkeypatch.setattr(QFileDialog, "getOpenFileName", chosen)
    assert app.actions.run("schedule.prove_file")
    assert asked == ["What this was compiled from", "Inputs of your own"]
    latest, view = ended(app, qtbot).latest, app.view(ProofView)
    assert latest.found.holds
    assert view.headline.text() == "The compiled model holds on the inputs of mine.npz."
    assert len(view.errors) == len(NETWORK.operators)
    # Its streams do not tell of which operators they were made; what they write does.
    lanes = app.view(TimelineView).stage.lanes
    assert lanes.rows.errors.title == "Errors"
    seen_ops = {op for error in view.errors if error.alone for op in error.npu_ops}
    assert len(seen_ops) > len(view.errors) / 2
    assert set(lanes.errors.rects.key.tolist()) - {-1} == seen_ops
    on_cpu = [at for at, error in enumerate(view.errors) if error.is_on_cpu]
    view.table.setCurrentIndex(view.table.model().index(on_cpu[0], 0))
    assert app.store.selection == Selection(cpu_op=0)
    seen = next(error for error in view.errors if error.npu_ops)
    view.table.setCurrentIndex(view.table.model().index(view.errors.index(seen), 0))
    assert app.store.selection.ops == seen.npu_ops


def test_nothing_is_proved_where_no_original_is_named(app, qtbot, tmp_path, monkeypatch):
    out = tmp_path / "compiled.tflite"
    assert cli.main(["compile", str(MODEL), "-o", str(out), "--effort", "0"]) == 0
    assert app.files.open(str(out))
    wait_for_answer(qtbot, app)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: ("", ""))
    assert app.actions.run("schedule.prove_file")
    assert app.store.proofs.making is None
    # A file that is none of its original is told as the command line tells it.
    app.proofs.prove(str(array_file(tmp_path)), str(out))
    assert "has been compiled itself" in ended(app, qtbot).failure


def broken(folder):
    (folder / "odd.npz").write_bytes(b"no arrays")
    return folder / "odd.npz"


def misshaped(folder):
    return array_file(folder, shape=(2, 5, 7))


def empty(folder):
    (folder / "none").mkdir()
    return folder / "none"


@pytest.mark.parametrize("made", [broken, misshaped, empty], ids=lambda made: made.__name__)
def test_what_does_not_suit_is_told_as_the_command_line_tells_it(
    app, qtbot, tmp_path, capsys, made
):
    path, out = made(tmp_path), tmp_path / "compiled.tflite"
    assert cli.main(["compile", str(MODEL), "-o", str(out), "--effort", "0"]) == 0
    capsys.readouterr()
    assert cli.main(["verify", str(out), "--against", str(MODEL), "--data", str(path)]) == 2
    told = capsys.readouterr().err.strip().removeprefix("error: ").rstrip(".")
    app.proofs.prove(str(path))
    proofs = ended(app, qtbot)
    assert proofs.latest is None
    name = path.name
    assert proofs.failure.partition(name)[2] == told.partition(name)[2] != ""
    assert proofs.failure in app.banner.text
    assert proofs.failure in app.view(ProofView)._offer.text()


def test_a_proof_can_be_stopped(app, qtbot, tmp_path):
    app.proofs.prove(str(array_file(tmp_path, shape=(40, 64, 64, 3))))
    assert app.actions.run("schedule.stop_proof")
    assert ended(app, qtbot).failure == STOPPED
    assert not app.proofs.errands.is_busy
