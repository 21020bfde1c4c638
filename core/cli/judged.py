"""Reviews for those who look at changes: a table for a comment, a test report, GitHub's runner."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from pathlib import Path

from core.base.forms import Form
from core.base.outputs import Output
from core.cli.arguments import output_argument
from core.cli.output import say
from core.report.review import Review, junit, markdown, runner_lines

_WRITTEN = {"md": markdown, "junit": junit}


def review_arguments(parser: argparse._ActionsContainer) -> None:
    """`--md`, `--junit` and `--github`."""
    forms = (
        ("--md", Form.MARKDOWN, "write a table for a comment"),
        ("--junit", Form.JUNIT, "write limits as JUnit's XML"),
    )
    for option, form, told in forms:
        output_argument(parser, option, form=form, prints=True, help=f"{told}; - prints it")
    parser.add_argument(
        "--github",
        action="store_true",
        help="print annotations for GitHub's runner, and add the table to the step's summary",
    )


def review_texts(arguments: argparse.Namespace, review: Review) -> Iterator[tuple[Output, str]]:
    """The review as it is asked for, to be written with all else that a command writes."""
    for name, render in _WRITTEN.items():
        output = getattr(arguments, name)
        if output is not None:
            yield output, render(review)


def tell_runner(arguments: argparse.Namespace, review: Review, file: Path) -> None:
    """Where it is asked for, mark a file where something does not hold, and add the table to the
    summary of the step."""
    if not arguments.github:
        return
    say(*runner_lines(review, str(file)))
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if path:
        with Path(path).open("a", encoding="utf-8") as summary:
            summary.write(markdown(review))
