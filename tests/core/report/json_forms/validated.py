"""JSON that is held against the schema of its form by a validator that is not ours."""

from __future__ import annotations

import json
from typing import Any

from jsonschema import Draft202012Validator

from core.report.json_forms.forms import JsonForm


def demand_as(form: JsonForm, *reports: Any) -> None:
    """That reports are as the schema of a form says; what JSON makes of them is looked at."""
    schema = form.schema()
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    for report in reports:
        faults = [
            f"{fault.json_path}: {fault.message[:200]}"
            for fault in validator.iter_errors(json.loads(json.dumps(report)))
        ]
        assert not faults, faults
