"""Writes the example networks: `python -m resources.make_examples [FOLDER]`."""  # noqa: INP001

from __future__ import annotations

import sys
from pathlib import Path

from core.synth.examples import EXAMPLES, SEED
from core.tflite.writer import write


def main(folder: Path) -> None:
    """Write every example network into a folder; each file appears whole or not at all."""
    for name, make in EXAMPLES.items():
        data = write(make(SEED))
        unfinished = folder / f"{name}.tflite.unfinished"
        try:
            unfinished.write_bytes(data)
            unfinished.replace(folder / f"{name}.tflite")
        finally:
            unfinished.unlink(missing_ok=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "examples")
