"""Projects of CMSIS-Toolbox: what a `*.cbuild-mlops.yml` says of the NPU that is compiled for.

The toolbox writes that file beside a solution: the processor and NPU of the device, the `vela.ini`
that its pack brings, and options under the names that the ecosystem's compiler has for them.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path

from core.base.errors import InputError, OptionError
from core.base.files import read_bytes
from core.base.frozen import Frozen, NamedTuple
from core.target.registry import ACCELERATORS

SUFFIXES = (".cbuild-mlops.yml", ".cbuild-mlops.yaml")
_ROOT = "cbuild-mlops"
_TAKEN = ("accelerator_config", "system_config", "memory_mode", "arena_cache_size")
"""Options that name a target, as parsed arguments have them."""
_PAIR = re.compile(r"(?P<key>[^\s:#'\"][^:]*?)\s*:(?:\s+(?P<value>.*))?$")
_PRODUCT = re.compile(r"ethos-u(?P<product>\d+)", re.IGNORECASE)


class Project(Frozen):
    """What a project compiles for."""

    name: str
    target: Mapping[str, str]
    """What says the same on a command line, by the names of its arguments."""
    configs: tuple[Path, ...] = ()
    """Files of system configs and memory modes."""
    remarks: tuple[str, ...] = ()
    """Where it contradicts itself."""

    @property
    def assumed(self) -> tuple[str, ...]:
        """Nothing: all of it is said by the file."""
        return ()


def is_project(name: str) -> bool:
    """Whether a name is that of such a file."""
    return name.lower().endswith(SUFFIXES)


def read_project(path: Path) -> Project:
    """What a file says; an InputError says what is wrong with it."""
    try:
        text = read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("is not text in UTF-8", str(path)) from None
    try:
        return _project(path, _texts(text))
    except (InputError, OptionError) as error:
        raise InputError(getattr(error, "message", str(error)), str(path)) from None


def _project(path: Path, texts: Mapping[str, str]) -> Project:
    if not any(name == _ROOT or name.startswith(f"{_ROOT}/") for name in texts):
        raise InputError(f"is no project of CMSIS-Toolbox: it has no '{_ROOT}'")
    options = _options(texts.get(f"{_ROOT}/vela/options", ""))
    product = _PRODUCT.fullmatch(texts.get(f"{_ROOT}/npu/type", ""))
    macs = texts.get(f"{_ROOT}/npu/macs", "")
    told = "" if product is None else f"ethos-u{product['product']}" + (f"-{macs}" if macs else "")
    named = options.setdefault("accelerator_config", told).lower()
    if named.startswith("ethos-u85") or told.startswith("ethos-u85"):
        raise InputError("is for an Ethos-U85, which is not compiled for")
    if not named:
        raise InputError("names no NPU: neither npu with type and macs, nor --accelerator-config")
    if named not in ACCELERATORS:
        raise OptionError.unknown("accelerator", named, ACCELERATORS)
    remarks = []
    if told and not f"{named}-".startswith(f"{told}-"):
        remarks.append(
            f"{path.name}: the device's NPU is {told}, and --accelerator-config is {named};"
            " what is compiled for another number of MACs is refused by the driver"
        )
    ini = texts.get(f"{_ROOT}/vela/ini")
    return Project(
        name=path.name,
        target=options | {"accelerator_config": named},
        configs=() if not ini else (path.parent / ini,),
        remarks=tuple(remarks),
    )


def _options(text: str) -> dict[str, str]:
    """The options that name a target; what else there is, is for the ecosystem's compiler."""
    try:
        words = [part for word in shlex.split(text) for part in word.split("=", 1)]
    except ValueError as error:
        raise InputError(f"vela: options: {error}") from None
    found = {}
    for word, value in pairwise(words):
        name = word.removeprefix("--").replace("-", "_")
        if word.startswith("--") and name in _TAKEN:
            found[name] = value
    return found


class _Line(NamedTuple):
    number: int
    indent: int
    text: str


def _texts(text: str) -> dict[str, str]:
    """Texts of a file in the plain part of YAML that the toolbox writes, by their path with
    slashes: mappings, texts on one line or several, lists. The last one of a list stands."""
    texts: dict[str, str] = {}
    open_keys: list[tuple[int, str]] = []
    is_block = False
    for line in _lines(text):
        pair = _PAIR.match(line.text)
        if open_keys and line.indent > open_keys[-1][0] and (is_block or pair is None):
            # A text that goes on.
            path = "/".join(key for _, key in open_keys)
            texts[path] = f"{texts[path]} {line.text}".strip()
            continue
        if pair is None:
            raise InputError(f"line {line.number}: is neither 'key: value' nor the rest of a text")
        while open_keys and open_keys[-1][0] >= line.indent:
            open_keys.pop()
        open_keys.append((line.indent, pair["key"].strip()))
        value = _plain(pair["value"] or "")
        is_block = value[:1] in {"|", ">"}
        texts["/".join(key for _, key in open_keys)] = "" if is_block else value
    return texts


def _lines(text: str) -> Iterator[_Line]:
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.lstrip(" ")
        if bare.startswith("\t"):
            raise InputError(f"line {number}: is indented by a tab, which YAML does not know")
        indent = len(line) - len(bare)
        while bare.startswith("- "):
            indent, bare = indent + 2, bare[2:].lstrip(" ")
        bare = bare.rstrip()
        if bare and not bare.startswith("#") and bare not in {"---", "...", "-"}:
            yield _Line(number, indent, bare)


def _plain(value: str) -> str:
    """A text without its quotes, or without the comment behind it."""
    value = value.strip()
    if value[:1] in {"'", '"'} and value.find(value[0], 1) > 0:
        return value[1 : value.find(value[0], 1)]
    return "" if value.startswith("#") else re.split(r"\s#", value, maxsplit=1)[0].rstrip()
