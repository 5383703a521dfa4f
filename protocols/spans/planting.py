"""Choose outputs that are shown without suggested errors, and plant wrong suggestions that look like the others."""

import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from campaign.texts.damage import is_unspaced
from campaign.texts.hash_draw import HashDraw
from protocols.spans.records import ERROR, Severity, Span, Start
from protocols.spans.rules import SpansRules, categories_of, severities_of

#: Suggested errors that are tried as a model for a planted one; a short text has no place for most long ones.
_TRIES: Final = 20
_APOSTROPHES: Final = frozenset("'’")
_LETTER: Final = "L"


class _Unit(NamedTuple):
    """A word, a number or a sign of a text, in code points.

    `kind` is its general category in Unicode. Units of one `stretch` have no white space between them.
    """

    start: int
    end: int
    kind: str
    stretch: int


class _Outline(NamedTuple):
    """How an error from one unit of a text to another looks, wherever it is.

    Attributes
    ----------
    stretches, units : int
        Stretches without white space after the first one; in one stretch, units after the first one.
    first_kind, last_kind : str
    first_is_outermost, last_is_outermost : bool
        Whether the unit is at the start or the end of its stretch.
    """

    stretches: int = 0
    units: int = 0
    first_kind: str = _LETTER
    last_kind: str = _LETTER
    first_is_outermost: bool = True
    last_is_outermost: bool = True


class _Shape(NamedTuple):
    """The visible features of a suggested error.

    `before` and `after` are the characters from the start of the first unit to that of the error, and from the end of
    the last one: other than 0 if the error begins or ends within a word, or with white space.
    """

    severity: Severity
    category: str
    outline: _Outline = _Outline()
    before: int = 0
    after: int = 0


class StartDraws:
    """Draws of what judges start from in the outputs of a task.

    They hash a secret seed, the segment's number and the text, so that all judges of an output, and all systems with
    the same output, get the same. A planted error has severity, category and stretch of a random suggested one; in a
    task without any, a severity and a category of its rules. Judges cannot tell it from others without reading.

    Parameters
    ----------
    rules
        Rules of the task.
    suggested
        Each text with the errors suggested in it.
    withheld, planted
        Percentages of outputs that are shown without suggestions, and that get a planted one.
    seed
        Predicts which outputs these are.
    """

    def __init__(
        self,
        rules: SpansRules,
        suggested: Sequence[tuple[str, Sequence[Span]]],
        *,
        withheld: int,
        planted: int,
        seed: int,
    ) -> None:
        self._withheld = withheld
        self._planted = planted
        self._seed = seed
        self._shapes: list[_Shape] = []
        if planted:
            for text, spans in suggested:
                self._shapes.extend(_shapes(text, spans))
        if not self._shapes:
            for severity in severities_of(rules):
                for category in categories_of(rules) or [""]:
                    self._shapes.append(_Shape(severity, category))

    def start(self, segment: int, text: str, spans: Sequence[Span]) -> Start:
        """Return the start of an output. Its errors are in order of their places, whether or not one is planted."""
        draw = HashDraw(seed=self._seed, number=segment, scheme="suggestions")
        is_shown = draw.below(100, "withheld", text) >= self._withheld
        wrong = None
        if draw.below(100, "planted", text) < self._planted:
            wrong = self._wrong(text, spans, draw)
        if wrong is None:
            return Start(tuple(sorted(spans, key=_order)), is_shown)
        suggested = sorted([*spans, wrong], key=_order)
        return Start(tuple(suggested), is_shown, suggested.index(wrong))

    def _wrong(self, text: str, spans: Sequence[Span], draw: HashDraw) -> Span | None:
        """Return an error at a random place in which none is suggested; None if there is no such place."""
        units = _units(text)
        for attempt in range(_TRIES):
            number = draw.below(len(self._shapes), "shape", text, attempt)
            shape = self._shapes[number]
            if attempt == _TRIES - 1:
                shape = _Shape(shape.severity, shape.category)
            places = list(_places(shape, text, units, spans))
            if places:
                return places[draw.below(len(places), "place", text)]
        return None


def _order(span: Span) -> tuple[bool, int, str]:
    """Return the key by which suggested errors are sorted; those without a place come last."""
    return span.start is None, span.start or 0, span.kind


def _units(text: str) -> list[_Unit]:
    """Return words, numbers and signs; characters with their marks in scripts without spaces."""
    units: list[_Unit] = []
    last = _Unit(0, -1, "", -1)
    for place, character in enumerate(text):
        if character.isspace():
            continue
        kind = unicodedata.category(character)[0]
        is_adjacent = last.end == place
        if is_adjacent and _continues(text, place, kind, last.kind):
            last = units.pop()._replace(end=place + 1)
        else:
            stretch = last.stretch + (not is_adjacent)
            last = _Unit(place, place + 1, kind, stretch)
        units.append(last)
    return units


def _continues(text: str, place: int, kind: str, last_kind: str) -> bool:
    """Return whether a character belongs to the unit that ends before it."""
    character = text[place]
    if kind == "M":
        return True
    if is_unspaced(character) or is_unspaced(text[place - 1]):
        return False
    if character in _APOSTROPHES:
        return last_kind == _LETTER and text[place + 1 : place + 2].isalpha()
    return kind == last_kind and kind in {_LETTER, "N"}


def _outline(units: Sequence[_Unit], first: int, last: int) -> _Outline:
    stretches = units[last].stretch - units[first].stretch
    before = [unit.stretch for unit in units[max(0, first - 1) : first]]
    after = [unit.stretch for unit in units[last + 1 : last + 2]]
    return _Outline(
        stretches=stretches,
        units=0 if stretches else last - first,
        first_kind=units[first].kind,
        last_kind=units[last].kind,
        first_is_outermost=before != [units[first].stretch],
        last_is_outermost=after != [units[last].stretch],
    )


def _shapes(text: str, spans: Sequence[Span]) -> Iterator[_Shape]:
    """Yield the shapes of errors marked in a text, except those of special kinds."""
    units = _units(text)
    for span in spans:
        if span.kind != ERROR or span.start is None or span.end is None:
            continue
        touched = []
        for index, unit in enumerate(units):
            if unit.start < span.end and unit.end > span.start:
                touched.append(index)
        if touched:
            first, last = touched[0], touched[-1]
            yield _Shape(
                severity=span.severity,
                category=span.category,
                outline=_outline(units, first, last),
                before=span.start - units[first].start,
                after=span.end - units[last].end,
            )


def _places(
    shape: _Shape,
    text: str,
    units: Sequence[_Unit],
    spans: Sequence[Span],
) -> Iterator[Span]:
    """Yield errors of a shape at each place of a text at which none is suggested."""
    for first, last in _pairs(units, shape.outline.stretches):
        start = units[first].start + shape.before
        end = units[last].end + shape.after
        has_shape = (
            _outline(units, first, last) == shape.outline
            and start < min(units[first].end, end)
            and end > units[last].start
            and _is_space(text, start, units[first].start)
            and _is_space(text, units[last].end, end)
        )
        if has_shape:
            span = Span(start, end, shape.severity, shape.category)
            if not any(map(span.overlaps, spans)):
                yield span


def _pairs(units: Sequence[_Unit], stretches: int) -> Iterator[tuple[int, int]]:
    """Yield the indices of each unit and those that many stretches after it."""
    for first in range(len(units)):
        for last in range(first, len(units)):
            after = units[last].stretch - units[first].stretch
            if after == stretches:
                yield first, last
            elif after > stretches:
                break


def _is_space(text: str, start: int, end: int) -> bool:
    """Return whether a stretch of a text is empty or white space."""
    if start >= end:
        return True
    return start >= 0 and end <= len(text) and text[start:end].isspace()
