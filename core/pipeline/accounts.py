"""What a file tells of a schedule, so that it can be held against another."""

from __future__ import annotations

from core.base.plain_json import read_json
from core.compare.account import Account, account_of
from core.ir.scheduled import Scheduled
from core.report import schedule_json


def account_of_schedule(scheduled: Scheduled, title: str = "") -> Account:
    """What a schedule tells, by the road that its JSON takes."""
    return account_of(schedule_json.describe(scheduled), title)


def account_of_json(data: bytes, title: str = "") -> Account:
    """What the JSON of a schedule tells, whoever wrote it."""
    return account_of(read_json(data), title)
