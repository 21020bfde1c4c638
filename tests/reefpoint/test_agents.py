"""`reefpoint mcp`, asked by the client of the official SDK over its pipes."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import pytest

if TYPE_CHECKING:
    from mcp.client.client import Client

ROOT = Path(__file__).parents[2]
KWS = str(ROOT / "resources" / "examples" / "kws_dscnn.tflite")
SMALL = {"accelerator": "ethos-u55-128", "limit": "16K"}
READS = {"load", "schedule", "why", "try_edits", "compare", "advise", "front"}
_SHORT = 3_000
"""Letters of an answer, at most."""


def client_of(*words: str) -> Client:
    """The client of a server that is started with these words."""
    # Of all that tests load, this takes longest; no other test needs it.
    from mcp import StdioServerParameters  # noqa: PLC0415 - above
    from mcp.client.client import Client  # noqa: PLC0415 - above

    server = StdioServerParameters(
        command=sys.executable, args=["main.py", "mcp", *words], cwd=ROOT, env=dict(os.environ)
    )
    return Client(server)


def asked(
    *questions: tuple[str, dict], words: tuple[str, ...] = (), reports: list | None = None
) -> tuple[set[str], list]:
    """Names of all tools, and an answer to each question: whether it failed, and its text."""
    reports = [] if reports is None else reports

    async def told(seconds: float, total: float | None, what: str | None) -> None:
        assert total is None
        reports.append((seconds, what))

    async def ask() -> tuple[set[str], list]:
        async with client_of(*words) as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            answers = []
            for name, given in questions:
                reports.append((0.0, name))
                found = await client.call_tool(name, given, progress_callback=told)
                answers.append((found.is_error, "".join(part.text for part in found.content)))
            return tools, answers

    return anyio.run(ask)


@pytest.mark.long
def test_an_agent_looks_asks_why_tries_and_is_refused():
    tools, answers = asked(
        ("load", {"model": KWS}),
        ("schedule", {"model": KWS, **SMALL}),
        ("why", {"model": KWS, "about": "#2", **SMALL}),
        ("why", {"model": KWS, **SMALL}),
        ("front", {"model": KWS, "effort": 1}),
        ("compare", {"a": KWS, "b": KWS}),
        (
            "try_edits",
            {
                "model": KWS,
                "edits": [{"subject": {"operator": "#2"}, "what": "block", "value": "2x2x8"}],
                **SMALL,
            },
        ),
        ("schedule", {"model": "nowhere.tflite"}),
        ("schedule", {"model": KWS, "accelerator": "ethos-u55-129"}),
        ("why", {"model": KWS, "about": "zqzq"}),
    )
    assert tools == READS
    failed = [is_error for is_error, _ in answers]
    assert failed == [False] * 7 + [True] * 3, answers
    texts = [text for _, text in answers]
    assert all(0 < len(text) < _SHORT for text in texts)
    assert "43,504 bytes, not compiled" in texts[0]
    assert "fits" in texts[1]
    assert "cycles" in texts[4]
    assert texts[6].startswith("edit 1: ")
    assert "nowhere.tflite" in texts[7]
    assert "did you mean 'ethos-u55-128'" in texts[8]
    assert "no operator or map is called 'zqzq'" in texts[9]
    assert not any("Traceback" in text for text in texts)


@pytest.mark.long
def test_advice_ends_with_its_time_and_says_how_far_it_is():
    reports: list[tuple[float, str]] = []
    _, answers = asked(
        ("advise", {"model": KWS, "seconds": 1.0, **SMALL}),
        ("advise", {"model": KWS, "seconds": 0}),
        reports=reports,
    )
    assert [is_error for is_error, _ in answers] == [False, True]
    assert "1 seconds were over before all was tried" in answers[0][1]
    assert "above 0" in answers[1][1]
    ends = [at for at, (_, what) in enumerate(reports) if what == "advise"]
    first = reports[ends[0] + 1 : ends[1]]
    assert first
    assert first == sorted(first)
    # On a busy machine how the network is lowered is told before that, too.
    assert any("trying what would help" in what for _, what in first)


@pytest.mark.long
def test_what_an_agent_no_longer_wants_is_given_up():
    async def ask() -> None:
        async with client_of() as client:
            with anyio.move_on_after(1.5) as left:
                await client.call_tool("front", {"model": KWS, "effort": 100_000})
            assert left.cancelled_caught
            with anyio.fail_after(30):
                found = await client.call_tool("load", {"model": KWS})
            assert not found.is_error

    anyio.run(ask)


@pytest.mark.slow
def test_advice_is_what_was_tried():
    _, ((is_error, text),) = asked(("advise", {"model": KWS, "seconds": 300, **SMALL}))
    assert not is_error
    assert "less" in text
    assert 0 < len(text) < _SHORT


@pytest.mark.long
def test_only_with_write_is_anything_written_and_nothing_is_written_over(tmp_path):
    output = tmp_path / "made.tflite"
    given = {"model": KWS, "output": str(output), **SMALL}
    tools, answers = asked(("compile", given), ("compile", given), words=("--write",))
    assert tools == READS | {"compile"}
    assert [is_error for is_error, _ in answers] == [False, True]
    assert "proved and written" in answers[0][1]
    assert "is there already" in answers[1][1]
    assert output.read_bytes()[4:8] == b"TFL3"
    _, refused = asked(("compile", given | {"output": str(tmp_path / "b.tflite")}))
    assert refused[0][0]
    assert not (tmp_path / "b.tflite").exists()
