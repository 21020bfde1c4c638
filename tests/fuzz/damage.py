"""Damage to texts, JSON and numbers, by which several kinds of input are spoilt."""

from __future__ import annotations

import json
from random import Random
from typing import Any

EDGES = (0, 1, 2, 3, 7, 15, 127, 128, 255, 256, 32767, 65535, 65536, (1 << 31) - 1, 1 << 31)
"""Numbers at which something ends."""
WORDS = (
    "", " ", "0", "-1", "1e999", "nan", "inf", "1e-320", "0x7f", "9" * 30, "\u0663", "ä", "\x00",
    "\u2028",
    "[", "]", "{", "}", '"', "=", ":", ";", ",", "%(x)s", "${x}", "#", "null", "true", "\n", "\t",
    "\ufeff",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 1.5, 1e308, float("inf"), 1 << 31, 1 << 70, "", "x", "ä\n", [], {},
    [[]], {"": None},
)  # fmt: skip


def damaged_text(text: str, random: Random) -> bytes:
    """A text with a few of its lines or letters changed."""
    for _ in range(random.choice((1, 1, 2, 5))):
        text = random.choice((_lines, _letters, _letters, _numbers))(text, random)
    data = bytearray(text.encode("utf-8", "surrogatepass"))
    if data and random.random() < 0.1:
        data[random.randrange(len(data))] = random.randrange(256)
    return bytes(data)


def _lines(text: str, random: Random) -> str:
    lines = text.split("\n")
    one, other = random.randrange(len(lines)), random.randrange(len(lines))
    match random.randrange(5):
        case 0:
            del lines[one]
        case 1:
            lines.insert(one, lines[other])
        case 2:
            lines[one], lines[other] = lines[other], lines[one]
        case 3:
            lines[one] = lines[one][: random.randrange(len(lines[one]) + 1)] + random.choice(WORDS)
        case _:
            del lines[min(one, other) : max(one, other)]
    return "\n".join(lines)


def _letters(text: str, random: Random) -> str:
    at, to = sorted((random.randrange(len(text) + 1), random.randrange(len(text) + 1)))
    match random.randrange(3):
        case 0:
            return text[:at] + random.choice(WORDS) + text[at + random.randrange(4) :]
        case 1:
            return text[:at] + text[min(to, at + random.choice((1, 4, 40))) :]
        case _:
            return text[:at] + text[at : at + random.choice((1, 8, 60))] * 2 + text[at:]


def _numbers(text: str, random: Random) -> str:
    """Another number where one stands."""
    places = [at for at, letter in enumerate(text) if letter.isdigit()]
    if not places:
        return text
    at = random.choice(places)
    return text[:at] + str(random.choice((*EDGES, -1, 0.5, "1e400", "9" * 40))) + text[at + 1 :]


def damaged_json(text: str, random: Random) -> bytes:
    """JSON with other values, or with less, or with more of the same; sometimes no JSON at all."""
    if random.random() < 0.25:
        return damaged_text(text, random)
    value = json.loads(text)
    for _ in range(random.choice((1, 1, 2, 4))):
        value = _other_value(value, random)
    return json.dumps(value).encode()


def _other_value(value: Any, random: Random) -> Any:
    holders = list(_holders(value))
    if not holders:
        return random.choice(VALUES)
    holder = random.choice(holders)
    keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
    key, (elsewhere, other) = random.choice(keys), _any_part(random.choice(holders), random)
    match random.randrange(5):
        case 0:
            holder[key] = random.choice(VALUES)
        case 1:
            holder[key] = json.loads(json.dumps(other))
        case 2:
            del holder[key]
        case 3 if isinstance(holder, list):
            holder[key:key] = json.loads(json.dumps([other] * random.choice((1, 3))))
        case 3:
            holder[str(elsewhere)] = holder[key]
        case _:
            holder[key] = [holder[key]] if random.random() < 0.5 else {str(key): holder[key]}
    return value


def _any_part(holder: Any, random: Random) -> tuple[Any, Any]:
    return random.choice(list(holder.items() if isinstance(holder, dict) else enumerate(holder)))


def _holders(value: Any) -> Any:
    """All lists and objects in which there is something."""
    if isinstance(value, dict | list) and value:
        yield value
        for part in value.values() if isinstance(value, dict) else value:
            yield from _holders(part)
