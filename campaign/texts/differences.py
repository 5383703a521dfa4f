"""Compare two texts by word, or by character in scripts without spaces."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

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
    places = [[at for at, part in enumerate(each) if not part.isspace()] for each in parts]
    keys = [[_key(each[at]) for at in where] for each, where in zip(parts, places, strict=True)]
    marked = [[True] * len(each) for each in keys]
    for block in SequenceMatcher(None, keys[0], keys[1], autojunk=False).get_matching_blocks():
        for side, start in zip(marked, (block.a, block.b), strict=True):
            side[start : start + block.size] = [False] * block.size
    first, second = (
        _runs(each, {at for at, differs in zip(where, side, strict=True) if differs})
        for each, where, side in zip(parts, places, marked, strict=True)
    )
    return first, second


def _key(word: str) -> str:
    seen = (
        each for each in unicodedata.normalize("NFC", word) if unicodedata.category(each) != "Cf"
    )
    return "".join(seen) or word


def _runs(parts: Sequence[str], differing: set[int]) -> list[Run]:
    """Join neighbouring parts that differ, with the space between them."""
    found: list[tuple[list[str], bool]] = []
    for at, part in enumerate(parts):
        joins = part.isspace() and at - 1 in differing and at + 1 in differing
        differs = at in differing or joins
        if found and found[-1][1] == differs:
            found[-1][0].append(part)
        else:
            found.append(([part], differs))
    return [Run("".join(texts), differs) for texts, differs in found]
