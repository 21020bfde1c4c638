"""What parts take in the smallest stripes, each found from one that ends alike and begins later."""

from __future__ import annotations

from core.base.frozen import Changing, field
from core.base.ids import FmId
from core.base.progress import Progress
from core.schedule.branches.groups import Bounds, Part, Player, Ways
from core.schedule.branches.heights import Heights, heights_of
from core.schedule.branches.tape import Tape


class _Begun(Changing):
    """The longest part that ends with a node, of those that somebody has asked for."""

    first: int
    """One behind the last node where there is none yet."""
    heights: Heights
    tape: Tape = field(default_factory=Tape)
    rolls: set[FmId] = field(default_factory=set)
    saved_bytes: int = 0
    """By rings, of whole maps."""


class Lowest(Changing):
    """Parts in the smallest stripes, one after the other."""

    player: Player
    _begun: dict[int, _Begun] = field(default_factory=dict)
    """By last node."""

    def size_bytes(self, part: Part) -> float:
        """Of all that is live while a part runs."""
        (first, last), player = part, self.player
        begun = self._begun.get(last)
        if begun is None:
            begun = self._begun[last] = _Begun(last + 1, Heights(0, player.asked_heights))
        is_torn = any(each.last <= last for each in player.flow.torn[first])
        if is_torn or begun.first <= first:
            nodes = player.flow.nodes[first : last + 1]
            return player.play(part, heights_of(nodes, 0, player.asked_heights)).size_bytes
        while begun.first > first:
            self._lengthen(begun, last)
        overlays = player.overlays(part, begun.rolls, begun.tape)
        saved_bytes = begun.saved_bytes + player.flow.laid_over_bytes(overlays)
        return player.flow.whole_bytes(first, last) - saved_bytes

    def _lengthen(self, begun: _Begun, last: int) -> None:
        """One node more, before all others."""
        player, flow = self.player, self.player.flow
        begun.first -= 1
        node = flow.nodes[begun.first]
        ring = flow.rolling.get(node.ofm.fm)
        strip = player.strip(node, begun.heights.add(node))
        begun.tape.add(strip, is_rolling=ring is not None and ring.last <= last)
        for fm in dict.fromkeys(node.fms):
            ring = flow.rolling.get(fm)
            if ring is not None and ring.first == begun.first and ring.last <= last:
                begun.rolls.add(fm)
                begun.saved_bytes += flow.saved_bytes(ring, player.ring_rows(ring, begun.tape))


def smallest(player: Player, least: Bounds, progress: Progress) -> tuple[float, list[Part]]:
    """The parts with which least is live at most."""
    return Ways.of(player.flow, least).search(Lowest(player).size_bytes, progress)
