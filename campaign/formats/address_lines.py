"""Read e-mail addresses with names from a line, as people paste them from mail programs, tables and chats."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

#: Separates addresses, except inside quotation marks and angle brackets.
_PIECES: Final = re.compile(r'((?:"[^"]*"|<[^<>]*>|[^,;\t|"<]|["<])*)([,;\t|]|$)')
_BULLET: Final = re.compile(r"^\s*(?:[-*•·–—]|\d{1,4}[.)])\s+")
#: Typed with an input method for Chinese or Japanese.
_FULL_WIDTH: Final = str.maketrans("＠。．，；", "@..,;")
_AROUND: Final = "<>()[]{}'\"‘’“”«».,;:"


@dataclass(frozen=True, slots=True)
class NamedAddress:
    """An address and the name beside it; `address` may be any text, which callers check."""

    address: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class _Piece:
    text: str
    separator: str


def named_addresses(line: str) -> list[NamedAddress]:
    """Return the addresses of a line, and texts that are none, in order; nothing for a blank line.

    `"Lovelace, Ada" <ada@example.org>`, `Lovelace, Ada <ada@example.org>`, `Ada Lovelace ada@example.org`,
    `mailto:ada@example.org` and `- ada@example.org` are one address each. Invisible characters are dropped.
    """
    pieces = _joined(_pieces(_BULLET.sub("", _visible(line))))
    rows = []
    for piece in pieces:
        for row in _of_piece(piece.text):
            rows.append(row)
    if sum("@" in row.address for row in rows) != 1:
        return rows
    # Of a line with one address, everything else is the name.
    names = []
    for row in rows:
        if "@" in row.address:
            names.append(row.name)
        else:
            names.append(row.address)
    address = next(row.address for row in rows if "@" in row.address)
    return [NamedAddress(address, " ".join(" ".join(names).split()))]


def _visible(line: str) -> str:
    """Return a line without invisible characters, and with plain spaces and punctuation."""
    visible = "".join(
        character for character in line if unicodedata.category(character) != "Cf"
    )
    return visible.translate(_FULL_WIDTH).replace("\N{NO-BREAK SPACE}", " ")


def _pieces(line: str) -> Iterator[_Piece]:
    for match in _PIECES.finditer(line):
        if match[1].strip():
            yield _Piece(match[1].strip(), match[2])


def _joined(pieces: Iterator[_Piece]) -> list[_Piece]:
    """Join a family name with what follows its comma: `Lovelace, Ada <ada@example.org>`."""
    joined: list[_Piece] = []
    for piece in pieces:
        before = joined[-1] if joined else None
        is_continued = (
            before is not None and before.separator == "," and "@" not in before.text
        )
        if before is not None and is_continued and _bracketed(piece.text) is not None:
            joined[-1] = _Piece(f"{before.text}, {piece.text}", piece.separator)
        else:
            joined.append(piece)
    return joined


def _of_piece(text: str) -> list[NamedAddress]:
    bracketed = _bracketed(text)
    if bracketed is not None:
        return [bracketed]
    words = text.split()
    addresses = [word for word in words if "@" in word]
    if not addresses:
        return [NamedAddress(text.strip('"').strip())]
    if len(addresses) > 1:
        return [NamedAddress(_plain(word)) for word in words]
    name = " ".join(word for word in words if "@" not in word)
    return [NamedAddress(_plain(addresses[0]), name)]


def _bracketed(text: str) -> NamedAddress | None:
    """Return `Ada <ada@example.org>` as name and address; None for other texts."""
    name, bracket, address = text.removesuffix(">").rpartition("<")
    if not (bracket and text.endswith(">") and "@" in address):
        return None
    return NamedAddress(_plain(address), name.strip().strip('"').strip())


def _plain(address: str) -> str:
    """Return an address without `mailto:` and the punctuation around it."""
    bare = address.strip().strip(_AROUND).removeprefix("mailto:")
    if address.strip(_AROUND).startswith("mailto:"):
        return bare.partition("?")[0]
    return bare
