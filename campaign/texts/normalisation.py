"""Normalise texts before they are compared."""

import re
import unicodedata
from typing import Final

# Default_Ignorable_Code_Point of Unicode 16, including Bidi_Control. They are invisible, so names that differ
# only in them look the same. In texts they may be correct, as between letters of Persian.
UNSEEN: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def normalise_text(text: str) -> str:
    """Return the text in Unicode NFC, with each run of white space as one space."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def text_to_the_eye(text: str) -> str:
    """Return the text as it looks: without invisible characters, and normalised."""
    return normalise_text(UNSEEN.sub("", text))
