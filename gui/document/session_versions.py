"""What session files of older versions are in this one.

1: one model, and each step with all of its settings.
2: models and settings are lists, to which steps refer: a long history is much shorter.
3: how views are set is told by names; what was told by position is forgotten.
4: in settings, the options have an object of their own.
5: whether signed weights are taken as symmetric is one of the options.
6: the best search came after the monotone one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from core.base.errors import InputError
from gui.document.plain import Plain

VERSION = 6
"""Counts up when older versions of the app would misread what is written."""


class NewerSession(InputError):  # noqa: N818 - no error of ours
    """A session of a later version of the app, which it can still read."""


def upgraded(plain: Plain) -> Plain:
    """A session of any version as this one would have written it."""
    version = _version(plain)
    while version < VERSION:
        try:
            plain = MIGRATIONS[version](plain)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise InputError(f"is not a session of version {version} ({error!r})") from error
        version = _version(plain)
    return plain


def _version(plain: Plain) -> int:
    version = plain.get("version") if isinstance(plain, dict) else None
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise InputError("is not a session: it has no version")
    if version > VERSION:
        raise NewerSession(f"is of version {version}; this Reefpoint knows {VERSION} and before")
    return version


def _from_1(old: Plain) -> Plain:
    models = [] if old["model"] is None else [old["model"]]
    settings: list[Plain] = []

    def step(entry: Plain) -> Plain:
        settings.append(entry["settings"])
        found = {"settings": len(settings) - 1, "label": entry["label"], "merge_key": ""}
        return found | {"model": 0} if models else found

    kept = {name: part for name, part in old.items() if name not in ("model", "version")}
    return kept | {
        "version": 2,
        "models": models,
        "settings": settings,
        "past": [step(entry) for entry in old["past"]],
        "present": step(old["present"]),
        "future": [step(entry) for entry in old["future"]],
    }


def _from_2(old: Plain) -> Plain:
    return old | {"version": 3, "looks": {}}


_OPTIONS_OF_3 = ("strategy", "eviction", "search", "engine", "pareto", "allocator")


def _from_3(old: Plain) -> Plain:
    def nested(settings: Plain) -> Plain:
        target = dict(settings)
        options = {name: target.pop(name) for name in _OPTIONS_OF_3 if name in target}
        signs = "force_symmetric_int_weights"
        if signs in target:
            options["lowering"] = {signs: target.pop(signs)}
        return target | {"options": options}

    return old | {"version": 4, "settings": [nested(each) for each in old["settings"]]}


def _from_4(old: Plain) -> Plain:
    def flat(settings: Plain) -> Plain:
        options = dict(settings["options"])
        return settings | {"options": options | options.pop("lowering", {})}

    return old | {"version": 5, "settings": [flat(each) for each in old["settings"]]}


def _from_5(old: Plain) -> Plain:
    def best(settings: Plain) -> Plain:
        options = settings["options"]
        if options.get("search") == "monotone":
            options = options | {"search": "best"}
        return settings | {"options": options}

    return old | {"version": 6, "settings": [best(each) for each in old["settings"]]}


MIGRATIONS: Mapping[int, Callable[[Plain], Plain]] = {
    1: _from_1,
    2: _from_2,
    3: _from_3,
    4: _from_4,
    5: _from_5,
}
"""From each version to the next."""
