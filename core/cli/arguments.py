"""What arguments describe: a target, options, a model."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import NoReturn, TypeVar

from core.api import targets
from core.base.errors import OptionError
from core.base.size import parse_size
from core.ir.options import (
    Allocator,
    Engine,
    EvictionPolicy,
    LoweringOptions,
    Options,
    ParetoMetric,
    ParetoOptions,
    Search,
    Strategy,
)
from core.target.target import Target


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors belong to the family that `main` prints."""

    def error(self, message: str) -> NoReturn:
        """Raise what `main` prints."""
        raise OptionError(f"{message} (see {self.prog} --help)")


def model_argument(parser: argparse.ArgumentParser) -> None:
    """The argument that names what a command works on."""
    parser.add_argument("model", type=Path, metavar="MODEL", help="a .tflite file")


def json_argument(parser: argparse.ArgumentParser) -> None:
    """The argument for a result that a program reads."""
    parser.add_argument(
        "--json", type=Path, metavar="F", help="write the same as JSON; - prints it"
    )


def trial_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments for what is tried."""
    group = parser.add_argument_group("trial")
    group.add_argument(
        "--inputs",
        type=whole_number,
        metavar="N",
        help="how many inputs are tried, one after the other; where it is not said, from 4 of a"
        " large network to 16 of a small one",
    )
    group.add_argument(
        "--seed",
        type=whole_number,
        default=0,
        metavar="S",
        help="which inputs: the same seed makes the same ones; %(default)s where none is given",
    )


def target_arguments() -> Parser:
    """The arguments that describe a target, for every command that takes one."""
    parser = Parser(add_help=False)
    group = parser.add_argument_group("target")
    presets = targets.load_configs()
    group.add_argument(
        "--accelerator-config",
        default="ethos-u55-256",
        metavar="NAME",
        help=_one_of(targets.ACCELERATORS) + "; %(default)s where none is given",
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
        "--spill-policy",
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
        help="with monotone, more memory never costs cycles, but the search takes longer"
        " (with --engine cascading), " + _one_of(search.value for search in Search),
    )
    _engine_arguments(group)
    group.add_argument(
        "--force-symmetric-int-weights",
        action="store_true",
        help="take signed weights as symmetric even where the file gives them a zero point",
    )
    return parser


def _engine_arguments(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--engine",
        default=Engine.CASCADING.value,
        metavar="NAME",
        help="who searches the schedule; pareto finds several, from the smallest to the fastest, "
        + _one_of(engine.value for engine in Engine),
    )
    group.add_argument(
        "--pareto-metric",
        default=ParetoMetric.MEMORY.value,
        metavar="METRIC",
        help="what partial schedules are compared by, "
        + _one_of(metric.value for metric in ParetoMetric),
    )
    group.add_argument(
        "--pareto-point",
        metavar="BYTES",
        help="take the fastest schedule that needs no more fast storage than this",
    )
    switches = {
        "--cascading": "let operators run in cascades",
        "--ifm-ofm-overlap": "let outputs lie on inputs",
        "--ifm-streaming": "let operators keep all weights while inputs pass by",
    }
    for name, text in switches.items():
        group.add_argument(
            name,
            action=argparse.BooleanOptionalAction,
            default=True,
            help=f"{text} (with --engine pareto)",
        )


def _one_of(names: Iterable[str]) -> str:
    return "one of " + ", ".join(names)


def target_of(arguments: argparse.Namespace, accelerator: str | None = None) -> Target:
    """The target that parsed arguments describe, or the same with another accelerator."""
    return targets.resolve_target(
        accelerator or arguments.accelerator_config,
        arguments.system_config,
        arguments.memory_mode,
        config_files=tuple(arguments.config),
        arena_cache_size=arguments.arena_cache_size,
    )


def options_of(arguments: argparse.Namespace) -> Options:
    """The options that parsed arguments describe."""
    engine = _choice(Engine, "engine", arguments.engine)
    pareto = _pareto(arguments)
    if engine is not Engine.PARETO and pareto != ParetoOptions():
        raise OptionError(
            "--pareto-metric, --pareto-point, --no-cascading, --no-ifm-ofm-overlap and"
            " --no-ifm-streaming ask for --engine pareto"
        )
    search = _choice(Search, "search", arguments.search)
    if engine is Engine.PARETO and search is Search.MONOTONE:
        raise OptionError(
            "--search monotone asks for --engine cascading; the front of --engine pareto has"
            " schedules for lower limits too"
        )
    return Options(
        strategy=_choice(Strategy, "strategy", arguments.optimise),
        allocator=_choice(Allocator, "tensor allocator", arguments.tensor_allocator),
        eviction=_choice(EvictionPolicy, "spilling policy", arguments.spill_policy),
        search=search,
        engine=engine,
        pareto=pareto,
        lowering=LoweringOptions(force_symmetric_int_weights=arguments.force_symmetric_int_weights),
    )


def _pareto(arguments: argparse.Namespace) -> ParetoOptions:
    most = arguments.pareto_point
    return ParetoOptions(
        metric=_choice(ParetoMetric, "pareto metric", arguments.pareto_metric),
        cascading=arguments.cascading,
        overlap=arguments.ifm_ofm_overlap,
        ifm_streaming=arguments.ifm_streaming,
        most_bytes=None if most is None else parse_size(most),
    )


Choice = TypeVar("Choice", Strategy, Allocator, EvictionPolicy, Search, Engine, ParetoMetric)


def _choice(kinds: type[Choice], what: str, name: str) -> Choice:
    for kind in kinds:
        if kind.value.lower() == name.lower():
            return kind
    raise OptionError.unknown(what, name, (kind.value for kind in kinds))


def whole_number(text: str) -> int:
    """A number that counts something, for use as the type of an argument."""
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number")
    return int(text)
