"""Run by an interpreter with ethos-u-vela: which models each core has on the NPU alone.

PYTHON ask_peer.py FOLDER      prints {core: {model: answer}} as JSON
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
from pathlib import Path

CORES = {"legacy": "--debug-force-legacy-core", "regor": "--debug-force-regor"}
TARGET = (
    *("--accelerator-config", "ethos-u55-256", "--config", "Arm/vela.ini"),
    *("--system-config", "Ethos_U55_High_End_Embedded", "--memory-mode", "Shared_Sram"),
)


def left(compiled: Path) -> set[str]:
    """The kinds of operators in a compiled file."""
    from ethosu.vela.tflite.Model import Model  # type: ignore[import-not-found]  # noqa: PLC0415 - theirs

    model = Model.GetRootAs(compiled.read_bytes(), 0)
    kinds = set()
    for number in range(model.SubgraphsLength()):
        graph = model.Subgraphs(number)
        for at in range(graph.OperatorsLength()):
            custom = model.OperatorCodes(graph.Operators(at).OpcodeIndex()).CustomCode()
            kinds.add(custom.decode() if custom else "")
    return kinds


def answer(model: Path, switch: str) -> str:
    """What becomes of a model; a core that crashes takes a process of its own with it."""
    with tempfile.TemporaryDirectory() as folder:
        child = os.fork()
        if child == 0:
            compile_into(model, folder, switch)
        os.waitpid(child, 0)
        made = list(Path(folder).glob("*.tflite"))
        if not made:
            return "fails"
        return "NPU" if left(made[0]) == {"ethos-u"} else "CPU"


def compile_into(model: Path, folder: str, switch: str) -> None:
    """End this process with a compiled model, or without."""
    from ethosu.vela import vela  # type: ignore[import-not-found]  # noqa: PLC0415 - theirs

    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    with contextlib.suppress(BaseException):
        vela.main([str(model), "--output-dir", folder, *TARGET, switch])
    os._exit(0)


if __name__ == "__main__":
    models = sorted(Path(sys.argv[1]).glob("*.tflite"))
    json.dump(
        {
            core: {model.stem: answer(model, switch) for model in models}
            for core, switch in CORES.items()
        },
        sys.stdout,
    )
