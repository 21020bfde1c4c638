"""Names that somebody else chose go through every command, and nothing that reads it obeys them.

Whatever is printed or written is looked at sign by sign: terminals, browsers, spreadsheets and
viewers of JSON each have what they would take for an order.
"""

from __future__ import annotations

import csv
import html.parser
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import main as program
from core.base.errors import CoreError, InputError
from core.base.frozen import replace
from core.base.harmless import csv_text, markdown_text, tab_text, terminal_text, to_json, xml_text
from core.ir.network import Network, Table
from core.tflite import reader, writer
from reefpoint.agents import Agents
from tests.shared import need

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "resources" / "examples" / "shuffle_with_cpu.tflite"
HOSTILE = (
    "\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07",
    "\x9b31m",
    "\x85next",
    "\x00nothing",
    "\x7frubbed out",
    "a\rb",
    "two\nholds: 1 output, 0 findings",
    "\u202egnp.exe\u2066",
    "\u2028line",
    "\ufeff\ufffe\uffff",
    "=cmd|' /C calc'!A0",
    "+cmd|x",
    "-2+3+cmd|x",
    "@SUM(A1)",
    "\t=1+1",
    " =1+1",
    "]]>",
    "<script>alert(1)</script>",
    "<svg onload=alert(1)>",
    "\"' onmouseover='x",
    "&lt;&#27;",
    "`id` $(id) %n %s",
    "[x](javascript:y)|z",
    "\x01\x02\x03\x04\x05\x06\x08\x0b\x0c\x0e\x0f\x10\x1f\x80\x9f",
    "*/ /* -->",
    "",
)
HALVES = ("\ud800", "a\udfffb\udcff")
"""What only names of files and notes can have."""
FORMULAS = tuple("=+-@\t\r")


def spoilt(network: Network) -> bytes:
    """A network in which everything that has a name has one of these."""
    names = iter(HOSTILE * 100)
    graph = network.main
    tensors = tuple(replace(tensor, name=next(names)) for tensor in graph.tensors)
    ends = tuple(
        Table(kind="TensorMap", fields=(("name", next(names)), ("tensor_index", tensor)))
        for tensor in graph.outputs
    )
    signature = Table(
        kind="SignatureDef", fields=(("outputs", ends), ("signature_key", HOSTILE[0]))
    )
    main = replace(graph, tensors=tensors, name="".join(HOSTILE[:8]))
    return writer.write(
        replace(network, subgraphs=(main,), signatures=(signature,), description=HOSTILE[0])
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hostile")


@pytest.fixture(scope="module")
def model(folder: Path) -> Path:
    path = folder / "=\x1b[31m\u202e<script>\n.tflite"
    path.write_bytes(spoilt(reader.read(EXAMPLE.read_bytes())))
    return path


@pytest.fixture(scope="module")
def made(model: Path, folder: Path) -> Path:
    path = folder / "made\x1b.tflite"
    assert program.main(["compile", str(model), "-o", str(path)]) == 0
    return path


def demand_plain(text: str, where: object) -> None:
    """Letters and ends of lines alone, and all of it can be written."""
    text.encode()
    odd = {sign for sign in text if not sign.isprintable() and sign != "\n"}
    assert not odd, (where, odd)


class Page(html.parser.HTMLParser):
    """What of a page could be obeyed."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts = 0
        self.handlers: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.scripts += tag == "script"
        self.handlers += [name for name, _ in attrs if name.startswith("on")]


def demand_harmless(path: Path) -> None:
    """By what a file is read with."""
    content = path.read_bytes()
    match path.suffix:
        case ".ini":
            demand_plain(content.decode(), path)
        case ".md" | ".log":
            demand_plain(content.decode(), path)
        case ".xml":
            demand_plain(content.decode(), path)
            ET.fromstring(content)
        case ".csv":
            demand_plain(content.decode(), path)
            cells = [cell for row in csv.reader(io.StringIO(content.decode())) for cell in row]
            assert not [cell for cell in cells if cell.startswith(FORMULAS) and not number(cell)]
        case ".json":
            demand_plain(content.decode(), path)
            json.dumps(json.loads(content), ensure_ascii=False).encode()
        case ".html":
            demand_plain(content.decode(), path)
            page = Page()
            page.feed(content.decode())
            assert (page.scripts <= 1, page.handlers) == (True, [])
        case ".svg":
            demand_plain(content.decode(), path)
            tags = {element.tag.rpartition("}")[2] for element in ET.fromstring(content).iter()}
            assert "script" not in tags
        case ".pdf":
            start, end = content.index(b"<x:xmpmeta"), content.index(b"</x:xmpmeta>")
            ET.fromstring(content[start : end + len(b"</x:xmpmeta>")])
        case suffix:
            assert suffix in {".png", ".tflite", ".sqlite"}


def number(cell: str) -> bool:
    try:
        float(cell.replace(",", "").rstrip("%"))
    except ValueError:
        return cell == "-"
    return True


COMMANDS = {
    "inspect": (["inspect", "MODEL"], 0),
    "inspect as JSON": (["inspect", "MODEL", "--json", "-"], 0),
    "inspect by a query": (["inspect", "MODEL", "--where", "is=operator or is=map"], 0),
    "inspect compiled": (["inspect", "MADE"], 0),
    "inspect compiled as JSON": (["inspect", "MADE", "--json", "OUT/i.json"], 0),
    "schedule": (["schedule", "MODEL", "--verbose", "schedule,allocation,front"], 0),
    "schedule within little": (["schedule", "MODEL", "--arena-cache-size", "2K"], 0),
    "schedule as JSON": (["schedule", "MODEL", "--json", "-", "--write-edits", "OUT/e.json"], 0),
    "schedule for review": (
        [
            *("schedule", "MODEL", "--edits", "EDITS", "--arena-cache-size", "2K", "--github"),
            *("--log", "OUT/r.log", "-v", "--progress", "terminal"),
            *("--md", "OUT/r.md", "--junit", "OUT/r.xml", "--force"),
        ],
        0,
    ),
    "schedule compiled": (["schedule", "MADE"], 0),
    "schedule by Pareto": (["schedule", "MODEL", "--engine", "pareto"], 0),
    "compile": (
        [
            *("compile", "MODEL", "-o", "OUT/o.tflite", "--verify", "--inputs", "1"),
            *("--schedule-json", "OUT/s.json", "--summary-csv", "OUT/s.csv"),
            *("--per-layer-csv", "OUT/l.csv", "--write-edits", "OUT/d.json", "--force"),
        ],
        0,
    ),
    "verify": (["verify", "MADE", "--against", "MODEL", "--inputs", "1"], 0),
    "verify another": (["verify", "MADE", "--against", "OTHER"], 1),
    "verify on data": (
        [
            *("verify", "MADE", "--against", "MODEL", "--data", "ARRAYS", "--github"),
            *("--json", "OUT/p.json", "--md", "OUT/p.md", "--junit", "OUT/p.xml", "--force"),
        ],
        0,
    ),
    "verify refused": (["verify", "MODEL", "--against", "MODEL"], 2),
    "compare": (["compare", "UNLIKE", "MADE"], 1),
    "compare by execution": (
        ["compare", "UNLIKE", "MADE", "--against", "MODEL", "--inputs", "1"],
        1,
    ),
    "compare to files": (
        [
            *("compare", "UNLIKE", "MADE", "--json", "OUT/c.json", "--csv", "OUT/c.csv"),
            *(
                "--html",
                "OUT/c.html",
                "--md",
                "OUT/d.md",
                "--junit",
                "OUT/d.xml",
                "--github",
                "--force",
            ),
        ],
        1,
    ),
    "check": (
        ["check", "BUDGETS", "--github", "--md", "OUT/c.md", "--junit", "OUT/c.xml", "--force"],
        1,
    ),
    "adopt": (["schedule", "MODEL", "--adopt", "MADE"], 0),
    "edits": (["schedule", "MODEL", "--edits", "EDITS"], 0),
    "edits around": (["schedule", "MODEL", "--edits", "EDITS", "--around", "MADE"], 0),
    "edits as JSON": (["schedule", "MODEL", "--edits", "EDITS", "--json", "OUT/f.json"], 0),
    "edits of another": (["schedule", "OTHER", "--edits", "EDITS"], 0),
    "notes": (["schedule", "OTHER", "--notes", "NOTES", "--json", "OUT/n.json"], 0),
    "completion": (["completion", "bash"], 0),
    "boards": (
        [
            *("boards", "MODEL", "--on", "alif-e7-hp,imx93-linux", "--github"),
            *("--md", "OUT/b.md", "--junit", "OUT/b.xml", "--force"),
        ],
        0,
    ),
    "advise": (["advise", "MODEL", "--quick"], 0),
    "advise as files": (
        [
            *("advise", "MODEL", "--quick", "--json", "OUT/a.json", "--github"),
            *("--md", "OUT/a.md", "--junit", "OUT/a.xml", "--force"),
        ],
        0,
    ),
    "calibrate": (
        ["calibrate", "MEASURED", "-o", "OUT/b\x1b.ini", "--json", "OUT/b.json", "--force"],
        0,
    ),
    "calibrate in vain": (["calibrate", "MISMEASURED", "-o", "OUT/v.ini"], 1),
    "no such file": (["schedule", "OUT/\x1b[2J\nno.tflite"], 2),
    "no such option": (["schedule", "MODEL", "--\x1b[2J\n"], 2),
    "no such value": (["schedule", "MODEL", "--accelerator-config", "\x1b[2J\u202e\n"], 2),
    "no model": (["schedule", "EDITS"], 2),
    "contradiction": (["schedule", "ODD"], 2),
    "sweep": (
        [
            *("sweep", "MODEL", "EDITS", "--sram", "64K", "-o", "OUT/w.sqlite", "--jobs", "1"),
            *("--csv", "OUT/w.csv", "--json", "OUT/w.json", "--html", "OUT/w.html", "--force"),
            *("--md", "OUT/w.md", "--junit", "OUT/w.xml", "--github"),
        ],
        2,
    ),
    "report to explore": (
        [
            *("report", "MODEL", "-o", "OUT/page.html", "--interactive"),
            *("--against", "MADE", "--force"),
        ],
        0,
    ),
    "report of a sweep": (["report", "OUT/w.sqlite", "-o", "OUT/swept", "--force"], 0),
}
"""What is asked for, and how it ends; a sweep says which of its models it cannot read."""


@pytest.fixture(scope="module")
def files(model: Path, made: Path, folder: Path) -> dict[str, str]:
    """What commands are given, by how the table above calls it."""
    tensors = reader.read(model.read_bytes()).main.tensors
    asked = [
        {"subject": {"map": tensor.name}, "what": "region", "value": "fast", "note": HALVES[1][0]}
        for tensor in tensors
        if tensor.data is None
    ] + [{"subject": {"operator": name}, "what": "stripe", "value": 1} for name in HOSTILE if name]
    edits, notes, odd = (folder / f"{name}\x1b\n.json" for name in ("edits", "notes", "odd"))
    edits.write_text(
        json.dumps({"reefpoint": "edits", "version": 1, "model": None, "edits": asked})
    )
    told = [{"subject": {"map": name}, "text": f"{name}!"} for name in HOSTILE if name]
    notes.write_text(json.dumps({"reefpoint": "notes", "version": 1, "notes": told}))
    budgets = folder / "budgets\x1b\n.toml"
    asked_of = f'[[model]]\npath = {json.dumps(str(model))}\nlimits = ["cycles < 1", "fits"]\n'
    budgets.write_text(asked_of)
    network = reader.read(model.read_bytes())
    backwards = replace(network.main, operators=network.main.operators[::-1])
    odd.write_bytes(writer.write(replace(network, subgraphs=(backwards,))))
    given = network.main.tensors[network.main.inputs[0]]
    arrays = folder / "arrays\x1b\n.npz"
    np.savez(arrays, np.zeros(given.shape, given.dtype.numpy))
    return {
        "ARRAYS": str(arrays),
        "MODEL": str(model),
        "MADE": str(made),
        "MEASURED": f"{made}=100000",
        "MISMEASURED": f"{made}=1",
        "OTHER": str(EXAMPLE),
        "BUDGETS": str(budgets),
        "UNLIKE": str(EXAMPLE.with_name("resnet8.tflite")),
        "EDITS": str(edits),
        "NOTES": str(notes),
        "ODD": str(odd),
        "OUT": str(folder / "out"),
    }


@pytest.mark.parametrize("name", COMMANDS)
def test_what_a_command_prints_and_writes_does_nothing(
    name: str, files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    out = Path(files["OUT"])
    out.mkdir(exist_ok=True)
    asked, code = COMMANDS[name]
    if name == "report of a sweep" and not (out / "w.sqlite").exists():
        pytest.skip("the sweep has not been made")
    assert program.main([filled(part, files) for part in asked]) == code
    told = capsys.readouterr()
    demand_plain(told.out, "standard output")
    demand_plain(told.err, "standard error")
    assert not [line for line in told.out.splitlines() if line == "holds: 1 output, 0 findings"][1:]
    assert all(line.startswith("reefpoint: ") for line in told.err.splitlines())
    if code == 2 and name != "sweep":
        assert len(told.err.splitlines()) == 1
    for path in out.rglob("*"):
        if path.is_file():
            demand_harmless(path)


def filled(part: str, files: dict[str, str]) -> str:
    head, slash, rest = part.partition("/")
    return files.get(head, head) + slash + rest


def test_all_commands_are_tried() -> None:
    known = {command.name for command in program.cli.table.COMMANDS} | {"report"}
    assert {asked[0] for asked, _ in COMMANDS.values()} == known


def test_what_agents_are_told_does_nothing(files: dict[str, str]) -> None:
    model, made, odd = files["MODEL"], files["MADE"], files["ODD"]
    edits = json.loads(Path(files["EDITS"]).read_text("utf-8"))["edits"]
    asked: list[tuple[str, dict[str, object]]] = [
        ("load", {"model": model}),
        ("schedule", {"model": model, "limit": "2K"}),
        ("why", {"model": model, "about": "#1"}),
        ("try_edits", {"model": model, "edits": edits}),
        ("compare", {"a": model, "b": made}),
        ("front", {"model": model, "effort": 1}),
        ("advise", {"model": model, "seconds": 2.0}),
        ("compile", {"model": model, "output": str(Path(files["OUT"]).with_name("a\x1b.tflite"))}),
        ("compile", {"model": model, "output": made}),
        ("schedule", {"model": odd}),
        ("schedule", {"model": "\x1b[2J\n"}),
        ("schedule", {"model": model, "accelerator": HOSTILE[0]}),
        ("why", {"model": model, "about": HOSTILE[1]}),
        ("why", {"model": model, "about": "\x1b no such"}),
        ("try_edits", {"model": model, "edits": [{HOSTILE[0]: HOSTILE[1]}]}),
    ]
    agents, refused = Agents(), 0
    for question, given in asked:
        try:
            told = getattr(agents, question)(**given)
        except CoreError as error:
            told = terminal_text(str(error))
            refused += 1
            assert "\n" not in told
        demand_plain(told, question)
        assert told
    assert refused == 6


@pytest.mark.long
@pytest.mark.parametrize("name", ["", "ctl_1b", "hostile"])
def test_a_report_has_nothing_that_is_obeyed(name: str, model: Path, tmp_path: Path) -> None:
    if name:
        model = need(f"regressions/trust/{name}.tflite")
    formats = "html,pdf,csv,json,trace,nodes,png,svg"
    out = tmp_path / "out"
    argv = ["report", str(model), "-o", str(out), "--format", formats]
    done = subprocess.run(
        [sys.executable, "main.py", *argv],
        cwd=ROOT,
        capture_output=True,
        check=False,
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
    )
    assert done.returncode == 0, done.stderr.decode()
    demand_plain(done.stdout.decode(), "standard output")
    demand_plain(done.stderr.decode(), "standard error")
    found = [path for path in out.rglob("*") if path.is_file()]
    assert {path.suffix for path in found} >= {".html", ".pdf", ".csv", ".json", ".png", ".svg"}
    for path in found:
        demand_harmless(path)


def texts() -> Iterator[str]:
    yield from HOSTILE
    yield from HALVES
    yield from map(chr, range(0x250))
    yield from map(chr, range(0x2000, 0x2070))


def test_each_reader_gets_what_it_cannot_take_for_an_order() -> None:
    for text in texts():
        for told in (
            terminal_text(text),
            xml_text(text),
            markdown_text(text),
            str(InputError(text)),
        ):
            demand_plain(told, text)
        ET.fromstring(f"<a b='{xml_text(text)}'>{xml_text(text)}</a>")
        (row,) = csv.reader(io.StringIO(csv_text([[text, "b"]])))
        assert len(row) == 2
        assert not row[0].startswith(FORMULAS) or number(row[0])
        assert tab_text([[text, "b"]]).count("\t") == 1
        for keeps_letters in (False, True):
            written = to_json({"a": [text]}, keeps_letters=keeps_letters)
            demand_plain(written, text)
            read = json.loads(written)["a"][0]
            read.encode()
            assert read == text or text in HALVES


@pytest.mark.parametrize(
    "text", ["conv_1/bias;relu", "модель", "名前", "naïve 1.5%", "a-b=c", "🪸"]
)
def test_what_does_nothing_is_as_it_was(text: str) -> None:
    assert terminal_text(text) == xml_text(text) == markdown_text(text) == text
    assert csv_text([[text]]) == f"{text}\n"
    assert json.loads(to_json(text)) == text
    assert text in to_json(text, keeps_letters=True)


def test_numbers_stay_numbers() -> None:
    cells = [-1, 2.5, None, "+3.2%", "-1,024", "-", "+1e-05"]
    assert csv_text([cells]) == '-1,2.5,,+3.2%,"-1,024",-,+1e-05\n'
