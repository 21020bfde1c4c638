"""The command line: the headless twin of the app."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from core import api
from core.base.errors import CoreError, InputError, OptionError
from core.base.version import VERSION
from core.ir.options import Allocator, EvictionPolicy, Options, Search, Strategy
from core.report.limits import over_limits
from core.report.progress_line import ProgressLine
from core.target.target import Target

EXIT_OK = 0
EXIT_REFUSED = 2
EXIT_INTERRUPTED = 130

SUB_COMMANDS = ("inspect", "schedule")


def main(argv: Sequence[str]) -> int:
    """Run one sub-command; what is wrong comes out as one line on standard error."""
    try:
        arguments = _parser().parse_args(argv)
        return _COMMANDS[arguments.command](arguments)
    except CoreError as error:
        print(f"reefpoint: {error}", file=sys.stderr)
        return EXIT_REFUSED
    except BrokenPipeError:
        # The reader of our output has seen enough; nothing more can be said to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_OK
    except KeyboardInterrupt:
        print("reefpoint: interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED


class _Parser(argparse.ArgumentParser):
    """An argument parser whose errors belong to the family that `main` prints."""

    def error(self, message: str) -> NoReturn:
        """Raise what `main` prints."""
        raise OptionError(f"{message} (see {self.prog} --help)")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="reefpoint", description="Schedules networks for Arm Ethos-U NPUs.")
    parser.add_argument("--version", action="version", version=f"reefpoint {VERSION}")
    commands = parser.add_subparsers(dest="command", required=True, parser_class=_Parser)
    for name, text in _HELP.items():
        command = commands.add_parser(
            name, parents=[target_arguments()], help=text, description=_sentence(text)
        )
        command.add_argument("model", type=Path, metavar="MODEL", help="a .tflite file")
        command.add_argument(
            "--json", type=Path, metavar="F", help="write the same as JSON; - prints it"
        )
    return parser


_HELP = {
    "inspect": "print tensors, operators, their placement with reasons, and the NPU operators; of a"
    " compiled model, what its command streams do",
    "schedule": "print how the network runs: blocks, stripes, cascades, weight buffers, memory, and"
    " what that costs",
}


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def target_arguments() -> _Parser:
    """The arguments that describe a target, for every command that takes one."""
    parser = _Parser(add_help=False)
    group = parser.add_argument_group("target")
    presets = api.load_configs()
    group.add_argument(
        "--accelerator-config",
        default="ethos-u55-256",
        metavar="NAME",
        help=_one_of(api.ACCELERATORS) + "; %(default)s where none is given",
    )
    group.add_argument(
        "--config",
        action="append",
        default=[],
        type=Path,
        metavar="F",
        help="an .ini file with more system configs and memory modes; may be repeated",
    )
    group.add_argument("--system-config", metavar="NAME", help=_one_of(presets.system_configs))
    group.add_argument("--memory-mode", metavar="NAME", help=_one_of(presets.memory_modes))
    group.add_argument(
        "--arena-cache-size", metavar="BYTES", help="such as 393216, 384K or 0x60000"
    )
    group.add_argument(
        "--optimise",
        default=Strategy.PERFORMANCE.value,
        metavar="STRATEGY",
        help=_one_of(strategy.value for strategy in Strategy),
    )
    group.add_argument(
        "--tensor-allocator",
        default=Allocator.HILL_CLIMB.value,
        metavar="NAME",
        help=_one_of(allocator.value for allocator in Allocator),
    )
    group.add_argument(
        "--spilling",
        default=EvictionPolicy.COMPONENT.value,
        metavar="POLICY",
        help="what leaves fast storage where not all fits, "
        + _one_of(policy.value for policy in EvictionPolicy),
    )
    group.add_argument(
        "--search",
        default=Search.DIRECT.value,
        metavar="HOW",
        help="with monotone, more memory never costs cycles, but the search takes longer, "
        + _one_of(search.value for search in Search),
    )
    group.add_argument(
        "--force-symmetric-int-weights",
        action="store_true",
        help="take signed weights as symmetric even where the file gives them a zero point",
    )
    return parser


def _one_of(names: Iterable[str]) -> str:
    return "one of " + ", ".join(names)


def target_of(arguments: argparse.Namespace, accelerator: str | None = None) -> Target:
    """The target that parsed arguments describe, or the same with another accelerator."""
    return api.resolve_target(
        accelerator or arguments.accelerator_config,
        arguments.system_config,
        arguments.memory_mode,
        config_files=tuple(arguments.config),
        arena_cache_size=arguments.arena_cache_size,
    )


def options_of(arguments: argparse.Namespace) -> Options:
    """The options that parsed arguments describe."""
    return Options(
        strategy=_choice(Strategy, "strategy", arguments.optimise),
        allocator=_choice(Allocator, "tensor allocator", arguments.tensor_allocator),
        eviction=_choice(EvictionPolicy, "spilling policy", arguments.spilling),
        search=_choice(Search, "search", arguments.search),
        force_symmetric_int_weights=arguments.force_symmetric_int_weights,
    )


Choice = TypeVar("Choice", Strategy, Allocator, EvictionPolicy, Search)


def _choice(kinds: type[Choice], what: str, name: str) -> Choice:
    for kind in kinds:
        if kind.value.lower() == name.lower():
            return kind
    raise OptionError.unknown(what, name, (kind.value for kind in kinds))


def _inspect(arguments: argparse.Namespace) -> int:
    model = api.read_bytes(arguments.model)
    with _about(arguments.model):
        opened = api.open_compiled(model, lambda found: target_of(arguments, found.name))
    if opened is not None:
        return _inspect_compiled(arguments, opened)
    target = target_of(arguments)
    with _about(arguments.model), _progress() as progress:
        result = api.run(model, target, options_of(arguments), progress)
    _warn(api.check_network(result.network))
    name = arguments.model.name
    if arguments.json is None:
        print(api.render(name, result, target), end="")
    else:
        _put_json(arguments.json, api.describe(name, result, target))
    return EXIT_OK


def _inspect_compiled(arguments: argparse.Namespace, opened: api.Opened) -> int:
    name = arguments.model.name
    if arguments.json is None:
        print(api.render_program(name, opened), end="")
    else:
        _put_json(arguments.json, api.describe_program(name, opened))
    for number, part in enumerate(opened.program.parts):
        if part.stream.problem is not None:
            word, reason = part.stream.problem
            where = f"{arguments.model}: command stream {number}, word {word}"
            raise InputError(reason, where)
    return EXIT_OK


def _schedule(arguments: argparse.Namespace) -> int:
    target, model = target_of(arguments), api.read_bytes(arguments.model)
    with _about(arguments.model), _progress() as progress:
        scheduled = api.schedule(model, target, options_of(arguments), progress)
    _warn(api.check_network(scheduled.run.network))
    name = arguments.model.name
    if arguments.json is None:
        print(api.render_schedule(name, scheduled), end="")
    else:
        _put_json(arguments.json, api.describe_schedule(name, scheduled))
    # The best schedule that was found is a result, also where it needs more than it may use.
    _warn(over_limits(scheduled.layout))
    return EXIT_OK


_COMMANDS = {"inspect": _inspect, "schedule": _schedule}


def _warn(lines: Iterable[str]) -> None:
    for line in lines:
        print(f"reefpoint: warning: {line}", file=sys.stderr)


@contextmanager
def _about(model: Path) -> Iterator[None]:
    """Let errors about what is in a file name the file."""
    try:
        yield
    except InputError as error:
        where = f"{model}: {error.where}" if error.where else str(model)
        raise InputError(error.message, where) from error


@contextmanager
def _progress() -> Iterator[ProgressLine]:
    """Progress on standard error, which is left as it was."""
    line = ProgressLine(_write_status, time.monotonic, is_terminal=sys.stderr.isatty())
    try:
        yield line
    finally:
        line.clear()


def _write_status(text: str) -> None:
    print(text, end="", file=sys.stderr, flush=True)


def _put_json(path: Path, report: dict[str, Any]) -> None:
    """Print a report, or write it to a file."""
    text = json.dumps(report, indent=1) + "\n"
    if str(path) == "-":
        print(text, end="")
    else:
        write_whole(path, text.encode())


def write_whole(path: Path, content: bytes) -> None:
    """Write a file such that nobody ever sees half of it."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(content)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise OptionError(f"{path}: {error.strerror or 'cannot be written'}") from error
