"""The document: a model and what is asked for it. One frozen value; undo is an older one."""

from __future__ import annotations

from pathlib import Path

from core.base.frozen import Frozen, field, replace
from core.ir.edits import Edit
from core.ir.settings import Settings
from core.ir.shown import Shown
from core.ir.together import Calls


class ModelRef(Frozen):
    """A model file as it was when it was read."""

    path: str
    digest: str
    """Of its bytes: a file that changed on disk is another model."""

    @property
    def name(self) -> str:
        """The file's name."""
        return Path(self.path).name


class Company(Frozen):
    """Other models in the same device."""

    models: tuple[ModelRef, ...] = ()
    calls: Calls = Calls.IN_TURN


class Document(Frozen):
    """What the user has opened and asked for."""

    model: ModelRef | None = None
    settings: Settings = field(default_factory=Settings)
    company: Company = Company()
    """All of them have to fit the limit together."""
    ignores_edits: bool = False
    """The compiler is asked as if there were no edits, to compare with."""
    around: Shown | None = None
    """What was on screen when edits began: they change it, and all else stays as it was shown."""

    @property
    def edits(self) -> tuple[Edit, ...]:
        """Decisions that the user has taken."""
        return self.settings.options.edits

    @property
    def asked(self) -> Settings:
        """What the compiler is asked: edits that are ignored for now are off in it."""
        if not self.ignores_edits:
            return self.settings
        return _with_edits(self.settings, tuple(replace(edit, is_on=False) for edit in self.edits))

    @property
    def ground(self) -> Shown | None:
        """What the compiler leaves as it was shown: nothing while edits are ignored."""
        return None if self.ignores_edits else self.around

    def with_edits(self, edits: tuple[Edit, ...]) -> Document:
        """The same with other decisions."""
        around = self.around if edits else None
        return replace(self, settings=_with_edits(self.settings, edits), around=around)

    def with_settings(self, settings: Settings) -> Document:
        """The same model, asked for otherwise: what was shown for one question is no ground for
        edits of another."""
        asked = replace(self, settings=settings)
        return asked if asked.asks_as(self) else replace(asked, around=None)

    def asks_as(self, other: Document) -> bool:
        """Whether both ask for the same, but for edits."""
        return self.bare == other.bare

    @property
    def bare(self) -> Document:
        """The same without a decision."""
        return replace(self.with_edits(()), ignores_edits=False)

    def with_company(self, company: Company) -> Document:
        """The same beside other models, which leave it another room."""
        return replace(self, company=company, around=None)

    @property
    def files(self) -> tuple[ModelRef, ...]:
        """The model and those beside it."""
        return (*(() if self.model is None else (self.model,)), *self.company.models)

    def with_file(self, path: str, model: ModelRef) -> Document:
        """The same where the file of this path is another, or elsewhere."""
        if all(known.path != path for known in self.files):
            return self
        own = model if self.model is not None and self.model.path == path else self.model
        others = tuple(model if known.path == path else known for known in self.company.models)
        return replace(self, model=own, company=replace(self.company, models=others))

    def with_limit(self, limit_bytes: int | None) -> Document:
        """The same within another limit, around what was shown too."""
        return replace(self, settings=replace(self.settings, limit_bytes=limit_bytes))

    def of_model(self, model: ModelRef) -> Document:
        """The same target for a model; what was decided about another model is left behind, and so
        is a limit that was set for it."""
        if self.model is None or self.model.path == model.path:
            return replace(self, model=model)
        options = self.settings.options
        pareto = replace(options.pareto, most_bytes=None)
        options = replace(options, edits=(), pareto=pareto)
        settings = replace(self.settings, options=options, limit_bytes=None)
        return Document(model=model, settings=settings)


def _with_edits(settings: Settings, edits: tuple[Edit, ...]) -> Settings:
    return replace(settings, options=replace(settings.options, edits=edits))
