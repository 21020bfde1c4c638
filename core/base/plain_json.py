"""JSON of others, as plain values."""

from __future__ import annotations

import json
import re
from typing import Any

from core.base.errors import InputError

_HALF = re.compile(r"\\u[dD][89a-fA-F]")


def read_json(data: bytes) -> Any:
    """The value that a file is; an InputError says what keeps it from being one.

    Texts that nobody could write are refused too: JSON can spell half of a letter.
    """
    try:
        text = data.decode("utf-8")
        plain = json.loads(text)
        if _HALF.search(text):
            json.dumps(plain, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        half = error.object[error.start]
        raise InputError(f"has a text with half of a letter, {half!r}, which is none") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"is not JSON ({error})") from error
    return plain
