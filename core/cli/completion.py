"""`completion`: what completes command lines in a shell, made of the parsers themselves."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator

from core.api import targets
from core.base.frozen import Frozen
from core.cli import exits
from core.cli.help import ALL, known_actions
from core.cli.output import show
from core.cli.run import parser_of
from core.cli.sub_command import SubCommand, Work
from core.ir import engines, knobs


class Option(Frozen):
    """An option of a command, and what may stand behind it."""

    names: tuple[str, ...]
    help: str
    takes_value: bool
    values: tuple[str, ...] = ()


class Command(Frozen):
    """A command with its options."""

    name: str
    text: str
    options: tuple[Option, ...]
    words: tuple[str, ...] = ()
    """What its argument can be, where that is no file."""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=tuple(SCRIPTS), metavar="SHELL", help="bash, zsh or fish")


def _run(arguments: argparse.Namespace) -> int:
    commands = tuple(map(_command, arguments.commands))
    show(SCRIPTS[arguments.shell](commands))
    return exits.OK


def _command(command: SubCommand) -> Command:
    actions = tuple(known_actions(parser_of(command)))
    words = (
        str(word) for each in actions if not each.option_strings for word in each.choices or ()
    )
    return Command(
        name=command.name,
        text=command.text,
        options=tuple(_option(each) for each in actions if each.option_strings),
        words=tuple(words),
    )


def _option(action: argparse.Action) -> Option:
    return Option(
        names=tuple(action.option_strings),
        help=(action.help or "").split(";")[0] % {"default": action.default},
        takes_value=action.nargs != 0,
        values=tuple(_values(action)),
    )


def _values(action: argparse.Action) -> Iterator[str]:
    """The names that an option knows."""
    if action.metavar == ALL:
        yield ALL
    yield from map(str, action.choices or ())
    presets = targets.load_configs()
    for knob in knobs.KNOBS:
        if knob.option in action.option_strings:
            row = engines.ENGINE if knob.name == "engine" else knob
            yield from (each.text for each in row.choices(presets) if each.value is not None)


def _bash(commands: tuple[Command, ...]) -> str:
    lines = [
        "# Completes reefpoint in bash.",
        "_reefpoint() {",
        '  local current="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" words=""',
        "  COMPREPLY=()",
        '  if [ "$COMP_CWORD" -eq 1 ]; then',
        f'    words="{" ".join(each.name for each in commands)}"',
        "  else",
        '    case "${COMP_WORDS[1]} $before" in',
    ]
    for command in commands:
        for option in command.options:
            if option.takes_value:
                patterns = "|".join(f'"{command.name} {name}"' for name in option.names)
                lines.append(f'      {patterns}) words="{" ".join(option.values)}" ;;')
        names = [*command.words, *(name for option in command.options for name in option.names)]
        lines.append(f'      "{command.name} "*) words="{" ".join(names)}" ;;')
    lines += [
        "    esac",
        "  fi",
        '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
        "}",
        "complete -o default -F _reefpoint reefpoint",
    ]
    return "\n".join(lines) + "\n"


def _zsh(commands: tuple[Command, ...]) -> str:
    lines = ["#compdef reefpoint", "_reefpoint() {", "  local -a commands"]
    named = " ".join(_quoted(f"{each.name}:{each.text}") for each in commands)
    lines += [
        f"  commands=({named})",
        "  if (( CURRENT == 2 )); then",
        "    _describe command commands",
        "    _files",
        "    return",
        "  fi",
        "  case $words[2] in",
    ]
    for command in commands:
        specs = " ".join(_quoted(spec) for each in command.options for spec in _zsh_specs(each))
        rest = _quoted(f"*: :({' '.join(command.words)})" if command.words else "*: :_files")
        lines.append(
            f"    {command.name}) shift words; (( CURRENT-- )); _arguments {specs} {rest} ;;"
        )
    lines += [
        "  esac",
        "}",
        'if [ "$funcstack[1]" = _reefpoint ]; then _reefpoint',
        "else compdef _reefpoint reefpoint; fi",
    ]
    return "\n".join(lines) + "\n"


def _zsh_specs(option: Option) -> Iterator[str]:
    told = "".join(f"\\{sign}" if sign in "[]:\\" else sign for sign in option.help)
    behind = f"({' '.join(option.values)})" if option.values else "_files"
    for name in option.names:
        yield f"{name}[{told}]" + (f": :{behind}" if option.takes_value else "")


def _fish(commands: tuple[Command, ...]) -> str:
    lines = ["# Completes reefpoint in fish."]
    for command in commands:
        lines.append(
            f"complete -c reefpoint -n __fish_use_subcommand -a {command.name}"
            f" -d {_fish_quoted(command.text)}"
        )
        behind = f"complete -c reefpoint -n '__fish_seen_subcommand_from {command.name}'"
        if command.words:
            lines.append(f"{behind} -f -a {_fish_quoted(' '.join(command.words))}")
        lines += [f"{behind} {' '.join(_fish_parts(option))}" for option in command.options]
    return "\n".join(lines) + "\n"


def _fish_parts(option: Option) -> Iterator[str]:
    yield from (
        f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names
    )
    if option.values:
        yield f"-x -a {_fish_quoted(' '.join(option.values))}"
    elif option.takes_value:
        yield "-r"
    yield f"-d {_fish_quoted(option.help)}"


def _quoted(text: str) -> str:
    """A word for a shell of Bourne's kind."""
    return "'" + text.replace("'", "'\\''") + "'"


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


SCRIPTS: dict[str, Callable[[tuple[Command, ...]], str]] = {
    "bash": _bash,
    "zsh": _zsh,
    "fish": _fish,
}
WORK = Work(add_arguments=_add_arguments, run=_run)
