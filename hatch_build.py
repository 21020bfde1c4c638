"""Puts the program into one package, when a wheel is built of it.

In a clone, `core`, `gui` and `main` are imported by these names. Installed, they would stand beside
whatever else is called so; there they are `reefpoint.core`, `reefpoint.gui` and `reefpoint.main`.
Only names of modules change, on lines that stay where they are: tracebacks, pickles, type checkers
and whoever reads an installed file see plain imports, and nothing happens at run time.
"""

from __future__ import annotations

import ast
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "reefpoint"
MOVED = ("core", "gui", "resources", "main.py")
"""What goes below the package; what it has of its own in a clone is there already."""
_LEFT_OUT = ("__pycache__", "screenshots", "make_examples.py")


def assemble(root: Path, folder: Path) -> Path:
    """Lay out the package as it is installed, in a folder; where it is then."""
    package = folder / PACKAGE
    ignore = shutil.ignore_patterns(*_LEFT_OUT)
    shutil.copytree(root / PACKAGE, package, ignore=ignore)
    for name in MOVED:
        if (root / name).is_dir():
            shutil.copytree(root / name, package / name, ignore=ignore)
        else:
            shutil.copy(root / name, package)
    modules = frozenset(_modules(package))
    for file in package.rglob("*.py"):
        file.write_bytes(renamed(file.read_bytes(), modules))
    return package


def _modules(package: Path) -> Iterator[str]:
    """Names in a clone of all modules that are moved."""
    for file in package.rglob("*.py"):
        name = file.relative_to(package).with_suffix("").parts
        if name[0] in {Path(moved).stem for moved in MOVED}:
            yield ".".join(name[:-1] if name[-1] == "__init__" else name)


def renamed(source: bytes, modules: frozenset[str]) -> bytes:
    """A module whose imports, and whose texts that are a module's whole name, say the new names."""
    lines = source.splitlines(keepends=True)
    for line, column in sorted(_places(ast.parse(source), lines, modules), reverse=True):
        text = lines[line]
        lines[line] = text[:column] + PACKAGE.encode() + b"." + text[column:]
    return b"".join(lines)


def _places(
    tree: ast.Module, lines: list[bytes], modules: frozenset[str]
) -> Iterator[tuple[int, int]]:
    """Where the names of moved modules begin."""
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module=str(name), level=0) if name in modules:
                yield node.lineno - 1, node.col_offset + len("from ")
            case ast.Import(names=names) if not modules.isdisjoint(each.name for each in names):
                # It binds the first part of the name, which is another one then.
                raise ValueError(f"say `from` in {lines[node.lineno - 1].decode().strip()!r}")
            case ast.Constant(value=str(name)) if "." in name and name in modules:
                # A part of a longer text has no quote of its own.
                place = lines[node.lineno - 1][node.col_offset :]
                if place[:1] in {b"'", b'"'} and place[1:].startswith(name.encode()):
                    yield node.lineno - 1, node.col_offset + 1


class OnePackage(BuildHookInterface[Any]):
    """Gives a wheel the package; what is installed to be edited stays the clone that it is."""

    PLUGIN_NAME = "custom"
    _folder: Path | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Lay out what is packed."""
        if version == "standard":
            self._folder = Path(mkdtemp())
            package = assemble(Path(self.root), self._folder)
            build_data["force_include"][str(package)] = PACKAGE

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Leave nothing behind."""
        if self._folder is not None:
            shutil.rmtree(self._folder)
