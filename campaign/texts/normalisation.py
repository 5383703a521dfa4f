"""Normalise texts before they are compared."""

import re
import unicodedata
from typing import Final

# Default_Ignorable_Code_Point of Unicode 16, including Bidi_Control. They are invisible, so names that differ
# only in them look the same. In texts they may be correct, as between letters of Persian.
UNSEEN: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]",
)


# Python sorts marks in quadratic time, and a text may consist of nothing else. Long texts are composed in pieces, which
# end before a character that never composes with one before it, or after many marks that no language has in a row.
_PIECE: Final = re.compile(
    r"(?s).{1000}.{0,1000}?(?=[\t-~\u3001-\u3003\u4e00-\u9fff\uff01-\uff5e])|.{1,2000}",
)


def composed(text: str) -> str:
    """Return the text in Unicode NFC, in linear time."""
    if text.isascii():
        return text
    return "".join(
        unicodedata.normalize("NFC", piece) for piece in _PIECE.findall(text)
    )


def normalise_text(text: str) -> str:
    """Return the text in Unicode NFC, with each run of white space as one space."""
    return " ".join(composed(text).split())


def text_to_the_eye(text: str) -> str:
    """Return the text as it looks: without invisible characters, and normalised."""
    return normalise_text(UNSEEN.sub("", text))
