"""What arguments describe: a target, options, a model."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from core.api import targets
from core.base.errors import OptionError
from core.base.forms import Form
from core.base.outputs import FORCE, Output, demand_outputs
from core.cli.output import STANDARD_OUTPUT, printed_options
from core.ir import engines, knobs
from core.ir.edits import What
from core.ir.knob import Files, Knob, Listed, Name, Number, Stage, Switch
from core.ir.options import Engine, Options, Search
from core.ir.settings import Settings
from core.ir.together import Calls
from core.target.config import Catalogue
from core.target.resolve import DEFAULT_ACCELERATOR
from core.target.target import Target

_GROUPS = ("target", "search", "search of --engine pareto", "how the network is lowered")
WORDS = ("engine", "search", "effort")
"""Options that say who searches; what one of them means depends on which others are given."""


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors belong to the family that `main` prints."""

    def error(self, message: str) -> NoReturn:
        """Raise what `main` prints."""
        raise OptionError(f"{message} (see {self.prog} --help)")


def parsed(parser: argparse.ArgumentParser, argv: Sequence[str]) -> argparse.Namespace:
    """What a command line says, with no file in it lost by what it asks for.

    A `Path` among the values is read, an `Output` is written.
    """
    found = on_board(parser, argv)
    values = [each for value in vars(found).values() for each in _each(value)]
    if len(printed := printed_options(found)) > 1:
        raise OptionError(f"{' and '.join(printed)}: standard output takes one of them")
    demand_outputs(
        (each for each in values if isinstance(each, Output) and each.path != STANDARD_OUTPUT),
        (*(each for each in values if isinstance(each, Path)), *_project_in(found)),
        replaces=getattr(found, "force", False),
        way_on=FORCE,
    )
    return found


def _project_in(found: argparse.Namespace) -> Iterable[Path]:
    """The file that stands for a board, which is read as well."""
    name = getattr(found, "board", None)
    return [Path(name)] if name is not None and targets.is_project(name) else []


def on_board(parser: argparse.ArgumentParser, argv: Sequence[str]) -> argparse.Namespace:
    """What a command line says, with what its board says where it says nothing itself."""
    found = parser.parse_args(argv)
    name = getattr(found, "board", None)
    if name is None:
        return found
    usual = {"accelerator_config": DEFAULT_ACCELERATOR}
    said = targets.stands_for(name)
    told = said.target
    open_yet = {each for each in told if parser.get_default(each) == usual.get(each)}
    if getattr(found, "sram", None) or getattr(found, "sram_of", None):
        open_yet.discard("arena_cache_size")
    parser.set_defaults(**{each: value for each, value in told.items() if each in open_yet})
    if isinstance(said, targets.Project):
        # What is typed is read after it, and goes before it.
        parser.set_defaults(config=[*said.configs])
    return parser.parse_args(argv)


def _each(value: object) -> Iterable[object]:
    """A value, or the parts of one that has some."""
    if isinstance(value, list | tuple):
        return [each for part in value for each in _each(part)]
    return (value,)


def model_argument(parser: argparse.ArgumentParser) -> None:
    """The argument that names what a command works on."""
    parser.add_argument(
        "model", type=Path, metavar="MODEL", help="a .tflite file, or a compiled .pte"
    )


def json_argument(parser: argparse.ArgumentParser) -> None:
    """The argument for a result that a program reads."""
    output_argument(
        parser, "--json", form=Form.JSON, help="write the same as JSON; - prints it", prints=True
    )


def output_argument(
    parser: argparse._ActionsContainer, *names: str, form: Form, prints: bool = False, **told: Any
) -> None:
    """An argument for a file that is written, where `--force` is another argument."""

    def output(text: str) -> Output:
        path = Path(text)
        if path == STANDARD_OUTPUT and not prints:
            raise argparse.ArgumentTypeError("-: is not a file")
        return Output(path=path, form=form)

    parser.add_argument(*names, type=output, **{"metavar": "F"} | told)


def force_argument(parser: argparse._ActionsContainer) -> None:
    """The argument that lets files be replaced by others of another kind."""
    parser.add_argument(
        "--force",
        action="store_true",
        help="replace files also where something of another kind is in them; what is read is"
        " never replaced",
    )


def strict_argument(parser: argparse.ArgumentParser, told: str) -> None:
    """The argument for those who cannot use a schedule that is not as they asked."""
    parser.add_argument(
        "--strict",
        action="store_true",
        help="where a limit is exceeded, an edit refused or about nothing of this network, or what"
        f" is adopted of another one: {told} with exit code 3",
    )


def trial_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments for what is tried."""
    group = parser.add_argument_group("trial")
    group.add_argument(
        "--inputs",
        type=whole_number,
        metavar="N",
        help="how many inputs are tried, one after the other; where it is not said, from 4 of a"
        " large network to 96 of a small one",
    )
    group.add_argument(
        "--seed",
        type=whole_number,
        default=0,
        metavar="S",
        help="which inputs: the same seed makes the same ones; %(default)s where none is given",
    )


def target_arguments() -> Parser:
    """The arguments for all knobs, for every command that takes a target."""
    parser = Parser(add_help=False)
    presets = targets.load_configs()
    names = ", ".join(board.name for board in targets.BOARDS)
    groups = {name: parser.add_argument_group(name) for name in _GROUPS}
    groups[_GROUPS[0]].add_argument(
        "--board",
        metavar="NAME",
        help="accelerator, system config, memory mode and SRAM of a board, each of which another"
        f" option may say otherwise; `boards` tells their sources; one of {names}; or a project of"
        " CMSIS-Toolbox (*.cbuild-mlops.yml), with the vela.ini that it names",
    )
    for knob in knobs.KNOBS:
        group = groups[_group_of(knob)]
        _add_knob(group, engines.ENGINE if knob.name == "engine" else knob, presets)
    # Which of these are left out decides what the others mean.
    parser.set_defaults(**dict.fromkeys(WORDS))
    return parser


def _group_of(knob: Knob) -> str:
    """Which part of a help has it."""
    target, search, pareto, lowering = _GROUPS
    if not knob.is_option:
        return target
    if knob.engine is Engine.PARETO:
        return pareto
    return lowering if knob.redoes is Stage.LOWERING and knob.name not in WORDS else search


def _add_knob(group: argparse._ArgumentGroup, knob: Knob, presets: Catalogue) -> None:
    names, default = filter(None, (knob.option, knob.also)), knob.default
    match knob.takes:
        case Switch():
            action = argparse.BooleanOptionalAction if default else "store_true"
            group.add_argument(*names, action=action, default=default, help=knob.help)
        case Files():
            group.add_argument(
                *names,
                action="append",
                type=Path,
                default=[],
                metavar=knob.metavar,
                help=knob.help,
            )
        case Listed():
            group.add_argument(
                *names, action="append", default=[], metavar=knob.metavar, help=knob.help
            )
        case _:
            group.add_argument(
                *names,
                default=None if default is None else knob.text(default),
                metavar=knob.metavar,
                help=_help(knob, presets),
            )


def _help(knob: Knob, presets: Catalogue) -> str:
    known = [each.text for each in knob.choices(presets) if each.value is not None]
    which = "such as " if isinstance(knob.takes, Number) else "one of "
    told = [knob.help, which + ", ".join(known) if known else ""]
    is_left = isinstance(knob.takes, Name) and knob.default is not None
    return ", ".join(filter(None, told)) + "; %(default)s where none is given" * is_left


def settings_of(arguments: argparse.Namespace, usual: Search = Search.DIRECT) -> Settings:
    """What parsed arguments ask for; who names no search gets the usual one."""
    words = [getattr(arguments, name) for name in WORDS]
    settings = knobs.turned(Settings(), engines.meant(*words, usual=usual))
    for knob in knobs.KNOBS:
        if knob.name in WORDS:
            continue
        found = getattr(arguments, knob.option[2:].replace("-", "_"))
        settings = knob.turned(settings, given(knob, found))
    _demand_engine(settings)
    return settings


def given(knob: Knob, found: Any) -> Any:
    """The value of a knob that a parsed argument asks for."""
    if isinstance(found, list):
        texts = tuple(map(str, found))
        return knob.read(",".join(texts)) if isinstance(knob.takes, Listed) else texts
    return knob.read(found) if isinstance(found, str) else found


def _demand_engine(settings: Settings) -> None:
    """Refuse what only the other engine has."""
    asked = settings.options.engine
    for knob in knobs.KNOBS:
        if instead := knob.needless(settings):
            raise OptionError(
                f"{' '.join(knob.words(settings))} asks for --engine {engines.Named.FRONT.value};"
                f" the front of --engine {asked.value} {instead}"
            )
        if knob.is_turned(settings) and not knob.suits(settings):
            home = engines.home_of(knob)
            *names, last = (k.switch for k in knobs.KNOBS if engines.home_of(k) == home)
            told = f"{', '.join(names)} and {last} ask" if names else f"{last} asks"
            raise OptionError(f"{told} for {home}")


def target_of(arguments: argparse.Namespace) -> Target:
    """The target that parsed arguments describe."""
    return settings_of(arguments).target()


def options_of(arguments: argparse.Namespace) -> Options:
    """The options that parsed arguments describe."""
    return settings_of(arguments).options


def whole_number(text: str) -> int:
    """A number that counts something, for use as the type of an argument."""
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number")
    return int(text)


# Decisions that are taken already, and other models in the device.

_TRIED = 12
_ADOPTED = tuple(what.value for what in What if what is not What.RESERVE)
_NAMES = ", ".join(_ADOPTED)
_CALLS = {calls.value: calls for calls in Calls}


def edits_arguments(parser: argparse._ActionsContainer, *, writes: bool = True) -> None:
    """The arguments for decisions that are not the compiler's to take."""
    parser.add_argument(
        "--edits",
        type=Path,
        metavar="F",
        help="decisions to obey, as --write-edits writes them; what became of each is told",
    )
    parser.add_argument(
        "--adopt",
        type=Path,
        metavar="FILE",
        help="decide as another schedule does: one as JSON, or a compiled model, whoever made it;"
        " where --edits decides too, that holds",
    )
    parser.add_argument(
        "--adopt-what",
        type=_decisions,
        default=frozenset(What) - {What.ADDRESS},
        metavar="WHAT",
        help=f"adopt these alone, with commas between: {_NAMES}; all but the address where it is"
        " not said, and the search decides the rest",
    )
    parser.add_argument(
        "--notes",
        type=Path,
        metavar="F",
        help="notes about operators, maps and stretches of time: a file of them, or a schedule's"
        " JSON that has some; they go into what is written",
    )
    if not writes:
        return
    output_argument(
        parser,
        "--write-edits",
        form=Form.JSON,
        help="write all decisions of the schedule; --edits with them finds it again",
    )


def trial_of_edits_argument(parser: argparse._ActionsContainer) -> None:
    """The argument for how much is tried to say what edits cost."""
    parser.add_argument(
        "--tried-edits",
        type=whole_number,
        default=_TRIED,
        metavar="N",
        help="with up to so many edits, tell what each costs and what would let a refused one be,"
        " by scheduling without it; %(default)s where it is not said",
    )


def around_argument(parser: argparse._ActionsContainer) -> None:
    """The argument for a schedule that stays as it is but for edits."""
    parser.add_argument(
        "--around",
        type=Path,
        metavar="FILE",
        help="edits change this schedule (one as JSON, or a compiled model) and nothing else: what"
        " must follow follows, and all else stays as it is, to the address; without it, edits are"
        " part of the search, which decides the rest anew",
    )


def _decisions(text: str) -> frozenset[What]:
    """The kinds of decisions that a list names."""
    known = {what.value: what for what in What if what.value in _ADOPTED}
    for name in text.split(","):
        if name not in known:
            raise argparse.ArgumentTypeError(f"'{name}' is none of {_NAMES}")
    return frozenset(known[name] for name in text.split(","))


def together_arguments(
    parser: argparse._ActionsContainer,
    then: str = "all are scheduled so that they fit the limit together",
) -> None:
    """`--with` and `--calls`, and what comes of it."""
    parser.add_argument(
        "--with",
        dest="others",
        action="append",
        type=Path,
        default=[],
        metavar="OTHER.tflite",
        help="another model in the same device, compiled or not; may be given several times;"
        f" {then}",
    )
    parser.add_argument(
        "--calls",
        choices=_CALLS,
        default=Calls.IN_TURN.value,
        help="how models in one device are called: "
        + "; ".join(f"{calls.value}, {calls.meaning}" for calls in Calls),
    )


def calls_of(arguments: argparse.Namespace) -> Calls:
    """How models in one device are called."""
    return _CALLS[arguments.calls]
