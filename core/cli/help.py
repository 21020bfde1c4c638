"""`--help`: what is used most, on one screen, with examples; `--help all` has all options."""

from __future__ import annotations

import argparse
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from core.cli.output import show
from core.cli.sub_command import SubCommand

ALL = "all"
_WIDTH, _NAMES = 79, 28
_USUAL = ("--accelerator-config", "--memory-mode", "--arena-cache-size", "--effort")
"""Of what all commands with a target have."""


class Help(argparse.Action):
    """Prints help and leaves; `command` is told by whoever adds it."""

    command: SubCommand

    def __init__(self, option_strings: Sequence[str], dest: str, **told: Any) -> None:
        super().__init__(option_strings, dest, nargs="?", metavar=ALL, **told)

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        """Print the one or the other."""
        del namespace, option_string
        show(
            whole_help(parser, self.command) if values == ALL else short_help(parser, self.command)
        )
        parser.exit()


def help_of(command: SubCommand) -> type[Help]:
    """The action that prints the help of a command."""
    return type("HelpOf", (Help,), {"command": command})


def short_help(parser: argparse.ArgumentParser, command: SubCommand) -> str:
    """The arguments that there must be, options that are used most, and examples."""
    actions = parser._actions  # noqa: SLF001 - argparse tells them in no other way
    needed = [each for each in actions if not each.option_strings or each.required]
    names = (*command.most_used, *(_USUAL if command.takes_target else ()))
    by_name = {name: each for each in actions for name in each.option_strings}
    used = [by_name[name] for name in names if not by_name[name].required]
    parts = [
        f"usage: {parser.prog} {' '.join([*map(_usage, needed), '[options]'])}",
        textwrap.fill(command.sentence, _WIDTH),
        "\n".join(map(_line, needed)),
        "\n".join(("most used:", *map(_line, used))) if used else "",
        _examples(parser.prog, command),
        f"{parser.prog} --help {ALL} tells all options.",
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def whole_help(parser: argparse.ArgumentParser, command: SubCommand) -> str:
    """All arguments in their groups, and examples."""
    return f"{parser.format_help()}\n{_examples(parser.prog, command)}\n"


def overview(prog: str, commands: Iterable[SubCommand]) -> str:
    """What there is, a line for each command."""
    rows = "\n".join(f"  {each.name:<11}{_short(each.text, _WIDTH - 13)}" for each in commands)
    return (
        f"usage: {prog} COMMAND ...\n"
        f"       {prog} [MODEL] opens the app\n\n"
        "Schedules and compiles networks for Arm Ethos-U NPUs.\n\n"
        f"{rows}\n\nexamples:\n"
        f"  {prog} schedule net.tflite --accelerator-config ethos-u55-128\n"
        f"  {prog} compile net.tflite -o net_npu.tflite --verify\n\n"
        f"{prog} COMMAND --help tells what a command takes, with {ALL} behind it everything.\n"
    )


def _examples(prog: str, command: SubCommand) -> str:
    return "\n".join(("examples:", *(f"  {prog} {words}" for words in command.examples)))


def _usage(action: argparse.Action) -> str:
    value = str(action.metavar or action.dest).upper()
    name = f"{action.option_strings[0]} {value}" if action.option_strings else value
    return f"{name} ..." if action.nargs == "+" else name


def _line(action: argparse.Action) -> str:
    value = "" if action.nargs == 0 else str(action.metavar or action.dest.upper())
    names = (*action.option_strings[:1], value)
    told = (action.help or "") % {"default": action.default, "prog": ""}
    name = " ".join(filter(None, names))
    return f"  {name:<{_NAMES - 2}} {_short(told, _WIDTH - _NAMES - 1)}"


def _short(text: str, width: int) -> str:
    """The first thing that a text says, within a line."""
    first = re.split("[;:] ", text)[0]
    return textwrap.shorten(first, width, placeholder=" ...")


def known_actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """All arguments of a parser."""
    yield from parser._actions  # noqa: SLF001 - as above
