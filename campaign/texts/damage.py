"""Damaged references: texts that an attentive judge ranks below an honest translation.

Results depend only on seed, segment number, attempt and texts. The script determines what a word is: the text
between spaces if the script has them, otherwise a character with its marks.

Sources: replacing a span of words with one of another segment, and its length, follow direct assessment,
where they are called bad references (Bojar et al. 2016, Findings of WMT16, after Graham et al. 2013). The
attention check is the converse of an idea of Bojar et al. 2011, §2.1.
"""

import unicodedata
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from campaign.texts.hash_draw import HashDraw
from campaign.texts.normalisation import normalise_text

# Scripts without spaces between words, by the Unicode names of their characters.
_UNSPACED: Final = frozenset(
    (
        "CJK",
        "HIRAGANA",
        "KATAKANA",
        "THAI",
        "LAO",
        "KHMER",
        "MYANMAR",
        "TIBETAN",
        "YI",
        "BOPOMOFO",
    ),
)
_TRIES: Final = 4


class Damage(TextChoices):
    """Kind of damage to a reference."""

    # A span of words comes from another segment.
    REPLACED = "replaced", _("words from another sentence")
    # About every third word is missing.
    DROPPED = "dropped", _("words removed")
    REORDERED = "reordered", _("words reordered")
    # The text is the reference of another segment.
    SWAPPED = "swapped", _("another sentence")
    # Every number is changed.
    NUMBERS = "numbers", _("numbers changed")
    # The text is repeated: the last resort, which always works.
    REPEATED = "repeated", _("repeated")


#: Default kinds of damage. An honest judge easily misses changed numbers, and a dishonest one
#: easily notices repetition.
USUAL_DAMAGES: Final = (
    Damage.REPLACED,
    Damage.DROPPED,
    Damage.REORDERED,
    Damage.SWAPPED,
)


@dataclass(frozen=True, slots=True)
class BadText:
    """A damaged text, the kind of damage, and a short description of its place."""

    text: str
    damage: Damage
    detail: str


def damage_draw(*, seed: int, segment: int, attempt: int) -> HashDraw:
    """Return the source of random draws for one damaged reference."""
    return HashDraw(scheme="damage", seed=seed, number=segment, attempt=attempt)


def bad_text(
    reference: str,
    *,
    others: Sequence[str],
    forbidden: Collection[str],
    draw: HashDraw,
    damages: Sequence[Damage] = USUAL_DAMAGES,
) -> BadText:
    """Damage a reference so that it is neither the reference nor any of the `forbidden` texts.

    Parameters
    ----------
    reference
        The text to damage; not blank.
    others
        References of other segments of the test set, of the same language.
    forbidden
        Outputs and other references of the segment, from which the damaged text must differ after
        `normalise_text`.
    draw
        Source of all random decisions.
    damages
        Kinds to draw from. One that is impossible for this text (without numbers, with a single word, or
        without other segments) is replaced by the next, and finally by repetition.

    Raises
    ------
    ValueError
        If the reference is blank.
    """
    if not reference.strip():
        raise ValueError("a blank reference cannot be damaged")
    excluded_texts = {normalise_text(text) for text in (reference, *forbidden)}
    for index in draw.shuffled(range(len(damages)), str, "damage"):
        damage = damages[index]
        for attempt in range(_TRIES):
            damaged = _DAMAGES[damage](reference, others, draw, attempt)
            if damaged is None or not damaged.text.strip():
                continue
            if normalise_text(damaged.text) not in excluded_texts:
                return BadText(damaged.text, damage, damaged.detail)
    return _repeat_until_different(reference, excluded_texts)


def _repeat_until_different(reference: str, excluded_texts: Collection[str]) -> BadText:
    words = _Words(reference)
    times = 2
    while True:
        text = words.joined(words.units * times)
        if normalise_text(text) not in excluded_texts:
            return BadText(text, Damage.REPEATED, f"{times}×")
        times += 1


class _Words:
    """A text split into units for damage, and the separator between them."""

    def __init__(self, text: str) -> None:
        self.units = text.split()
        self._between = " "
        if any(map(is_unspaced, text)):
            self.units = _characters(text)
            self._between = ""

    def joined(self, units: Sequence[str]) -> str:
        return self._between.join(units)


def is_unspaced(character: str) -> bool:
    """Return whether a character is of a script without spaces between words."""
    return unicodedata.name(character, "").partition(" ")[0] in _UNSPACED


def _characters(text: str) -> list[str]:
    """Return the characters with their combining marks, without white space."""
    units: list[str] = []
    for character in text:
        if character.isspace():
            continue
        joins = unicodedata.category(character)[0] == "M" or character in "\u200c\u200d"
        if units and (joins or units[-1].endswith("\u200d")):
            units[-1] += character
        else:
            units.append(character)
    return units


def _stretch(words: int) -> int:
    """Return the number of words that direct assessment (WMT16) replaces in a sentence of this length."""
    for longest, replaced in ((1, 1), (5, 2), (8, 3), (15, 4), (20, 5)):
        if words <= longest:
            return replaced
    return words // 4


class _Damaged(NamedTuple):
    """A damaged text, and what was done to it."""

    text: str
    detail: str


_DamageText = Callable[[str, Sequence[str], HashDraw, int], _Damaged | None]


def _replace(
    reference: str,
    others: Sequence[str],
    draw: HashDraw,
    attempt: int,
) -> _Damaged | None:
    words = _Words(reference)
    units = words.units
    if not others:
        return None
    other = others[draw.below(len(others), "source", attempt)]
    source = _Words(other).units
    if not source:
        return None
    length = min(_stretch(len(units)), len(units), len(source))
    position = draw.below(len(units) - length + 1, "at", attempt)
    start = draw.below(len(source) - length + 1, "from", attempt)
    replacement = source[start : start + length]
    text = words.joined([*units[:position], *replacement, *units[position + length :]])
    span = f"{position + 1}–{position + length}"
    return _Damaged(text, f"{span}: {words.joined(replacement)}")


def _drop(
    reference: str,
    _others: Sequence[str],
    draw: HashDraw,
    attempt: int,
) -> _Damaged | None:
    words = _Words(reference)
    count = len(words.units)
    if count < 2:
        return None
    number_dropped = max(1, round(count / 3))
    order = draw.shuffled(range(count), str, "drop", attempt)
    dropped_indices = set(order[:number_dropped])
    remaining = []
    dropped = []
    for index, unit in enumerate(words.units):
        if index in dropped_indices:
            dropped.append(unit)
        else:
            remaining.append(unit)
    return _Damaged(words.joined(remaining), words.joined(dropped))


def _reorder(
    reference: str,
    _others: Sequence[str],
    draw: HashDraw,
    attempt: int,
) -> _Damaged | None:
    words = _Words(reference)
    order = draw.shuffled(range(len(words.units)), str, "reorder", attempt)
    text = words.joined([words.units[index] for index in order])
    return _Damaged(text, "")


def _swap(
    _reference: str,
    others: Sequence[str],
    draw: HashDraw,
    attempt: int,
) -> _Damaged | None:
    if not others:
        return None
    index = draw.below(len(others), "swap", attempt)
    return _Damaged(others[index], "")


def _numbers(
    reference: str,
    _others: Sequence[str],
    draw: HashDraw,
    attempt: int,
) -> _Damaged | None:
    """Shift every digit by the same step, within the ten digits of its script."""
    if not any(map(str.isdecimal, reference)):
        return None
    step = 1 + draw.below(9, "step", attempt)
    changed = ""
    for character in reference:
        if character.isdecimal():
            value = unicodedata.decimal(character)
            zero = ord(character) - value
            changed += chr(zero + (value + step) % 10)
        else:
            changed += character
    return _Damaged(changed, f"+{step}")


def _repeat(
    reference: str,
    _others: Sequence[str],
    _draw: HashDraw,
    attempt: int,
) -> _Damaged | None:
    words = _Words(reference)
    times = 2 + attempt
    return _Damaged(words.joined(words.units * times), f"{times}×")


_DAMAGES: Final[dict[Damage, _DamageText]] = {
    Damage.REPLACED: _replace,
    Damage.DROPPED: _drop,
    Damage.REORDERED: _reorder,
    Damage.SWAPPED: _swap,
    Damage.NUMBERS: _numbers,
    Damage.REPEATED: _repeat,
}
