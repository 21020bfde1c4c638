"""The command line: the headless twin of the app; one file for each sub-command."""

from core.base.errors import about
from core.cli.arguments import settings_of, target_arguments
from core.cli.command import Command, Work
from core.cli.report import report_arguments
from core.cli.run import main
from core.cli.terminal import progress_line, warn

__all__ = [
    "Command",
    "Work",
    "about",
    "main",
    "progress_line",
    "report_arguments",
    "settings_of",
    "target_arguments",
    "warn",
]
