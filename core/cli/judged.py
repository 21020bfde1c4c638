"""Judgements for those who review: a table for a comment, a test report, GitHub's runner."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from core.base.forms import Form
from core.cli.arguments import output_argument
from core.cli.output import say
from core.report.judgements import Judgement, runner_lines


def judgement_arguments(parser: argparse._ActionsContainer) -> None:
    """`--md`, `--junit` and `--github`."""
    output_argument(parser, "--md", form=Form.MARKDOWN, help="write a table for a comment")
    output_argument(parser, "--junit", form=Form.JUNIT, help="write limits as JUnit's XML")
    parser.add_argument(
        "--github",
        action="store_true",
        help="print annotations for GitHub's runner, and add the table to the step's summary",
    )


def tell_runner(judged: Sequence[Judgement], file: str, table: str) -> None:
    """Mark a file where something does not hold, and add a table to the summary of the step."""
    say(*runner_lines(judged, file))
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if path:
        with Path(path).open("a", encoding="utf-8") as summary:
            summary.write(table)
