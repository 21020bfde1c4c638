"""The language: words, patterns between slashes, comparisons, and `and`, `or`, `not` between them.

    kind=depthwise and share > 1%         bytes>=64K or is=evicted        not (waits=DRAM) conv

Terms side by side all have to be met. A word, or `"several words"`, has to occur in what is
written of a thing, and `/.../` has to match there. `=` asks a text for a word, `~` for a part of
a word; what has no such value meets no comparison.
"""

from __future__ import annotations

import difflib
import math
import operator
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from core.base.errors import OptionError
from core.base.frozen import Frozen, NamedTuple

Value = float | str | frozenset[str]
"""A number, a text, or tags."""


class Thing(NamedTuple):
    """An operator or a map, as it can be asked about."""

    texts: Sequence[str]
    """What is written of it, where words are looked for."""
    values: Mapping[str, Value]
    """By field; what it has not is left out."""


Test = Callable[[Thing], bool]
Fields = Mapping[str, type]
"""Whether the values of a field are `float`, `str` or `frozenset`."""

_SIGNS: Mapping[str, Callable[[float, float], bool]] = MappingProxyType(
    {
        "=": operator.eq,
        "!=": operator.ne,
        "<=": operator.le,
        ">=": operator.ge,
        "<": operator.lt,
        ">": operator.gt,
    }
)
_TOKEN = re.compile(
    r"""\s*(?:
        (?P<pattern>/(?:.*?/(?=[\s)]|$)|.*))
      | (?P<quoted>"[^"]*"?)
      | (?P<sign><=|>=|!=|=|<|>|~)
      | (?P<bracket>[()])
      | (?P<word>[^\s()<>=!~"]+|!)
    )""",
    re.VERBOSE,
)
_NUMBER = re.compile(r"(0x[0-9a-f]{1,16}|\d{1,20}(?:\.\d{1,20})?)(%|[kmg]?)(?:i?b)?", re.IGNORECASE)
_THOUSANDS = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "%": 0.01}
_BYTES = {"": 1.0, "k": 1024.0, "m": 1024.0**2, "g": 1024.0**3, "%": 0.01}
_JOINING = ("and", "or")
_DEEPEST = 50
_FEW = 12
"""So many words of a field are told, where none is near."""
_PARTS = re.compile(r"[^\w%.]+")


class Word(NamedTuple):
    """A word that something has to have."""

    field: str
    """None for a word alone."""
    text: str
    is_part: bool
    """Whether a part of a word is enough."""


class Query(Frozen, eq=False):
    """What is asked."""

    text: str
    test: Test
    words: tuple[Word, ...] = ()
    """What is asked of texts and tags."""

    @property
    def is_empty(self) -> bool:
        """Whether everything meets it."""
        return not self.text.strip()


class Token(NamedTuple):
    """A part of a text."""

    kind: str
    text: str


def query_of(text: str, fields: Fields) -> Query:
    """What a text asks; an OptionError says what it does not understand."""
    tokens = _tokens(text)
    if all(token.kind == "pattern" and _pattern(token.text) is None for token in tokens):
        return Query(text="", test=lambda _: True)
    parser = _Parser(tokens, fields)
    test = parser.either(0)
    if parser.next is not None:
        raise OptionError(f"'{parser.next.text}' has nothing before it to belong to")
    return Query(text=text, test=test, words=tuple(parser.words))


def meant(query: Query, things: Iterable[Thing]) -> str:
    """Of a query that nothing meets: which word no thing has, and what may have been meant."""
    things = list(things)
    for field, word, is_part in query.words:
        known = {each for thing in things for each in _words_of(thing, field)}
        if word in known or (is_part and any(word in each for each in known)):
            continue
        if not field and any(word in thing.values for thing in things):
            return f"'{word}' is compared, such as {word}=..."
        told = f"no {field} is '{word}'" if field else f"nothing has '{word}'"
        told = f"nothing is '{word}'" if field == "is" else told
        near = difflib.get_close_matches(word, sorted(known), n=1)
        if near:
            return f"{told}; did you mean '{near[0]}'?"
        few = sorted(known) if field and len(known) <= _FEW else []
        return f"{told}; there is {', '.join(few)}" if few else told
    return ""


def _words_of(thing: Thing, field: str) -> Iterator[str]:
    """What of a thing is compared with words, and words in it; capitals are as good as others."""
    value = thing.values.get(field, frozenset()) if field else frozenset(thing.texts)
    for text in value if isinstance(value, frozenset) else (str(value),):
        yield text.casefold()
        yield from filter(None, _PARTS.split(text.casefold()))


def _tokens(text: str) -> list[Token]:
    if text.strip().startswith("/") and len(text.split()) == 1:
        # Alone it may have brackets and slashes of its own.
        return [Token("pattern", text.strip())]
    found, at = [], 0
    while match := _TOKEN.match(text, at):
        kind = match.lastgroup or ""
        found.append(Token(kind, match[kind]))
        at = match.end()
    return found


class _Parser:
    """Goes through the parts of a text once."""

    def __init__(self, tokens: Sequence[Token], fields: Fields) -> None:
        self._tokens, self._fields, self._at = tokens, fields, 0
        self.words: list[Word] = []

    @property
    def next(self) -> Token | None:
        """The part that comes next."""
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def either(self, depth: int) -> Test:
        """Terms with `or` between them."""
        tests = [self._all(depth)]
        while self._takes("or"):
            tests.append(self._all(depth))
        return tests[0] if len(tests) == 1 else lambda thing: any(test(thing) for test in tests)

    def _all(self, depth: int) -> Test:
        tests = [self._term(depth)]
        while self._takes("and") or self._goes_on():
            tests.append(self._term(depth))
        return tests[0] if len(tests) == 1 else lambda thing: all(test(thing) for test in tests)

    def _goes_on(self) -> bool:
        token = self.next
        return token is not None and token.text != ")" and not _is_word(token, "or")

    def _takes(self, word: str) -> bool:
        if _is_word(self.next, word):
            self._at += 1
            return True
        return False

    def _term(self, depth: int) -> Test:
        if depth > _DEEPEST:
            raise OptionError("there are too many brackets in each other")
        if self._takes("not"):
            test = self._term(depth + 1)
            return lambda thing: not test(thing)
        token = self._taken("a word, a pattern or a comparison")
        if token.text == "(" and token.kind == "bracket":
            test = self.either(depth + 1)
            if self.next is None or self._taken(")").text != ")":
                raise OptionError("a bracket is not closed")
            return test
        if token.kind == "pattern":
            return _matches(_pattern(token.text))
        if token.kind in ("sign", "bracket"):
            raise OptionError(f"'{token.text}' has nothing before it to belong to")
        if token.kind == "word" and self.next is not None and self.next.kind == "sign":
            sign = self._taken("a sign").text
            value = self._taken(f"a value behind {sign}")
            field = token.text.casefold()
            if sign != "!=" and value.kind != "pattern" and self._fields.get(field) is not float:
                self.words.append(Word(field, _plain(value).casefold(), is_part=sign == "~"))
            return _comparison(token.text, sign, value, self._fields)
        if any(_is_word(token, word) for word in _JOINING):
            raise OptionError(
                f"'{token.text}' has nothing before it to join; in quotes it is looked for"
            )
        word = _plain(token).casefold()
        self.words.append(Word("", word, is_part=True))
        return _occurs(word)

    def _taken(self, wanted: str) -> Token:
        token = self.next
        if token is None:
            raise OptionError(f"{wanted} is missing at the end")
        self._at += 1
        return token


def _is_word(token: Token | None, word: str) -> bool:
    return token is not None and token.kind == "word" and token.text.casefold() == word


def _plain(token: Token) -> str:
    return token.text.strip('"') if token.kind == "quoted" else token.text


def _occurs(word: str) -> Test:
    return lambda thing: any(word in text.casefold() for text in thing.texts)


def _matches(pattern: re.Pattern[str] | None) -> Test:
    if pattern is None:
        return lambda _: True
    return lambda thing: any(map(pattern.search, thing.texts))


def _pattern(text: str) -> re.Pattern[str] | None:
    inner = text[1:-1] if len(text) > 1 and text.endswith("/") else text[1:]
    if not inner:
        return None
    try:
        with warnings.catch_warnings():
            # What may mean something else one day is no concern of who types a query today.
            warnings.simplefilter("ignore", FutureWarning)
            return re.compile(inner, re.IGNORECASE)
    except (re.error, OverflowError, RecursionError) as error:
        raise OptionError(f"not a regular expression: {error}") from None


def _comparison(name: str, sign: str, token: Token, fields: Fields) -> Test:
    field = name.casefold()
    kind = fields.get(field)
    if kind is None:
        raise OptionError.unknown("field", name, fields)
    value = _plain(token)
    if token.kind == "pattern":
        return _matches_in(field, _pattern(value))
    if kind is float:
        return _number_test(field, sign, _number(field, value))
    if sign not in ("=", "!=", "~"):
        raise OptionError(f"{field} is no number: it is asked by =, != or ~")
    word = value.casefold()
    holds = _holds_part if sign == "~" else _holds_word
    if sign == "!=":
        return lambda thing: field in thing.values and not _holds_word(thing.values[field], word)
    return lambda thing: field in thing.values and holds(thing.values[field], word)


def _number_test(field: str, sign: str, number: float) -> Test:
    compare = _SIGNS.get(sign)
    if compare is None:
        raise OptionError(f"{field} is a number: it is asked by {', '.join(_SIGNS)}")

    def test(thing: Thing) -> bool:
        value = thing.values.get(field)
        return isinstance(value, float) and not math.isnan(value) and compare(value, number)

    return test


def _number(field: str, text: str) -> float:
    match = _NUMBER.fullmatch(text.replace(",", ""))
    if match is None:
        raise OptionError(f"{field} is a number, and '{text}' is none: 64K, 3.2M, 5%, 0x100")
    number, unit = match[1].casefold(), match[2].casefold()
    if unit == "%" and field not in SHARE_FIELDS:
        raise OptionError(f"{field} is no share: '{text}' is of {', '.join(sorted(SHARE_FIELDS))}")
    value = float(int(number, 16)) if number.startswith("0x") else float(number)
    return value * (_BYTES if field in BYTE_FIELDS else _THOUSANDS)[unit]


BYTE_FIELDS = frozenset({"bytes", "weights", "sram", "dram", "flash", "live", "address"})
"""Of which K is 1,024 and not 1,000."""
SHARE_FIELDS = frozenset({"share", "utilisation"})
"""Of which there are percentages."""


def _matches_in(field: str, pattern: re.Pattern[str] | None) -> Test:
    def test(thing: Thing) -> bool:
        value = thing.values.get(field)
        texts = value if isinstance(value, frozenset) else [str(value)]
        return value is not None and (pattern is None or any(map(pattern.search, texts)))

    return test


def _holds_word(value: Value, word: str) -> bool:
    if isinstance(value, frozenset):
        return word in value
    text = str(value).casefold()
    return text == word or word in _PARTS.split(text)


def _holds_part(value: Value, part: str) -> bool:
    texts = value if isinstance(value, frozenset) else (str(value).casefold(),)
    return any(part in text for text in texts)
