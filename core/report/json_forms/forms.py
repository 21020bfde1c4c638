"""All forms of JSON that are written for others: a schema for each, and the pages of their keys.

Files of edits have a table of their own (`core/report/edits_schema.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from core.base.frozen import NamedTuple
from core.base.harmless import to_json
from core.report.edits_schema import schema as edits_schema
from core.report.json_forms.inspection import compiled_keys, matches_keys, network_keys
from core.report.json_forms.key import Key
from core.report.json_forms.others import (
    advice_keys,
    calibration_keys,
    comparison_keys,
    error_keys,
    notes_keys,
    program_advice_keys,
    progress_keys,
    sweep_keys,
)
from core.report.json_forms.schedule import decision_rows, decision_schema
from core.report.json_forms.schedule import keys as schedule_keys
from core.report.json_forms.schema import schema_of
from core.report.json_forms.stamp import VERSIONS, stamp

_HEAD = "| key | kind | what it is |\n|---|---|---|\n"
_KINDS = (
    "A kind that ends with `?` may be null, a key whose kind begins with `~` may be missing; `open`"
    " is an object that has other keys too. `[]` stands for each element of a list, `*` for names"
    " and numbers."
)


class JsonForm(NamedTuple):
    """A form of JSON."""

    name: str
    """Of its schema's file."""
    what: str
    """As its stamp has it."""
    writers: str
    keys: tuple[Key, ...]

    def schema(self) -> dict[str, Any]:
        """What checks it."""
        special: dict[str, dict[str, Any]] = {
            "decisions": {"type": "array", "items": decision_schema()},
            **{key: {"const": value} for key, value in stamp(self.what).items()},
        }
        head = (
            Key("reefpoint", "text", "what this is"),
            Key("version", "int", "of its keys"),
        )
        return schema_of((*head, *self.keys), f"{self.name.capitalize()} of Reefpoint", special)


SCHEDULE = JsonForm(
    "schedule",
    "schedule",
    "`schedule --json F`, `compile --schedule-json F` and the app's export, of a compiled model"
    " too",
    schedule_keys(),
)
OTHERS = (
    JsonForm("network", "network", "`inspect MODEL --json F`", network_keys()),
    JsonForm("matches", "matches", "`inspect MODEL --where QUERY --json F`", matches_keys()),
    JsonForm("compiled", "compiled model", "`inspect COMPILED --json F`", compiled_keys()),
    JsonForm("comparison", "comparison", "`compare A B --json F`", comparison_keys()),
    JsonForm("errors", "operator errors", "`verify --data FILE --json F`", error_keys()),
    JsonForm("advice", "advice", "`advise MODEL --json F`", advice_keys()),
    JsonForm(
        "program-advice",
        "advice for a program",
        "`advise PROGRAM.pte --json F`",
        program_advice_keys(),
    ),
    JsonForm("calibration", "calibration", "`calibrate --json F`", calibration_keys()),
    JsonForm("sweep", "sweep", "`sweep --json F`", sweep_keys()),
    JsonForm("notes", "notes", "you, for `--notes F`", notes_keys()),
    JsonForm(
        "progress",
        "progress",
        "`--progress json`, one a line on standard error",
        progress_keys(),
    ),
)
FORMS = (SCHEDULE, *OTHERS)


def schemas() -> dict[str, str]:
    """By name of a file, its schema."""
    plain = {form.name: form.schema() for form in FORMS} | {"edits": edits_schema()}
    return {
        f"{name}.schema.json": to_json(schema, indent=1) + "\n" for name, schema in plain.items()
    }


def pages() -> dict[str, str]:
    """By name of a file, the page of its keys."""
    return {"schedule-json.md": _schedule_page(), "json.md": _page()}


def _rows(keys: tuple[Key, ...]) -> str:
    return "\n".join(f"| `{key.path}` | `{key.kind}` | {key.meaning} |" for key in keys)


def _schedule_page() -> str:
    decisions = "\n".join(decision_rows())
    return (
        "# The JSON of a schedule\n\n"
        f"{SCHEDULE.writers[0]}{SCHEDULE.writers[1:]}, write these keys, after"
        f' `"reefpoint": "schedule"` and `"version": {VERSIONS["schedule"]}`. Those up to'
        " `summary` are the ecosystem's. Names of `totals` end with their unit."
        f" {_KINDS}\n\n"
        "This page and `schemas/schedule.schema.json` are made by `core/report/json_forms`;"
        " [json.md](json.md) has what other commands write.\n\n"
        f"{_HEAD}{_rows(SCHEDULE.keys)}\n\n"
        "## Decisions\n\nEach has a `kind`, and the fields of that kind: ids, numbers and words of"
        f" enumerations.\n\n| kind | what it tells | fields |\n|---|---|---|\n{decisions}\n"
    )


def _page() -> str:
    return (
        "# JSON of commands\n\n"
        'Each begins with `"reefpoint"`, what it is, and `"version"`, which grows where a key is'
        " gone or means another thing; new keys may come without that. `schemas` has a JSON schema"
        f" for each form that is written or read. {_KINDS}\n\n"
        "Schedules are in [schedule-json.md](schedule-json.md), files of edits in"
        " [edits-json.md](edits-json.md). This page and the schemas are made by"
        " `core/report/json_forms`.\n\n" + "\n".join(_sections())
    )


def _sections() -> Iterator[str]:
    for form in OTHERS:
        head = f'`"{form.what}"`, version {VERSIONS[form.what]}'
        title = form.name.replace("-", " ").capitalize()
        yield (
            f"## {title}\n\n{form.writers}: {head};"
            f" `schemas/{form.name}.schema.json`.\n\n{_HEAD}{_rows(form.keys)}\n"
        )
