"""What may be decided otherwise than the ecosystem's compiler does it, one switch for each.

What each is worth is in `resources/figures.md`.
"""

from __future__ import annotations

from core.base.checked import Checked
from core.base.frozen import field_names


class Freedoms(Checked):
    """What is free; whatever is not follows the ecosystem's compiler."""

    measured_price: bool = False
    """The search goes by the price that is measured, and not by that compiler's estimate."""
    folded_shapes: bool = False
    """Operators that treat all elements alike see their maps in the cheapest shape."""
    near_constants: bool = False
    """Constants that are read again for each place of a map are copied to fast storage first, and
    single numbers are parts of commands."""
    near_results: bool = False
    """What the CPU reads in rows of many channels is made near, and copied out."""
    fewer_operators: bool = False
    """Operators are merged, and copies left out, wherever the numbers stay."""
    composed_tables: bool = False
    """What operators make of one 8-bit map alone is looked up in one table."""
    pools_in_steps: bool = False
    """The greatest of many channels is searched in steps, by pools that all pass in stripes."""
    tables_by_cost: bool = False
    """What is looked up passes through a sum or through a pooling, whichever is faster."""
    pools_in_place: bool = False
    """Poolings of single elements may lie on what they read, as element-wise operators may."""
    blocks_by_cost: bool = False
    """The block of least cost is taken, and not the one for which least is fetched."""
    direct_weights: bool = False
    """Weights are read as they are used, or go through buffers, whichever is faster."""
    priced_stripes: bool = False
    """Stripes and slices cost what their commands cost, and not as much as a whole map."""
    formats_by_cost: bool = False
    """Memory and cycles say which maps are in rows or bricks, and rows may roll through cascades.

    Memory counts where it runs short, and with Size.
    """
    whole_cuts: bool = False
    """An island is cut into cascades as a whole: where, which maps stay beside the parts and
    whether weights stay in them are decided together, and exactly for given maps that live on.

    Any part of the order can be a cascade, across branches, with a ring for each map inside.
    """
    dead_rows: bool = False
    """A cascade writes what it hands on over rows of its inputs that nobody reads any more.

    Both are whole maps at its ends, in one memory.
    """
    operator_order: bool = False
    """Operators run in another order than the file's, where something has no room as a whole and
    less is live then, or fewer cycles are needed."""
    local_losses: bool = False
    """What addresses lose is left free by operators that run there, and not by all of them.

    It is asked where no allocator finds addresses within a limit for what is live within it; where
    it has none either, a search for less memory everywhere is, and then the smallest schedule.
    """
    early_arrivals: bool = False
    """Free memory goes to weights that arrive earlier, where the commands take less time then.

    Bytes of weights that come ahead are kept free for one operator longer, so that their transfer
    waits for nobody there. Who saves memory (Size, a chosen point of a front) gives none for that.
    Where whole maps and these bytes have room, the search counts on it: weights come whole that
    would be cut to come in time.
    """


NONE = Freedoms()
ALL = Freedoms(**dict.fromkeys(field_names(Freedoms), True))
