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


def known_argument(parser: argparse.ArgumentParser) -> None:
    """`--use-known`, for a command whose result has to be the same wherever it is made."""
    either = parser.add_mutually_exclusive_group()
    either.add_argument(
        "--use-known",
        action="store_true",
        help="begin with fronts of --search best that other commands have kept, and keep what is"
        " found: sooner, or better, but what is written is another thing on another machine",
    )
    either.add_argument("--no-cache", action="store_true", help="as it is without --use-known")


def known_of(arguments: argparse.Namespace) -> Kept | None:
    """Where fronts are kept, where somebody asks for what is known."""
    return kept_of(arguments) if arguments.use_known else None


def kept_of(arguments: argparse.Namespace) -> Kept | None:
    """Where fronts are kept, if they are; said where they are not although they were to be."""
    kept = None if arguments.no_cache else kept_by_default(os.environ)
    if kept is not None and kept.refusal:
        warn([f"no fronts are kept: {kept.refusal}"])
    return kept
