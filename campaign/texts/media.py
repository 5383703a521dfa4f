"""Pictures, sound and video in texts: a text names each by a mark with its content's digest."""

import re
from collections.abc import Mapping, Sequence
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

#: The same for PostgreSQL.
MARK_SQL: Final = r"\[media:[0-9a-f]{32}\.[0-9a-z]+\]"
#: A text of nothing but marks.
MEDIA_ALONE_SQL: Final = rf"^(\s*{MARK_SQL})+$"
_KINDS: Final = {"image": "picture", "audio": "recording", "video": "video"}


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


def described_text(text: str, called: Mapping[str, str]) -> str:
    """Return a text in which each mark is replaced by the kind of its file, and its name from `called` if it has one."""

    def description(mark: re.Match[str]) -> str:
        kind = _KINDS[media_kind(mark[1])]
        name = called.get(mark[0].strip(), "")
        return f" [{kind} {name}".rstrip() + "]"

    if MARK_BEGINS not in text:
        return text
    return MARK.sub(description, text).strip()


def media_ending(name: str) -> str:
    """Return the ending of a stored file, a key of `MEDIA_TYPES`."""
    return name.rpartition(".")[2]


def media_kind(name: str) -> str:
    """Return whether a stored file is an image, audio or video."""
    return MEDIA_TYPES[media_ending(name)].partition("/")[0]
