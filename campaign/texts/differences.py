"""Compare two texts by word, or by character in scripts without spaces."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import Match, SequenceMatcher
from itertools import accumulate, groupby
from os.path import commonprefix
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
    rf"\s+|[{_SEPARATE}]|[{_UNSPACED}][{_MARKS}]*|[^\s{_SEPARATE}{_UNSPACED}]+",
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
    text = _Tokens(one)
    other_text = _Tokens(other)
    if max(len(text.parts), len(other_text.parts)) > MOST_TOKENS:
        return [Run(one, differs=False)], [Run(other, differs=False)]
    for block in _matching(text.keys, other_text.keys):
        text.match(block.a, block.size)
        other_text.match(block.b, block.size)
    return text.runs(), other_text.runs()


class _Tokens:
    """The parts of a text: spaces, which are not compared, and words, of which some match."""

    def __init__(self, text: str) -> None:
        self.parts: list[str] = _TOKENS.findall(text)
        self.keys: list[str] = []
        #: Positions of the words.
        self._words: list[int] = []
        self._differing: set[int] = set()
        for position, part in enumerate(self.parts):
            if not part.isspace():
                self.keys.append(_key(part))
                self._words.append(position)
                self._differing.add(position)

    def match(self, start: int, size: int) -> None:
        """Note that words match those of the other text."""
        self._differing.difference_update(self._words[start : start + size])

    def runs(self) -> list[Run]:
        """Join neighbouring parts that differ, with the space between them, and those that do not."""
        runs = []
        positions = range(len(self.parts))
        for differs, neighbours in groupby(positions, self._differs):
            text = "".join(self.parts[position] for position in neighbours)
            runs.append(Run(text, differs))
        return runs

    def _differs(self, position: int) -> bool:
        if position in self._differing:
            return True
        beside = {position - 1, position + 1}
        return self.parts[position].isspace() and beside <= self._differing


def _matching(one: list[str], other: list[str]) -> Iterator[Match]:
    """Yield the parts that both have, as `SequenceMatcher.get_matching_blocks` does.

    Parts that are found only after very many steps are not yielded, except at both ends.
    """
    begin = _common_length(one, other)
    end = _common_length(one[begin:][::-1], other[begin:][::-1])
    last = len(one) - end
    other_last = len(other) - end
    yield Match(0, 0, begin)
    yield Match(last, other_last, end)
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    frequencies = Counter(other)
    steps_before = [0, *accumulate(frequencies[word] for word in one)]
    steps = 0
    windows = [(begin, last, begin, other_last)]
    while windows:
        low, high, other_low, other_high = windows.pop()
        steps += steps_before[high] - steps_before[low]
        if low == high or other_low == other_high or steps > _MOST_STEPS:
            continue
        match = matcher.find_longest_match(low, high, other_low, other_high)
        if match.size:
            yield match
            end_of_match = match.a + match.size
            other_end = match.b + match.size
            windows.append((low, match.a, other_low, match.b))
            windows.append((end_of_match, high, other_end, other_high))


def _common_length(one: list[str], other: list[str]) -> int:
    """Return the number of words that both begin with."""
    return len(commonprefix([one, other]))  # noqa: RUF071  they are no paths


def _key(word: str) -> str:
    visible = ""
    for character in composed(word):
        if unicodedata.category(character) != "Cf":
            visible += character
    return visible or word
