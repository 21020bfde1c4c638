"""Cascades that others have found, with what they may write over rows of their inputs."""

from __future__ import annotations

from core.base.frozen import replace
from core.schedule.branches.groups import Part, Player
from core.schedule.draft import Draft


def laid_over(player: Player, draft: Draft) -> Draft:
    """The same cascades, which lay outputs over inputs as far as that saves bytes."""
    cascades = {}
    for last, cascade in draft.cascades.items():
        heights = [
            draft.ops[index].cost.stripe.ofm.h for index in range(cascade.first, cascade.last + 1)
        ]
        played = player.play(Part(cascade.first, cascade.last), heights)
        # What else rolls would run in another order.
        is_alike = {fm for fm, _ in played.rings} == {ring.fm for ring in cascade.rolling}
        cascades[last] = replace(cascade, overlays=played.overlays if is_alike else ())
    return replace(draft, cascades=cascades)
