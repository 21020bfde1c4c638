"""Names of all signs that there are: nothing that is told or written of them is obeyed."""

from __future__ import annotations

import csv
import io
import json
from html.parser import HTMLParser
from random import Random
from typing import NamedTuple

from core.api import comparisons, listings, networks, proof, reports, schedules, targets
from core.base.frozen import replace
from core.base.harmless import terminal_text, visible
from core.cli.output import json_text
from core.ir.options import Options, Search
from core.tflite import reader, writer
from tests.fuzz.kind import Inconsistent, Kind
from tests.fuzz.models import random_model
from tests.fuzz.signatures import compiled

NETWORKS = 40
PIECES = (
    *("\x1b[31m", "\x1b]0;x\x07", "\x9b2J", "\x00", "\x7f", "\r", "\n", "\t", "\u202e", "\u2066"),
    *("=cmd|x", "+1", "-2", "@SUM(A1)", "<script>", "</td>", "]]>", "&#27;", '"', "'", "\\", "|"),
    *("conv", "/", ";", " ", "ä", "名", "\ud7ff", "\ue000", "\uffff", "\U0010ffff"),
)
FORMULAS = tuple("=+-@\t\r")


def _damaged(original: bytes, random: Random) -> bytes:
    network = reader.read(original)
    graph = network.main
    tensors = (replace(tensor, name=_name(random)) for tensor in graph.tensors)
    main = replace(graph, tensors=tuple(tensors), name=_name(random))
    made = replace(network, subgraphs=(main, *network.subgraphs[1:]), description=_name(random))
    return writer.write(made)


def _name(random: Random) -> str:
    if random.random() < 0.2:
        signs = (random.randrange(0x110000) for _ in range(random.randrange(6)))
        return "".join(chr(sign) for sign in signs if not 0xD800 <= sign < 0xE000)
    return "".join(random.choice(PIECES) for _ in range(random.randrange(6)))


def _use(original: bytes, data: bytes, random: Random) -> None:
    plain, told = _told(original, "model.tflite"), _told(data, f"{_name(random)}.tflite")
    for before, after in zip(plain.texts, told.texts, strict=True):
        _demand_plain(terminal_text(after))
        if before.count("\n") != terminal_text(after).count("\n"):
            raise Inconsistent("a name has become a line")
    for line in proof.verify(compiled(data), data, inputs=1).sentences():
        _demand_plain(visible(line))
    for text in told.plain:
        _demand_plain(text)
        json.loads(text)
    for table in told.tables:
        _demand_plain(table)
        _demand_no_formula(table)
    _demand_plain(told.page)
    _demand_one_script(told.page)


class _Told(NamedTuple):
    """All that is said of a network."""

    texts: tuple[str, ...]
    plain: tuple[str, ...]
    tables: tuple[str, ...]
    page: str


def _told(data: bytes, title: str) -> _Told:
    target, options = targets.resolve_target("ethos-u55-128"), Options(search=Search.COMPATIBLE)
    run = networks.run(data, target, options)
    scheduled = schedules.Workbench(run).schedule(target, options)
    account = comparisons.account_of_schedule(scheduled, title)
    compared = comparisons.compare(account, account)
    page = comparisons.document_of(compared, comparisons.Pictures())
    described = (
        networks.describe(title, run, target),
        listings.describe_schedule(title, scheduled),
        comparisons.describe(compared),
    )
    return _Told(
        texts=(
            networks.render(title, run, target),
            listings.render_schedule(title, scheduled, tuple(listings.Detail)),
            comparisons.render(compared),
        ),
        plain=tuple(map(json_text, described)),
        tables=(
            listings.render_layer_csv(title, scheduled),
            listings.render_summary_csv(title, scheduled),
            comparisons.render_csv(compared),
        ),
        page=reports.render_html(page),
    )


def _demand_plain(text: str) -> None:
    odd = {sign for sign in text if not sign.isprintable() and sign != "\n"}
    if odd:
        raise Inconsistent(f"something that cannot be printed is told: {sorted(odd)!r}")


def _demand_no_formula(table: str) -> None:
    for cell in (cell for row in csv.reader(io.StringIO(table)) for cell in row):
        if cell.startswith(FORMULAS) and not _is_number(cell):
            raise Inconsistent(f"a cell begins as a formula does: {cell!r}")


def _is_number(cell: str) -> bool:
    try:
        float(cell.replace(",", "").rstrip("%"))
    except ValueError:
        return cell == "-"
    return True


class _Scripts(HTMLParser):
    count = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.count += tag == "script" or any(name.startswith("on") for name, _ in attrs)


def _demand_one_script(page: str) -> None:
    scripts = _Scripts()
    scripts.feed(page)
    if scripts.count > 1:
        raise Inconsistent("a name has become markup")


KIND = Kind("tflite", lambda random: random_model(random.randrange(NETWORKS)), _damaged, _use)
