"""The page of what scripts may use: names, signatures and what each is, as the sources say it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import reefpoint

ROOT = Path(__file__).parents[2]
HEAD = """# Reefpoint for scripts and notebooks

What `import reefpoint` has; `pytest tests/reefpoint/test_api.py --update-goldens` makes this page
of the sources. What is not here may change from version to version. Errors are `CoreError`s, in one
line that a user can act on: an `InputError` is about a file, an `OptionError` about what is asked.
What an inference costs is told in the [README](../README.md), each key of a schedule as JSON in
[schedule-json.md](schedule-json.md); `resources/notebooks/first-look.ipynb` is to begin with.

"""
FIRST = (
    "load",
    "target",
    "schedule",
    "compile",
    "front",
    "compare",
    "advise",
    "sweep",
    "calibrate",
)


def page() -> str:
    names = (*FIRST, *(name for name in reefpoint.__all__ if name not in FIRST))
    return HEAD + "\n".join(line for name in names for line in _lines(name))


def _lines(name: str) -> Iterator[str]:
    home = next((home for home, names in reefpoint._HOMES.items() if name in names), None)
    if home is None:
        return
    tree = ast.parse((ROOT / "reefpoint" / f"{home}.py").read_text("utf-8"))
    found = next(node for node in tree.body if getattr(node, "name", "") == name)
    yield f"## {name}\n"
    if isinstance(found, ast.FunctionDef):
        yield f"```python\n{_signature(found)}\n```\n"
        yield f"{ast.get_docstring(found)}\n"
        return
    assert isinstance(found, ast.ClassDef)
    if any(ast.unparse(base) == "Figures" for base in found.bases):
        base = ast.parse((ROOT / "reefpoint" / "figures.py").read_text("utf-8")).body[-1]
        assert isinstance(base, ast.ClassDef)
        found.body += base.body
    yield f"{ast.get_docstring(found)}\n"
    if members := list(_members(found)):
        yield "| attribute or method | what |\n|---|---|"
        yield "\n".join(f"| `{told}` | {what} |" for told, what in members) + "\n"


def _members(found: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for node, after in zip(found.body, [*found.body[1:], None], strict=True):
        match node:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=kind) if name[0] != "_":
                is_told = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
                yield (
                    _told(f"{name}: {ast.unparse(kind)}"),
                    _told(after.value.value if is_told else ""),
                )
            case ast.FunctionDef(name=name) if name[0] != "_":
                kind = ast.unparse(node.returns) if node.returns else "None"
                is_property = bool(node.decorator_list)
                told = f"{name}: {kind}" if is_property else _signature(node).removeprefix("def ")
                yield _told(told), _told(ast.get_docstring(node) or "")


def _signature(node: ast.FunctionDef) -> str:
    returned = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    arguments = ast.unparse(node.args)
    whole = f"def {node.name}({arguments}){returned}"
    if len(whole) <= 100:
        return whole
    parts = ",\n    ".join(_arguments(node.args))
    return f"def {node.name}(\n    {parts},\n){returned}"


def _arguments(given: ast.arguments) -> Iterator[str]:
    defaults = [None] * (len(given.args) - len(given.defaults)) + list(given.defaults)
    for each, default in zip(given.args, defaults, strict=True):
        yield _argument(each, default)
    if given.kwonlyargs:
        yield "*"
    for each, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        yield _argument(each, default)


def _argument(each: ast.arg, default: ast.expr | None) -> str:
    told = ast.unparse(each)
    return told if default is None else f"{told} = {ast.unparse(default)}"


def _told(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
