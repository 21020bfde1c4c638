"""The entry point: with a window, without a display, and where Qt is broken."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest

import main
from core.ir.options import (
    Allocator,
    Engine,
    EvictionPolicy,
    ParetoOptions,
    Search,
    Strategy,
)
from gui.document.document import Document
from gui.document.examples import FIRST_EXAMPLE, to_look_at
from gui.shell import bootstrap, command_line, libraries, studios
from gui.shell.request import Request, Size
from tests.gui.answers import model_ref
from tests.settings import settings_with

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "resources" / "examples" / "kws_dscnn.tflite"

# Runs main.py in a Python whose import of Qt fails as it does where a system library is missing.
WITHOUT_QT = """
import runpy, sys

class Broken:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "PySide6":
            raise ImportError({message!r})

sys.meta_path.insert(0, Broken())
sys.argv[0] = "main.py"
runpy.run_path("main.py", run_name="__main__")
"""


def run(*command: str, **env: str) -> subprocess.CompletedProcess[str]:
    quiet = {name: value for name, value in os.environ.items() if "DISPLAY" not in name}
    quiet.pop("QT_QPA_PLATFORM", None)
    return subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env=quiet | env,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def run_without_qt(library: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    message = f"{library}: cannot open shared object file: No such file or directory"
    script = WITHOUT_QT.format(message=message)
    return run("-c", script, *arguments, QT_QPA_PLATFORM="offscreen")


@pytest.mark.parametrize(
    ("arguments", "opens"),
    [
        ([], True),
        (["net.tflite"], True),
        (["NET.TFLITE"], True),
        (["program.pte"], True),
        (["delegate.vela_bin"], True),
        (["raw_output.npz"], True),
        (["--view", "memory"], True),
        (["inspect", "net.tflite"], False),
        (["inspcet", "net.tflite"], False),
        (["--help"], False),
        (["--version"], False),
    ],
)
def test_only_a_sub_command_or_a_question_goes_to_the_command_line(arguments, opens):
    assert main.opens_the_app(arguments) == opens


def test_a_missing_package_is_one_line_with_what_installs_it():
    done = run("-S", "main.py", "--version")
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("reefpoint: the package '")
    assert line.endswith("pip install -r requirements/run.txt installs all that it needs")


@pytest.mark.long
@pytest.mark.parametrize(
    ("library", "package"),
    [
        ("libEGL.so.1", "libegl1"),
        ("libGL.so.1", "libgl1"),
        ("libxkbcommon.so.0", "libxkbcommon0"),
        ("libdbus-1.so.3", "libdbus-1-3"),
        ("libfontconfig.so.1", "libfontconfig1"),
    ],
)
def test_a_missing_library_is_one_line_with_its_package(library, package):
    done = run_without_qt(library, KWS)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert library in done.stderr
    assert f"apt-get install {package})" in done.stderr


def test_the_readme_names_all_packages_that_qt_needs():
    _, asked = (ROOT / "README.md").read_text("utf-8").split("`apt-get install ", 1)
    assert asked.split("`")[0].split() == list(dict.fromkeys(libraries.FOR_IMPORT.values()))


def test_an_unknown_obstacle_is_told_as_it_is():
    text = bootstrap.explain(ImportError("DLL load failed\nwhile importing QtGui"))
    assert text == "the window cannot be loaded (DLL load failed while importing QtGui)"


LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere is a display")


@pytest.mark.long
@LINUX
@pytest.mark.parametrize("env", [{}, {"QT_QPA_PLATFORM": "xcb"}, {"DISPLAY": ":4711"}], ids=str)
def test_without_a_display_one_line_names_the_command_line(env):
    done = run("main.py", KWS, **env)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "display" in done.stderr
    assert "python main.py schedule" in done.stderr
    for name in ("--screenshot", "compile", "verify", "inspect", "report"):
        assert name in done.stderr


@pytest.mark.long
@LINUX
@pytest.mark.parametrize("arguments", [[], ["--view", "memory", "--optimise", "Size"]], ids=str)
def test_where_no_window_can_be_and_no_model_is_named_an_example_is_printed(arguments):
    done = run("main.py", *arguments)
    told = [line for line in done.stderr.splitlines() if "no display" in line]
    assert (done.returncode, len(told)) == (0, 1)
    assert "--screenshot" in told[0]
    of_target = [word for word in arguments if word not in ("--view", "memory")]
    if not of_target:
        of_target = ["--accelerator-config", "ethos-u65-256", "--arena-cache-size", "96K"]
    example = run("main.py", "schedule", "resources/examples/unet_128.tflite", *of_target)
    # But for the path of the example.
    assert done.stdout.splitlines()[1:] == example.stdout.splitlines()[1:]


@pytest.mark.long
@LINUX
def test_where_qt_cannot_be_loaded_an_example_is_printed_too():
    done = run_without_qt("libEGL.so.1")
    assert done.returncode == 0
    assert "libegl1" in done.stderr
    assert "unet_128" in done.stdout


def test_a_command_line_is_read_as_the_sub_commands_read_it():
    line = (
        "net.tflite --accelerator-config ethos-u65-512 --memory-mode Dedicated_Sram"
        " --arena-cache-size 192K --optimise size --tensor-allocator greedy"
        " --spill-policy over-limit --force-symmetric-int-weights"
        " --engine pareto --pareto-point 64K --no-cascading"
        " --screenshot a.png --size 1600x900 --view memory --theme dark"
    )
    request = command_line.request_of(line.split())
    assert request == Request(
        model="net.tflite",
        settings=settings_with(
            accelerator="ethos-u65-512",
            memory_mode="Dedicated_Sram",
            limit_bytes=192 << 10,
            strategy=Strategy.SIZE,
            allocator=Allocator.GREEDY,
            eviction=EvictionPolicy.OVER_LIMIT,
            engine=Engine.PARETO,
            search=Search.COMPATIBLE,
            pareto=ParetoOptions(most_bytes=64 << 10, cascading=False),
            force_symmetric_int_weights=True,
        ),
        screenshot="a.png",
        size=Size(1600, 900),
        view="memory",
        theme="dark",
    )
    best = command_line.request_of(["--search", "best"])
    assert best == Request(settings=settings_with(search=Search.BEST))


def test_a_window_has_the_best_search_where_none_is_asked_for():
    best, direct = settings_with(search=Search.BEST), settings_with(search=Search.DIRECT)
    assert command_line.request_of([]) == Request(settings=best)
    assert command_line.request_of(["--search", "direct"]) == Request(settings=direct)
    picture = command_line.request_of(["--screenshot", "a.png"])
    assert picture.settings.options.search is Search.DIRECT
    assert command_line.request_of(["--engine", "front"]) == Request(settings=best)
    assert command_line.request_of(["--effort", "0"]).settings.options.search is Search.DIRECT
    pareto = command_line.request_of(["--engine", "Pareto"])
    assert pareto.settings.options.search is Search.COMPATIBLE


def test_config_files_are_found_from_wherever_the_worker_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.ini").write_text("[Memory_Mode.Mine]\ninherit=Memory_Mode.Sram_Only\n", "utf-8")
    request = command_line.request_of(["--config", "mine.ini", "--memory-mode", "Mine"])
    assert request.settings.configs == (str(tmp_path / "mine.ini"),)
    assert request.settings.target().mode.name == "Mine"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("--memory-mode Shared_Srm", "did you mean 'Shared_Sram'"),
        ("--size 1600", "sizes look like"),
        ("--size 1600x9", "each side"),
        ("--size ax9", "is not a size"),
        ("--arena-cache-size lots", "is not a size"),
        ("--colour red", "unrecognized arguments"),
        ("--around shown.json", "about a model, and none is named"),
        (f"{EXAMPLE} --around nowhere.json", "reefpoint: nowhere.json: No such file"),
        ("--optimise everything", "unknown strategy"),
    ],
)
def test_what_cannot_be_understood_is_one_line(line, said, capsys):
    assert bootstrap.run(lambda: command_line.request_of(line.split()), list) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err.count("\n")) == ("", 1)
    assert captured.err.startswith("reefpoint: ")
    assert said in captured.err


NEEDS_QT = pytest.mark.skipif(bool(libraries.absent_for_import()), reason="Qt cannot be loaded")


@pytest.mark.long
@NEEDS_QT
def test_a_picture_needs_no_display(tmp_path):
    picture = tmp_path / "a.png"
    done = run(
        *("main.py", "resources/examples/kws_dscnn.tflite", "--screenshot", str(picture)),
        *("--size", "1000x700", "--theme", "dark", "--view", "memory"),
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    data = picture.read_bytes()
    assert data.startswith(b"\x89PNG")
    assert struct.unpack(">II", data[16:24]) == (1000, 700)


@NEEDS_QT
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(["missing.tflite"], "missing.tflite: No such file", marks=pytest.mark.slow),
        (["{text}"], "is a text file"),
        (["resources/examples/kws_dscnn.tflite", "--view", "memry"], "did you mean 'memory'"),
        pytest.param(
            ["resources/examples/kws_dscnn.tflite", "--theme", "mauve"],
            "unknown theme",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_picture_that_cannot_be_taken_is_one_line(tmp_path, arguments, said):
    text = tmp_path / "text.tflite"
    text.write_text("a letter", "utf-8")
    given = [argument.format(text=text) for argument in arguments]
    done = run("main.py", *given, "--screenshot", str(tmp_path / "a.png"))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert said in done.stderr


@NEEDS_QT
def test_a_picture_in_a_folder_that_is_missing_is_one_line(tmp_path):
    picture = tmp_path / "missing" / "a.png"
    done = run("main.py", "resources/examples/kws_dscnn.tflite", "--screenshot", str(picture))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "a.png: No such file or directory" in done.stderr


KWS = "resources/examples/kws_dscnn.tflite"


@pytest.mark.long
@NEEDS_QT
def test_a_report_needs_no_display(tmp_path):
    done = run("main.py", "report", KWS, "-o", str(tmp_path / "new"), "--size", "640x400")
    assert (done.returncode, done.stdout) == (0, "")
    assert "warning" not in done.stderr
    names = {path.name for path in (tmp_path / "new").rglob("*") if path.is_file()}
    assert {"kws_dscnn_report.html", "kws_dscnn_summary.csv", "timeline.png"} <= names
    picture = (tmp_path / "new" / "pictures" / "timeline.png").read_bytes()
    assert struct.unpack(">II", picture[16:24]) == (640, 400)


@pytest.mark.long
def test_a_report_without_qt_has_no_pictures_and_says_what_is_missing(tmp_path):
    done = run_without_qt("libEGL.so.1", "report", KWS, "-o", str(tmp_path))
    assert (done.returncode, done.stdout) == (0, "")
    assert "libEGL.so.1" in done.stderr
    assert "apt-get install libegl1" in done.stderr
    assert "<img" not in (tmp_path / "kws_dscnn_report.html").read_text("utf-8")
    assert (tmp_path / "kws_dscnn_trace.json").exists()
    assert not (tmp_path / "pictures").exists()


def test_a_pdf_without_qt_is_one_line(tmp_path):
    done = run_without_qt("libEGL.so.1", "report", KWS, "-o", str(tmp_path / "a.pdf"))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "PDF cannot be made" in done.stderr
    assert "libEGL.so.1" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["missing.tflite", "-o", "{folder}"], "missing.tflite: No such file"),
        ([KWS], "required: -o"),
        ([KWS, "-o", "{folder}", "--format", "html,doc"], "unknown format 'doc'"),
        ([KWS, "-o", "{folder}", "--theme", "mauve"], "unknown theme"),
        ([KWS, "-o", "{folder}", "--size", "big"], "is not a size"),
        ([KWS, "-o", "{folder}", "--memory-mode", "Shared_Srm"], "did you mean 'Shared_Sram'"),
        ([KWS, "-o", "{folder}/missing/a.html"], "No such file or directory"),
    ],
)
def test_a_report_that_cannot_be_written_is_one_line(tmp_path, arguments, said):
    given = [argument.format(folder=tmp_path) for argument in arguments]
    done = run_without_qt("libEGL.so.1", "report", *given)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr.splitlines()[-1]
    assert list(tmp_path.iterdir()) == []


def test_the_time_of_a_report_can_be_frozen():
    assert studios.moment({"SOURCE_DATE_EPOCH": "1800000000"}) == "2027-01-15 08:00 UTC"
    assert studios.moment({"SOURCE_DATE_EPOCH": "soon"}) != "soon"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="X11 libraries")
def test_a_display_without_the_libraries_of_x11_names_their_packages(monkeypatch):
    monkeypatch.setattr(libraries, "_loads", lambda name: "cursor" not in name)
    for asked in ({}, {"QT_QPA_PLATFORM": "xcb"}, {"QT_QPA_PLATFORM": "wayland;xcb:x=1"}):
        text = bootstrap.no_display({"DISPLAY": ":0"} | asked, "linux")
        assert asked.get("QT_QPA_PLATFORM", "").startswith("w") or text.endswith(
            "apt-get install libxcb-cursor0)"
        )
        assert text


@pytest.mark.parametrize(
    ("env", "platform"),
    [
        ({"QT_QPA_PLATFORM": "offscreen"}, "linux"),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux"),
        ({"WAYLAND_DISPLAY": "wayland-0", "QT_QPA_PLATFORM": "xcb;wayland"}, "linux"),
        ({}, "win32"),
        ({}, "darwin"),
    ],
)
def test_nothing_stands_in_the_way_of_these(env, platform):
    assert bootstrap.no_display(env, platform) == ""


def test_the_command_line_needs_no_qt():
    done = run_without_qt("libEGL.so.1", "--help")
    assert done.returncode == 0, done.stderr
    assert "inspect" in done.stdout


# Says which modules a command has loaded, after all that it prints itself.
LOADED = """
import sys
before = set(sys.modules)
import main
code = main.main(sys.argv[1:])
print("loaded", *(set(sys.modules) - before))
sys.exit(code)
"""
START_MODULES = 500
"""What `schedule` of a small network may load of ours: it is most of the time of its start."""


def test_schedule_starts_with_numpy_and_msgspec_alone():
    command = [sys.executable, "-c", LOADED, "schedule", str(EXAMPLE), "--quiet"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    word, *modules = done.stdout.splitlines()[-1].split()
    assert word == "loaded"
    packages = {name.split(".")[0] for name in modules} - set(sys.stdlib_module_names)
    # `typing_extensions` comes with msgspec, `__mp_main__` is another name of the script.
    assert packages - {"typing_extensions", "__mp_main__"} == {"core", "main", "msgspec", "numpy"}
    ours = [name for name in modules if name.startswith("core.")]
    assert len(ours) <= START_MODULES, f"{len(ours)} modules: load late what few commands need"


OVERVIEW_MODULES = 100
"""What is loaded of ours before a command is looked at; a target alone has some 60."""


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_who_asks_for_the_version_does_not_wait_for_the_compiler(option):
    command = [sys.executable, "-c", LOADED, option]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    _, *modules = done.stdout.splitlines()[-1].split()
    ours = [name for name in modules if name.startswith("core.")]
    assert len(ours) <= OVERVIEW_MODULES, f"{len(ours)} modules"
    assert not [name for name in ours if name.startswith(("core.schedule", "core.pipeline"))]


def test_what_a_window_will_ask_first_is_told_to_the_worker_as_the_window_asks_it(tmp_path):
    model = tmp_path / "net.tflite"
    model.write_bytes(b"net")
    request = command_line.request_of([str(model), "--accelerator-config", "ethos-u65-256"])
    asked = bootstrap.first_asked(request)
    opened = Document(settings=request.settings).of_model(model_ref(model))
    assert asked == opened
    example = bootstrap.first_asked(command_line.request_of([]))
    assert example.model == model_ref(FIRST_EXAMPLE)
    assert example.settings == to_look_at(command_line.request_of([]).settings)
    assert bootstrap.first_asked(Request(model=str(tmp_path / "none.tflite"))) is None
