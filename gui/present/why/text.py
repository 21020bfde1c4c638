"""Why what is selected is as it is: sentences by topic, with numbers and links in them."""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import groupby

from core.api import reasons
from core.api.comparisons import Comparison
from core.base.frozen import Frozen, NamedTuple, replace
from core.base.ids import FmId, NpuOpId
from core.base.sentences import capitalised
from gui.document.answer import Answer
from gui.document.display import ByteUnit, Display, TimeUnit
from gui.document.document import Document
from gui.document.help_pages import pages
from gui.document.selection import Selection
from gui.present import units
from gui.present.names import whole_name
from gui.present.why.compared import compared_with_a
from gui.present.why.edits import Do, TakeWay, edits_about
from gui.present.why.subject import Link, Target, related, subject_of, title_of

MOST_LINKS = 6
"""Of more in one group their number is told, with the list behind it."""


class Stress(enum.Enum):
    """How a piece of a sentence is written."""

    PLAIN = "plain"
    NUMBER = "number"
    FAINT = "faint"
    LINK = "link"


class Phrase(NamedTuple):
    """Part of a sentence."""

    text: str
    stress: Stress = Stress.PLAIN
    target: Target | None = None
    """What a link selects, or does."""
    tip: str = ""
    """The whole name, where the text is a short one."""


Line = tuple[Phrase, ...]


class Topic(NamedTuple):
    """Sentences about one side of the matter."""

    title: str
    sentences: tuple[Line, ...]


class Explanation(Frozen):
    """Everything that is said about what is selected."""

    title: str
    headline: Line
    reasons: tuple[Line, ...]
    """The few that matter most."""
    related: tuple[Link, ...]
    """What it has to do with."""
    own: tuple[Topic, ...]
    """What the user has to do with it: edits, and what is compared."""
    topics: tuple[Topic, ...]
    """All the rest."""

    @property
    def text(self) -> str:
        """The same as plain text."""
        lines = [self.title, "", _plain(self.headline)]
        lines += [f"{place}. {_plain(line)}" for place, line in enumerate(self.reasons, 1)]
        for topic in (*self.own, *self.topics):
            lines += ["", topic.title]
            lines += [f"- {_plain(line)}" for line in topic.sentences]
        return "\n".join(lines) + "\n"

    def pictured(self, opened: Collection[str]) -> Explanation:
        """For a picture, where nobody follows a link or unfolds what is folded: all topics are
        open, names are plain, and help and long lists are left out that nobody has opened."""
        named = [link for link in self.related if not isinstance(link.target, Do)]
        groups = ((name, [*links]) for name, links in groupby(named, lambda link: link.group))
        related = (
            Topic(name, ((Phrase(" \u00b7 ".join(link.text for link in links)),),))
            for name, links in groups
            if name in opened or len(links) <= MOST_LINKS
        )
        return replace(
            self,
            headline=_unlinked(self.headline),
            reasons=tuple(map(_unlinked, self.reasons)),
            related=(),
            own=tuple(
                Topic(topic.title, tuple(map(_unlinked, topic.sentences)))
                for topic in (*self.own, *related, *self.topics)
            ),
            topics=(),
        )


def _plain(line: Line) -> str:
    return "".join(piece.text for piece in line)


def _unlinked(line: Line) -> Line:
    """The same without what a hand alone has use for: ways that can be taken, and links."""
    return tuple(
        Phrase(piece.text) if piece.stress is Stress.LINK else piece
        for piece in line
        if not isinstance(piece.target, TakeWay | Do)
    )


def explanation_of(
    answer: Answer,
    selection: Selection,
    display: Display,
    document: Document | None = None,
    compared: Comparison | None = None,
) -> Explanation:
    """Why what is selected is as it is; the whole schedule where nothing is."""
    subject = subject_of(answer, selection)
    about = subject or reasons.AboutNetwork()
    told = reasons.explain(answer.scheduled, answer.analysis, about)
    lead = reasons.lead(answer.scheduled, answer.analysis, about)
    writer = Writer(answer, display)
    topics = [
        Topic(
            capitalised(name),
            tuple(writer.pieces(capitalised(sentence.text)) for sentence in sentences),
        )
        for name, sentences in groupby(
            (each for each in told if each not in lead.reasons),
            key=lambda sentence: sentence.topic,
        )
    ]
    in_a = () if compared is None else compared_with_a(compared, answer, selection)
    mine: list[Topic] = []
    if in_a:
        mine.insert(0, Topic("Compared with A", tuple(map(writer.pieces, in_a))))
    asked = document or answer.document
    own = tuple(_own_edits(asked, answer, selection, writer)) if subject is not None else ()
    if own:
        mine.insert(0, Topic("Your edit" if len(own) == 1 else "Your edits", own))
    if subject is None and not selection.is_empty:
        gone = "What was selected is no part of this schedule, so this is about the whole."
        mine.insert(0, Topic("Selection", ((Phrase(gone),),)))
    return Explanation(
        title=title_of(answer, subject),
        headline=writer.pieces(lead.headline),
        reasons=tuple(writer.pieces(capitalised(each.text)) for each in lead.reasons),
        related=(
            *related(answer, about),
            *_help(answer, selection),
        ),
        own=tuple(mine),
        topics=tuple(topics),
    )


def _help(answer: Answer, selection: Selection) -> Iterator[Link]:
    """Pages that say what words mean that are used of the selection."""
    names = ["words"]
    if selection.cascade is not None or selection.op is not None:
        names.insert(0, "cascades")
    elif selection.fm is not None and answer.scheduled.target.is_spilling:
        names.insert(0, "eviction")
    elif selection.is_empty:
        names = ["start", "limit", "modes"]
    for page in pages():
        if page.name in names:
            yield Link("Help", page.title, Do(f"help.page.{page.name}"))


def _own_edits(
    document: Document, answer: Answer, selection: Selection, writer: Writer
) -> Iterator[Line]:
    """Each edit about the selection: what became of it, why, and ways out that can be taken."""
    for told in edits_about(document, answer, selection):
        ways = (
            piece
            for text, way in told.ways
            for piece in (Phrase(" "), Phrase(text, Stress.LINK, way))
        )
        yield (*writer.pieces(f"{told.row.number}: {told.row.tip}"), *ways)


# Numbers of operators come after the word; what comes before it counts them.
_NUMBERS = r"\d++(?:-\d++)?+(?:, \d++(?:-\d++)?+)*+"
_TOKENS = re.compile(
    rf"(?P<ops>\b[Oo]perators? {_NUMBERS})(?! of the model| cycles?\b| bytes?\b|,\d|\.\d|\w)"
    r"|(?P<name>'[^']+')"
    r"|(?P<size>(?<![\w.,])\d[\d,]*+ bytes?\b)"
    r"|(?P<time>(?<![\w.,])\d[\d,]*+ cycles?\b(?: \([\d.,]+ (?:µs|ms|s)\))?)"
    r"|(?P<number>(?<![\w])\d[\d,]*(?:\.\d+)?(?:x\d+)*%?(?!\w))"
)


class Writer:
    """Finds numbers and links in sentences, and writes sizes and times in the chosen units."""

    def __init__(self, answer: Answer, display: Display) -> None:
        graph = answer.scheduled.run.graph
        self._op_count, self._maps = len(graph.ops), graph.feature_maps
        self._clock_hz = answer.scheduled.total.clock_hz
        self._display = display
        self._fms = {title: FmId(fm) for fm, title in enumerate(graph.titles.maps)}
        self._writers: dict[str, Callable[[str], Iterable[Phrase]]] = {
            "ops": self._ops,
            "name": self._name,
            "size": self._size,
            "time": self._time,
            "number": lambda found: (Phrase(found, Stress.NUMBER),),
        }

    def pieces(self, text: str) -> Line:
        """A sentence in pieces."""
        pieces: list[Phrase] = []
        at = 0
        for match in _TOKENS.finditer(text):
            if match.start() > at:
                pieces.append(Phrase(text[at : match.start()]))
            pieces += self._writers[match.lastgroup or "number"](match.group())
            at = match.end()
        if at < len(text):
            pieces.append(Phrase(text[at:]))
        return tuple(pieces)

    def _ops(self, found: str) -> Iterator[Phrase]:
        """`operators 3-5, 9` with a link for each number that is told."""
        for part in re.split(r"(\d+)", found):
            if part.isdigit() and int(part) < self._op_count:
                yield Phrase(part, Stress.LINK, Selection(op=NpuOpId(int(part))))
            elif part:
                yield Phrase(part)

    def _name(self, found: str) -> Iterator[Phrase]:
        fm = self._fms.get(found[1:-1])
        if fm is None:
            yield Phrase(found)
            return
        name = whole_name(self._maps[fm].name)
        yield Phrase(found[1:-1], Stress.LINK, Selection(fm=fm), name)

    def _size(self, found: str) -> Iterator[Phrase]:
        """Bytes stay exact, since a limit is typed in bytes; KiB go with them."""
        number, unit = found.split(" ")
        yield Phrase(number, Stress.NUMBER)
        yield Phrase(f" {unit}")
        size_bytes = int(number.replace(",", ""))
        if self._display.byte_unit is ByteUnit.KIB and size_bytes >= units.KIB:
            yield Phrase(f" ({units.size(size_bytes)})", Stress.FAINT)

    def _time(self, found: str) -> Iterator[Phrase]:
        number, rest = found.split(" ", 1)
        if self._display.time_unit is TimeUnit.CYCLES:
            yield Phrase(number, Stress.NUMBER)
            yield Phrase(f" {rest}")
            return
        cycles = int(number.replace(",", ""))
        told = units.time(cycles, self._display.time_unit, self._clock_hz)
        yield Phrase(told, Stress.NUMBER)
