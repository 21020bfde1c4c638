"""What a drag over a memory map decides."""

from __future__ import annotations

from core.ir.edits import Living
from gui.document.decisions import Deed
from gui.present.edits import deeds
from gui.present.edits.deeds import Asked, Obstacle
from gui.present.memory.moves import Move, Preview


def deed_of(asked: Asked, preview: Preview) -> Deed | Obstacle:
    """The same as the command for it; drags of one map to one address after the other are one."""
    match preview.move:
        case Move.KEEP:
            return deeds.lives(asked, Living.FAST)
        case Move.EVICT:
            return deeds.lives(asked, Living.SLOW)
        case Move.ADDRESS if preview.address is not None:
            return deeds.placed(asked, preview.address)
        case _:
            return "nothing is asked for"
