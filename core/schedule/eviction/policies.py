"""Which policy decides what stays in fast storage."""

from __future__ import annotations

from collections.abc import Mapping

from core.ir.options import EvictionPolicy
from core.schedule.eviction import component, lifetime, over_limit
from core.schedule.eviction.contest import Policy

POLICIES: Mapping[EvictionPolicy, Policy] = {
    EvictionPolicy.COMPONENT: component.evict,
    EvictionPolicy.OVER_LIMIT: over_limit.evict,
    EvictionPolicy.LIFETIME: lifetime.evict,
}
