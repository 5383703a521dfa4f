"""Pictures, sound and video in texts: a text names each by a mark with its content's digest."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

#: Media types by the endings of stored files.
MEDIA_TYPES: Final = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "webp": "image/webp",
    "wav": "audio/wav",
    "flac": "audio/flac",
    "mp3": "audio/mpeg",
    "opus": "audio/ogg",
    "m4a": "audio/mp4",
    "mp4": "video/mp4",
    "webm": "video/webm",
}
#: Begins the mark of a file in a text.
MARK_BEGINS: Final = "[media:"
#: A mark, with the name of the stored file.
MARK: Final = re.compile(rf"\s*\[media:([0-9a-f]{{32}}\.(?:{'|'.join(MEDIA_TYPES)}))\]")


@dataclass(frozen=True, slots=True)
class MarkedText:
    """The words of a text, and the names of the stored files that it shows below them."""

    words: str
    media: Sequence[str]


def media_mark(name: str) -> str:
    """Return the mark of a stored file in a text."""
    return f"{MARK_BEGINS}{name}]"


def marked_text(text: str) -> MarkedText:
    """Separate the words of a text from its marks."""
    if MARK_BEGINS not in text:
        return MarkedText(text, ())
    return MarkedText(MARK.sub("", text).strip(), MARK.findall(text))


def media_ending(name: str) -> str:
    """Return the ending of a stored file, a key of `MEDIA_TYPES`."""
    return name.rpartition(".")[2]


def media_kind(name: str) -> str:
    """Return whether a stored file is an image, audio or video."""
    return MEDIA_TYPES[media_ending(name)].partition("/")[0]
