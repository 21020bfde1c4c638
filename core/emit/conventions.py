"""What writers and readers of compiled files agree on: names, and what stands for no place."""

from __future__ import annotations

CUSTOM_CODE = "ethos-u"
"""The name of a compiled operator."""
OFFLINE_ALLOCATION = "OfflineMemoryAllocation"
"""The metadata that has the place of each tensor in the arena."""
UNPLACED = -1
"""The address of a tensor whose place is left to the runtime."""
PROGRAM = "Reefpoint"
VERSION_METADATA = "reefpoint_version"
EDITS_METADATA = "reefpoint_edits"
"""Decisions that were not the compiler's, as their file has them; only where there are some."""
COMPILER_VERSIONS = (VERSION_METADATA, "vela_version")
"""Metadata by which compilers say that a file is theirs."""
RAW_COMMANDS = "cmd_data"
"""The array of raw output (`.npz`) that has the command stream."""
_ZIP = b"PK\x03\x04"


def is_marked(model: bytes) -> bool:
    """Whether a file may have been compiled: the name is somewhere in it, which is soon seen."""
    return CUSTOM_CODE.encode() in model


def is_raw(data: bytes) -> bool:
    """Whether a file may be raw output: what its commands are called is somewhere in it."""
    return data.startswith(_ZIP) and f"{RAW_COMMANDS}.npy".encode() in data
