"""The command line: the headless twin of the app."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NoReturn, TypeVar

from core import api
from core.base.errors import CoreError, OptionError
from core.base.version import VERSION
from core.ir.options import Allocator, Options, Strategy
from core.target.target import Target

EXIT_OK = 0
EXIT_REFUSED = 2
EXIT_INTERRUPTED = 130

SUB_COMMANDS = ("inspect",)


def main(argv: Sequence[str]) -> int:
    """Run one sub-command; what is wrong comes out as one line on standard error."""
    try:
        arguments = _parser().parse_args(argv)
        return _inspect(arguments)
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
    inspect = commands.add_parser(
        "inspect",
        parents=[target_arguments()],
        help="print tensors, operators, their placement with reasons, and the NPU operators",
    )
    inspect.add_argument("model", type=Path, metavar="MODEL", help="a .tflite file")
    inspect.add_argument(
        "--json", type=Path, metavar="F", help="write the same as JSON; - prints it"
    )
    return parser


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
        "--force-symmetric-int-weights",
        action="store_true",
        help="take signed weights as symmetric even where the file gives them a zero point",
    )
    return parser


def _one_of(names: Iterable[str]) -> str:
    return "one of " + ", ".join(names)


def target_of(arguments: argparse.Namespace) -> Target:
    """The target that parsed arguments describe."""
    return api.resolve_target(
        arguments.accelerator_config,
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
        force_symmetric_int_weights=arguments.force_symmetric_int_weights,
    )


Choice = TypeVar("Choice", Strategy, Allocator)


def _choice(kinds: type[Choice], what: str, name: str) -> Choice:
    for kind in kinds:
        if kind.value.lower() == name.lower():
            return kind
    raise OptionError.unknown(what, name, (kind.value for kind in kinds))


def _inspect(arguments: argparse.Namespace) -> int:
    target = target_of(arguments)
    result = api.run(api.read_bytes(arguments.model), target, options_of(arguments))
    for problem in api.check_network(result.network):
        print(f"reefpoint: warning: {problem}", file=sys.stderr)
    name = arguments.model.name
    if arguments.json is None:
        print(api.render(name, result, target), end="")
        return EXIT_OK
    text = json.dumps(api.describe(name, result, target), indent=1) + "\n"
    if str(arguments.json) == "-":
        print(text, end="")
    else:
        write_whole(arguments.json, text.encode())
    return EXIT_OK


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
