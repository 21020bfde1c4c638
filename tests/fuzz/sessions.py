"""Sessions of all versions; what can be read is written and read again."""

from __future__ import annotations

from pathlib import Path
from random import Random

from gui.document.session import decode, encode
from tests.fuzz.damage import damaged_json
from tests.fuzz.kind import Inconsistent, Kind

WRITTEN = Path(__file__).parents[1] / "gui" / "document" / "sessions"


def _base(random: Random) -> str:
    return random.choice(sorted(WRITTEN.glob("*.json"))).read_text("utf-8")


def _use(_: str, data: bytes, __: Random) -> None:
    session = decode(data.decode("utf-8", "replace"))
    if encode(decode(encode(session))) != encode(session):
        raise Inconsistent("it is another session when it is written and read again")


KIND = Kind("json", _base, damaged_json, _use)
