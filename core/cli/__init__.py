"""The command line: the headless twin of the app; one file for each sub-command.

Only what every command needs is here: whoever asks for `--version` does not wait for a search.
"""

from core.base.errors import about
from core.cli.arguments import (
    around_argument,
    calls_of,
    edits_arguments,
    force_argument,
    model_argument,
    output_argument,
    parsed,
    settings_of,
    target_arguments,
    together_arguments,
    whole_number,
)
from core.cli.output import complain, progress_line, say, warn
from core.cli.run import main
from core.cli.streams import heard
from core.cli.sub_command import SubCommand, Work
from core.cli.table import COMPARE

__all__ = [
    "COMPARE",
    "SubCommand",
    "Work",
    "about",
    "around_argument",
    "calls_of",
    "complain",
    "edits_arguments",
    "force_argument",
    "heard",
    "main",
    "model_argument",
    "output_argument",
    "parsed",
    "progress_line",
    "say",
    "settings_of",
    "target_arguments",
    "together_arguments",
    "warn",
    "whole_number",
]
