"""The arguments of `report`, which is run by who can draw: see `main.py`."""

from __future__ import annotations

import argparse
from pathlib import Path

from core.cli.arguments import model_argument, whole_number


def report_arguments(parser: argparse.ArgumentParser) -> None:
    """What is reported, how, and where to."""
    model_argument(parser)
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="DIR|FILE",
        help="a folder for everything; or a file, .html or .pdf, for the report alone",
    )
    group = parser.add_argument_group("report")
    group.add_argument(
        "--format",
        default="",
        metavar="NAMES",
        help="what a folder gets, with commas between: html, pdf, csv, json, trace, png, svg;"
        " all but pdf and svg where it is not said",
    )
    group.add_argument("--theme", default="light", metavar="NAME", help="light or dark")
    group.add_argument("--size", default="1280x720", metavar="WxH", help="of the pictures")
    group.add_argument(
        "--scale",
        default=1,
        type=whole_number,
        metavar="N",
        help="pixels of a PNG for each one of the size",
    )
