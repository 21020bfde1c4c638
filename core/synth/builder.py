"""One builder of quantised networks, made of the families of operators."""

from __future__ import annotations

from core.synth.activations import Activations
from core.synth.convolutions import Convolutions
from core.synth.elementwise import Elementwise
from core.synth.hostside import HostSide
from core.synth.joining import Joining
from core.synth.pooling import Pooling
from core.synth.recurrent import Recurrent
from core.synth.resizing import Resizing


class Builder(
    Convolutions, Elementwise, Activations, Pooling, Joining, Resizing, Recurrent, HostSide
):
    """Builds a network from a seed, operator by operator; `build` quantises and returns it.

    Its methods take and return values; the same calls with the same seed give the same network.
    Names of tensors begin with `scope`.
    """
