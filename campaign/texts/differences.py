"""Compare two texts by word, or by character in scripts without spaces."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate
from typing import Final

from campaign.texts.normalisation import composed

# Han, Kana, Thai, Lao, Myanmar and Khmer have no spaces: each character is a token, with its marks.
_UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_SEPARATE: Final = '.,;:!?…"“”„«»()\\[\\]،؛؟।。、，！？：；「」『』（）'
_MARKS: Final = "\u0300-\u036f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u3099\u309a\ufe00-\ufe0f"
_TOKENS: Final = re.compile(
    rf"\s+|[{_SEPARATE}]|[{_UNSPACED}][{_MARKS}]*|[^\s{_SEPARATE}{_UNSPACED}]+"
)
#: Longer texts are not compared, since the time grows with the square of their length.
MOST_TOKENS: Final = 4_000
# Texts that repeat a few words, as broken systems write them, take a million times longer than others of their length.
_MOST_STEPS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Run:
    """A part of a text; `differs` is true if the other text does not have it there."""

    text: str
    differs: bool


def differences(one: str, other: str) -> tuple[list[Run], list[Run]]:
    """Split two texts into runs. Unicode composition and invisible characters make no difference."""
    parts = _TOKENS.findall(one), _TOKENS.findall(other)
    if max(map(len, parts)) > MOST_TOKENS:
        return [Run(one, differs=False)], [Run(other, differs=False)]
    # Spaces are not compared.
    places = []
    for each in parts:
        places.append(
            [position for position, part in enumerate(each) if not part.isspace()]
        )
    keys = []
    for each, positions in zip(parts, places, strict=True):
        keys.append([_key(each[position]) for position in positions])
    marked = [[True] * len(each) for each in keys]
    for start, other_start, size in _matching(*keys):
        marked[0][start : start + size] = [False] * size
        marked[1][other_start : other_start + size] = [False] * size
    first, second = (
        _runs(
            each,
            {
                position
                for position, differs in zip(positions, side, strict=True)
                if differs
            },
        )
        for each, positions, side in zip(parts, places, marked, strict=True)
    )
    return first, second


def _matching(
    one: Sequence[str], other: Sequence[str]
) -> Iterator[tuple[int, int, int]]:
    """Yield the parts that both have, as in `SequenceMatcher.get_matching_blocks`: two starts and a length.

    Parts that are found only after very many steps are not yielded, except at both ends.
    """
    begin = _common_length(one, other)
    end = _common_length(one[begin:][::-1], other[begin:][::-1])
    yield 0, 0, begin
    yield len(one) - end, len(other) - end, end
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    frequencies = Counter(other)
    steps_before = [0, *accumulate(frequencies[word] for word in one)]
    steps = 0
    windows = [(begin, len(one) - end, begin, len(other) - end)]
    while windows:
        low, high, other_low, other_high = windows.pop()
        steps += steps_before[high] - steps_before[low]
        if low == high or other_low == other_high or steps > _MOST_STEPS:
            continue
        start, other_start, size = matcher.find_longest_match(
            low, high, other_low, other_high
        )
        if size:
            yield start, other_start, size
            windows.append((low, start, other_low, other_start))
            windows.append((start + size, high, other_start + size, other_high))


def _common_length(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the number of words that both begin with."""
    pairs = zip(one, other, strict=False)
    return next(
        (position for position, (a, b) in enumerate(pairs) if a != b),
        min(len(one), len(other)),
    )


def _key(word: str) -> str:
    seen = (each for each in composed(word) if unicodedata.category(each) != "Cf")
    return "".join(seen) or word


def _runs(parts: Sequence[str], differing: set[int]) -> list[Run]:
    """Join neighbouring parts that differ, with the space between them."""
    runs: list[tuple[list[str], bool]] = []
    for position, part in enumerate(parts):
        joins = (
            part.isspace() and position - 1 in differing and position + 1 in differing
        )
        differs = position in differing or joins
        if runs and runs[-1][1] == differs:
            runs[-1][0].append(part)
        else:
            runs.append(([part], differs))
    return [Run("".join(texts), differs) for texts, differs in runs]
