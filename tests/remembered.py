"""What tests of one process share."""

from __future__ import annotations

from functools import cache, wraps
from inspect import signature


def remembered(function):
    """As `functools.cache`, but what is left out is the same as its default that is given."""
    known, parameters = cache(function), signature(function)

    @wraps(function)
    def answer(*given, **named):
        bound = parameters.bind(*given, **named)
        bound.apply_defaults()
        return known(*bound.args, **bound.kwargs)

    return answer
