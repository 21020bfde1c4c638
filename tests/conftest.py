"""What every test runs under: Qt without a display, properties, slow tests on request."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from hypothesis.database import DirectoryBasedExampleDatabase
from xdist.scheduler import WorkStealingScheduling

# Before numpy is loaded, as main.py says it: the second thread of its library waits busily.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from core.base.frozen import Frozen
from core.base.process import keep_memory
from gui.shell import libraries
from tests import effort, streams

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# What one test finds is not to be there for another, nor for whoever runs them.
os.environ["REEFPOINT_CACHE"] = "off"

if sys.dont_write_bytecode:
    # No bytecode beside the sources; but not every process of so many has to compile them again.
    bytecode = Path(__file__).parents[1] / ".pytest_cache" / "bytecode"
    sys.dont_write_bytecode, sys.pycache_prefix = False, str(bytecode)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = str(bytecode)

IN_CI = bool(os.environ.get("CI"))

# Tests of the window cannot even be imported where Qt cannot; the header says what is missing.
collect_ignore = [] if IN_CI or not libraries.absent_for_import() else ["gui", "journeys"]

# What a newcomer runs does not depend on luck, nor on how busy the machine is: every run tries the
# same examples of a property, and no clock judges them. Who looks for new ones says `--explore`, is
# told how to repeat one, and tries it first the next time.
FAST, LONG, EXPLORING = "fast", "long", "exploring"
hypothesis.settings.register_profile(
    FAST,
    max_examples=25,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.register_profile(
    LONG, hypothesis.settings.get_profile(FAST), max_examples=effort.LONG
)
hypothesis.settings.register_profile(
    EXPLORING,
    hypothesis.settings.get_profile(LONG),
    derandomize=False,
    database=DirectoryBasedExampleDatabase(".hypothesis/examples"),
    print_blob=True,
)


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    parser.addoption("--long", action="store_true", help="run the long tests too, as CI does")
    parser.addoption("--slow", action="store_true", help="run the long and the slow tests too")
    parser.addoption("--explore", action="store_true", help="try new examples of each property")
    parser.addoption("--update-goldens", action="store_true", help="rewrite the golden files")
    # pytest-qt ends the whole session where Qt cannot be imported.
    if libraries.absent_for_import() and not IN_CI:
        pluginmanager.unregister(name="pytest-qt")


def pytest_configure(config: pytest.Config) -> None:
    keep_memory()  # as every process of the app does
    streams.remember_sizes()
    is_long = IN_CI or config.getoption("--slow") or config.getoption("-m")
    is_exploring = config.getoption("--explore")
    hypothesis.settings.load_profile(EXPLORING if is_exploring else LONG if is_long else FAST)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Neighbours run in one process, so that what they share is worked out in one process."""
    return WorkStealingScheduling(config, log) if config.getoption("dist") == "load" else None


def pytest_collection_finish() -> None:
    # Thousands of tests stay until the end, and need not be looked through again and again.
    gc.collect()
    gc.freeze()


def pytest_report_header() -> str:
    absent = libraries.absent_for_import()
    packages = " ".join(sorted({libraries.package_of(library) for library in absent}))
    return f"no test opens a window: apt-get install {packages}" if absent else "Qt: can be loaded"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    unasked = _unasked(config)
    left_out = [item for item in items if any(map(item.get_closest_marker, unasked))]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not any(map(item.get_closest_marker, unasked))]


def _unasked(config: pytest.Config) -> tuple[str, ...]:
    """Marks of tests that nobody has asked for."""
    if config.getoption("--slow") or config.getoption("-m"):
        return ()
    is_named = any(argument.partition("::")[0].endswith(".py") for argument in config.args)
    asks_long = IN_CI or is_named or config.getoption("--long")
    return ("slow",) if asks_long else ("slow", "long")


class Golden(Frozen, kw_only=False):
    """Compares texts with the files in the folder `goldens` beside the test."""

    folder: Path
    update: bool

    def check(self, name: str, text: str) -> None:
        """Fail unless the file holds the text; with --update-goldens, make it so."""
        file = self.folder / name
        if self.update:
            self.folder.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="\n")
        assert file.exists(), f"there is no {file}; --update-goldens writes it"
        assert text == file.read_text(encoding="utf-8"), "--update-goldens accepts the new text"


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    return Golden(request.path.parent / "goldens", request.config.getoption("--update-goldens"))
