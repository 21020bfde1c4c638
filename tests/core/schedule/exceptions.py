"""Where our schedules are worse in one figure than the other compiler's, and what for."""

from __future__ import annotations

from typing import NamedTuple


class Trade(NamedTuple):
    """One figure that is worse, what it buys, and how far it may go."""

    row: str
    most: float
    """Ours to theirs, at most."""
    why: str


SRAM = "sram_memory_used"
CYCLES = "cycles_total"
EVICTED = "evicted bytes"
NPU = "cycles_npu"

EXCEPTIONS = {
    "u65-256-dedicated-384k/mobilenet_v2_1.0_224_quant": Trade(
        SRAM,
        1.007,
        "The last cascade runs in 16 rows instead of 22, which is faster and takes 97,264 bytes"
        " less, so that its input of 100,352 bytes stays in fast storage as well: 10 % less goes"
        " through the DRAM, the whole takes 1.2 % less, and the limit has 7,488 bytes to spare.",
    ),
    "u65-256-dedicated-384k/tf2_mobilenet_v2_1.0_224_ptq": Trade(
        SRAM,
        1.008,
        "The same for the same map: nothing has to be evicted, 9 % less goes through the DRAM, the"
        " whole takes 1 % less, and the limit has 6,208 bytes to spare.",
    ),
    "u55-256-shared-size/movenet_single_pose_lightning_ptq": Trade(
        NPU,
        1.007,
        "Operators on the CPU need 564,480 bytes, so each command stream may take as many. Then"
        " stripes are higher and weights wait in buffers: the accelerator works longer and waits"
        " less for memories, so that an inference takes 9.8 % less in the same bytes.",
    ),
    "u55-256-shared-size/omv_yolov8n_192": Trade(
        NPU,
        1.029,
        "The same with 1,016,832 bytes, which the last of its streams needs: 2.7 % less.",
    ),
    "u65-512-dedicated-128k/omv_yolov8n_192": Trade(
        EVICTED,
        1.05,
        "Maps stay for their accesses, summed over those that share bytes, and not for their size:"
        " more bytes are evicted, but those that stay are used more, so that 3 % less of the"
        " feature maps goes through the DRAM, and the whole takes 2.1 % less.",
    ),
    "u65-512-dedicated-size/mobilenet_v1_0.25_128_quant": Trade(
        EVICTED,
        1.15,
        "Weights take 6 % less, so that slices of the last convolutions fit in twice the depth;"
        " their larger buffers leave no room for three maps of 10,240 bytes together, and the whole"
        " is 0.5 % faster within the same 27,648 bytes.",
    ),
}
"""By target and model."""

MOST_EXCEPTIONS = 6
