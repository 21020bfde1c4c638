"""What a newcomer meets: README lines that CI runs, pins that repeat, no address of any machine."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PIN = re.compile(r"^([a-z0-9-]+)==(\S+)", re.MULTILINE)

# Brackets keep this file from holding what it looks for.
ADDRESSES = re.compile(
    r"[p]ypi\.org|[p]ythonhosted|[n]pmjs\.|index[-]url|[f]ind-links"
    r"|(?<![\w.*/)}\]])/([w]ork|[o]pt|[t]mp|[r]oot)\b"
)


def texts() -> Iterator[tuple[Path, str]]:
    """Every text file of the repository, without what tools and environments leave behind."""
    for file in sorted(ROOT.rglob("*")):
        inside = file.relative_to(ROOT)
        hidden = (
            any(part.startswith(".") for part in inside.parts[:-1]) and inside.parts[0] != ".ci"
        )
        # Of a second work tree, `.git` is a file that says where the repository is.
        if not file.is_file() or hidden or {"__pycache__", ".git"}.intersection(inside.parts):
            continue
        try:
            yield inside, file.read_text("utf-8")
        except UnicodeDecodeError:
            continue


def pins(name: str) -> set[tuple[str, str]]:
    return set(PIN.findall((ROOT / "requirements" / name).read_text("utf-8")))


def test_no_file_knows_a_registry_or_this_machine():
    found = {str(file): hit.group() for file, text in texts() if (hit := ADDRESSES.search(text))}
    assert found == {}


@pytest.mark.parametrize(
    "text", ["cp a /~tmp/b", '"/~opt/x"', "--index~-url x", "https://py~pi.org/simple"]
)
def test_addresses_are_recognised(text):
    assert ADDRESSES.search(text.replace("~", ""))


@pytest.mark.parametrize("text", ["a/tmp", "./work/x", "{folder}/tmp", "optimise/options"])
def test_other_words_are_no_addresses(text):
    assert not ADDRESSES.search(text)


@pytest.mark.parametrize("name", ["run.txt", "dev.txt"])
def test_every_pin_has_a_hash(name):
    entries = (ROOT / "requirements" / name).read_text("utf-8").replace("\\\n", " ").splitlines()
    assert [entry for entry in entries if not re.match(r"\S+==.+ --hash=sha256:", entry)] == []


def test_pins_cover_what_the_project_asks_for():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = [name for names in project["optional-dependencies"].values() for name in names]

    def plain(requirements: list[str]) -> set[str]:
        return {re.split(r"[<>=!~; ]", text)[0].lower() for text in requirements}

    assert plain(project["dependencies"]) <= {name for name, _ in pins("run.txt")}
    assert plain(extras) <= {name for name, _ in pins("dev.txt")}
    assert pins("run.txt") <= pins("dev.txt"), "both files must pin the same versions"


def test_the_readme_has_the_two_lines_and_ci_takes_the_second_from_it():
    readme = (ROOT / "README.md").read_text("utf-8")
    lines = re.findall(r"^python3 -m venv \.venv && .+$", readme, re.MULTILINE)
    assert [line.split(" && ")[-1].split()[1] for line in lines] == ["main.py", "-m"]
    assert lines[1].endswith("-m pytest -n 2")
    assert "README.md" in (ROOT / ".ci/run").read_text("utf-8")


FIGURES = "resources/figures.md"
PAGES = (
    "README.md",
    *sorted(
        str(page.relative_to(ROOT))
        for folder in ("core", "gui", "tests")
        for page in (ROOT / folder).rglob("README.md")
    ),
    FIGURES,
)
OF_PAGES = pytest.mark.parametrize("name", PAGES)

MOST_WORDS = {"core/README.md": 3_000}
"""Flow, map, how to add, decisions; all else is told in the folder whose matter it is."""
MOST_WORDS_OF_A_FOLDER = 1_200


@pytest.mark.parametrize("name", [name for name in PAGES if name.startswith("core/")])
def test_what_is_told_of_the_compiler_is_short(name):
    words = (ROOT / name).read_text("utf-8").split()
    assert len(words) <= MOST_WORDS.get(name, MOST_WORDS_OF_A_FOLDER)


def is_started(path: Path) -> bool:
    """Whether a module, or a package, can be."""
    return path.with_suffix(".py").exists() or (path / "__main__.py").exists()


def uncommanded(text: str) -> list[str]:
    """Sections of figures that name no command that is there, and do not say that there is none."""
    found = []
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        modules = re.findall(r"`python -m ([\w.]+)", section)
        paths = [ROOT / module.replace(".", "/") for module in modules]
        is_said = paths or "No command repeats these" in section
        if not is_said or not all(map(is_started, paths)):
            found.append(section.splitlines()[0])
    return found


def test_figures_name_the_command_that_repeats_them():
    assert uncommanded((ROOT / FIGURES).read_text("utf-8")) == []


def test_figures_without_a_command_are_recognised():
    text = (
        "## A tide\n\n| 1 |\n\n## An ebb\n\nNo command repeats these.\n\n"
        "## A flood\n\n`python -m tests.benchmarks.bench_flood`\n\n"
        "## A swell\n\n`python -m tests.benchmarks.bench_least 0`"
    )
    assert uncommanded(text) == ["A tide", "A flood"]


@OF_PAGES
def test_links_of_the_readmes_lead_somewhere(name):
    page = ROOT / name
    links = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def absent(text: str, folder: Path) -> list[str]:
    """Paths in a text that are neither below its folder nor the repository's; names not in files.

    A word in capitals within a path stands for any name.
    """
    found = []
    for told, path, name in re.findall(r"`(([\w.*-]*[/.][\w./*-]*)(?:: (\w+))?)`", text):
        if "/" not in path and not re.search(r"\.(py|md|ini|toml|txt|yaml|svg)$", path):
            continue
        pattern = re.sub(r"\b[A-Z]{2,}(?=[/.])|(?<=_)[A-Z]{2,}\b", "*", path).strip("/")
        below = folder.glob(f"*/{pattern}") if folder == ROOT else folder.rglob(pattern)
        files = [*ROOT.glob(pattern), *below]
        if not files or not all(name in file.read_text("utf-8") for file in files if name):
            found.append(told)
    return found


@OF_PAGES
def test_what_the_readmes_name_is_there(name):
    page = ROOT / name
    assert absent(page.read_text("utf-8").replace(".venv/bin/python", ""), page.parent) == []


def test_what_is_not_there_is_recognised():
    text = "`run.py`, `tide.py`, `lower/moon/`, `check/target.py: verify`, `check/target.py: ebb`"
    assert absent(text, ROOT / "core") == ["tide.py", "lower/moon/", "check/target.py: ebb"]
