"""Models: files that are read and held against the format when they are loaded."""

from __future__ import annotations

import os
from pathlib import Path

from core.api import networks, programs, schedules
from core.base.digest import digest_bytes
from core.base.errors import OptionError, about
from core.base.files import read_bytes
from core.base.frozen import Frozen, field
from core.base.progress import SILENT, Progress
from core.ir.options import LoweringOptions, Options
from core.ir.settings import Settings

Source = str | os.PathLike[str]


class Model(Frozen):
    """A network, as a file has it."""

    name: str
    data: bytes
    _benches: dict[tuple[str, LoweringOptions], schedules.Workbench] = field(default_factory=dict)
    """Lowered for an accelerator, with what does not depend on a limit."""
    _beside: programs.Beside = programs.nothing_beside
    """What files of data beside it hold, where it is a program of ExecuTorch."""

    @property
    def size_bytes(self) -> int:
        """Of the file."""
        return len(self.data)

    @property
    def digest(self) -> str:
        """Of its bytes."""
        return digest_bytes(self.data)

    @property
    def is_compiled(self) -> bool:
        """Whether some compiler has put command streams for an NPU into it."""
        return networks.may_be_compiled(self.data)

    def program(self, progress: Progress) -> programs.ReadProgram | None:
        """What its command streams do; None where it has none."""
        return programs.read_program(self.data, progress, self._beside)

    def __repr__(self) -> str:
        compiled = ", compiled" * self.is_compiled
        return f"<Model {self.name}: {self.size_bytes:,} bytes{compiled}>"

    def __hash__(self) -> int:
        return hash((self.name, self.data))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Model) and (self.name, self.data) == (other.name, other.data)

    def bench(
        self, settings: Settings, options: Options, progress: Progress
    ) -> schedules.Workbench:
        """Where schedules of it are made for an accelerator; the same one for each limit."""
        target = settings.target()
        key = target.accelerator.name, options.lowering
        if key not in self._benches:
            with about(self.name):
                run = networks.run(self.data, target, options, progress)
            self._benches[key] = schedules.Workbench(run)
        return self._benches[key]


def load(source: Source | bytes, *, name: str = "") -> Model:
    """A model from a `.tflite` file, or from its bytes; an InputError says what is wrong with it.

    Compiled models are read as well, whoever compiled them, also programs of ExecuTorch (`.pte`).
    """
    if isinstance(source, bytes):
        model = Model(name=name or "model", data=source)
    elif isinstance(source, str | os.PathLike):
        path = Path(source)
        data, beside = read_bytes(path), programs.beside(path)
        model = Model(name=name or path.name, data=data, _beside=beside)
    else:
        raise OptionError(f"a model has to be a path or bytes, and not {type(source).__name__}")
    with about(model.name if isinstance(source, bytes) else Path(source)):
        if networks.is_of_executorch(model.data):
            model.program(SILENT)
        else:
            networks.read(model.data)
    return model


def model_of(given: Model | Source) -> Model:
    """A model, or the one of a file."""
    return given if isinstance(given, Model) else load(given)
