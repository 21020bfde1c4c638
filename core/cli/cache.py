"""Whether fronts of the best search are kept from one command to the next."""

from __future__ import annotations

import argparse
import os

from core.api.schedules import OFF, VARIABLE, Kept, kept_by_default
from core.cli.output import warn


def cache_argument(parser: argparse._ActionsContainer) -> None:
    """`--no-cache`."""
    parser.add_argument(
        "--no-cache",
        action="store_true",
        help="keep no fronts of --search best, and take none that were kept;"
        f" {VARIABLE} names another folder for them, or says {OFF}",
    )


def kept_of(arguments: argparse.Namespace) -> Kept | None:
    """Where fronts are kept, if they are; said where they are not although they were to be."""
    kept = None if arguments.no_cache else kept_by_default(os.environ)
    if kept is not None and kept.refusal:
        warn([f"no fronts are kept: {kept.refusal}"])
    return kept
