"""What is swept: all combinations of some values of some knobs, but those that cannot be had."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from core.base.checked import door
from core.base.digest import digest
from core.base.errors import OptionError
from core.base.frozen import Changing, Frozen, field, replace
from core.base.version import VERSION
from core.ir import knobs
from core.ir.knob import Name
from core.ir.options import Options
from core.ir.settings import Settings
from core.ir.sweep import SweptSettings
from core.target.config import load
from core.target.registry import ACCELERATORS, accelerator_named
from core.target.target import Target

_LIMIT = "limit_bytes"
_SYSTEM = "system_config"
_ORDER = (*(knob.name for knob in knobs.KNOBS if knob.name != _LIMIT), _LIMIT)
"""The limit comes last, so that what does not depend on it stays at hand."""


class Asked(Frozen):
    """One combination, with the target that its names stand for."""

    swept: SweptSettings
    options: Options
    target: Target


class LeftOut(Frozen):
    """Combinations that cannot be had, for one reason."""

    reason: str
    count: int


class Plan(Frozen):
    """Everything that each model is scheduled with, in one order for all."""

    asked: tuple[Asked, ...]
    left_out: tuple[LeftOut, ...] = ()


@door
def plan(base: Settings, axes: Mapping[str, Sequence[Any]]) -> Plan:
    """All combinations of these values of knobs, by names; the rest is as in `base`."""
    _demand_known(base, axes)
    names = sorted(axes, key=_ORDER.index)
    found: dict[str, Asked] = {}
    reasons: Counter[str] = Counter()
    resolver = _Resolver(tuple(axes.get(_SYSTEM, ())))
    for values in itertools.product(*(axes[name] for name in names)):
        settings = knobs.turned(base, dict(zip(names, values, strict=True)))
        try:
            asked = resolver.asked(settings)
        except OptionError as error:
            reasons[str(error)] += 1
        else:
            found.setdefault(asked.swept.digest, asked)
    left_out = tuple(LeftOut(reason=reason, count=count) for reason, count in reasons.items())
    if not found and left_out:
        raise OptionError(left_out[0].reason)
    return Plan(asked=tuple(found.values()), left_out=left_out)


def _demand_known(base: Settings, axes: Mapping[str, Sequence[Any]]) -> None:
    """Refuse a name that nobody knows: that is a slip, and no combination to leave out."""
    catalogue = load(map(Path, base.configs))
    for name, values in axes.items():
        knob = knobs.knob_named(name)
        if not isinstance(knob.takes, Name):
            continue
        known = {
            each.lower() if name == "accelerator" else each for each in knob.takes.known(catalogue)
        }
        for value in values:
            if (
                value is not None
                and (value.lower() if name == "accelerator" else value) not in known
            ):
                raise OptionError.unknown(knob.title, value, known)


class _Resolver(Changing):
    """Resolves settings one after the other, and does not do again what many have in common."""

    systems: tuple[str | None, ...]
    _targets: dict[Settings, tuple[Target, str]] = field(default_factory=dict)
    _options: dict[Options, str] = field(default_factory=dict)

    def asked(self, settings: Settings) -> Asked:
        """The combination; an OptionError says why it cannot be had."""
        _demand_suitable(settings, self.systems)
        settings = _without_needless(settings)
        names = replace(settings, limit_bytes=None, options=Options())
        known = self._targets.get(names)
        if known is None:
            target = names.target()
            known = self._targets[names] = target, digest(target.with_limit(None))
        target, of_target = known
        if settings.limit_bytes is not None:
            target = _within_reach(target, settings.limit_bytes)
        of_options = self._options.setdefault(settings.options, digest(settings.options))
        key = digest((VERSION, of_target, target.fast_limit_bytes, of_options))
        return Asked(swept=_swept(key, settings, target), options=settings.options, target=target)


def _demand_suitable(settings: Settings, systems: Sequence[str | None]) -> None:
    """Refuse what only the other engine has, and a system of another family beside one's own."""
    for knob in knobs.KNOBS:
        if instead := knob.needless(settings):
            engine = settings.options.engine.value
            raise OptionError(
                f"{' '.join(knob.words(settings))} with --engine {engine}: the front {instead}"
            )
    mine = accelerator_named(settings.accelerator).family.product.title
    whose = _family_of(settings.system_config)
    if whose not in ("", mine) and any(_family_of(system) in ("", mine) for system in systems):
        raise OptionError(f"{settings.system_config} is a system of the {whose}")


def _family_of(system: str | None) -> str:
    """The family whose name a system config begins with; nothing where it names none."""
    titles = {accelerator.family.product.title for accelerator in ACCELERATORS.values()}
    start = (system or "").replace("_", "-").lower()
    return next((title for title in sorted(titles) if start.startswith(title.lower())), "")


def _without_needless(settings: Settings) -> Settings:
    """The settings with knobs that their engine has not as they are by default."""
    for knob in knobs.KNOBS:
        if not knob.suits(settings):
            settings = knob.turned(settings, knob.default)
    if not settings.options.is_best:
        options = replace(settings.options, effort=Options().effort)
        settings = replace(settings, options=options)
    return settings


def _within_reach(target: Target, limit_bytes: int) -> Target:
    most = target.accelerator.max_address
    if limit_bytes > most:
        raise OptionError(f"limit {limit_bytes:,}: {target.accelerator.name} addresses {most:,}")
    return target.with_limit(limit_bytes)


def _swept(key: str, settings: Settings, target: Target) -> SweptSettings:
    options = settings.options
    return SweptSettings(
        digest=key,
        reefpoint=VERSION,
        accelerator=target.accelerator.name,
        system_config=target.system.name,
        memory_mode=target.mode.name,
        limit_bytes=target.fast_limit_bytes,
        strategy=options.strategy.value,
        search=options.search.value,
        engine=options.engine.value,
        allocator=options.allocator.value,
        words=knobs.command_line(settings),
        configs=settings.configs,
    )
