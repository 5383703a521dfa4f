"""Read e-mail addresses with names from a line, as people paste them from mail programs, tables and chats."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

#: Separates addresses, except inside quotation marks and angle brackets.
_PIECES: Final = re.compile(r'((?:"[^"]*"|<[^<>]*>|[^,;\t|"<]|["<])*)([,;\t|]|$)')
_BULLET: Final = re.compile(r"^\s*(?:[-*•·–—]|\d{1,4}[.)])\s+")
#: Typed with an input method for Chinese or Japanese, or on an Arabic keyboard.
_PUNCTUATION: Final = str.maketrans("＠。．，；、،؛", "@..,;,,;")
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

    @property
    def is_family_name(self) -> bool:
        """True if this can be a family name before a comma."""
        return self.separator == "," and "@" not in self.text


def named_addresses(line: str) -> list[NamedAddress]:
    """Return the addresses of a line, and texts that are none, in order; nothing for a blank line.

    `"Lovelace, Ada" <ada@example.org>`, `Lovelace, Ada <ada@example.org>`, `Ada Lovelace ada@example.org`,
    `mailto:ada@example.org` and `- ada@example.org` are one address each. Invisible characters are dropped.
    """
    text = _BULLET.sub("", _visible(line))
    rows = []
    for piece in _join_family_names(_pieces(text)):
        rows += _addresses_in_piece(piece.text)
    # Of a line with one address, everything else is the name.
    addresses = []
    names: list[str] = []
    for row in rows:
        if "@" in row.address:
            addresses.append(row.address)
            names += row.name.split()
        else:
            names += row.address.split()
    if len(addresses) != 1:
        return rows
    return [NamedAddress(addresses[0], " ".join(names))]


def _visible(line: str) -> str:
    """Return a line without invisible characters, and with plain spaces and punctuation."""
    visible = ""
    for character in line:
        if unicodedata.category(character) != "Cf":
            visible += character
    visible = visible.translate(_PUNCTUATION)
    return visible.replace("\N{NO-BREAK SPACE}", " ")


def _pieces(line: str) -> Iterator[_Piece]:
    for match in _PIECES.finditer(line):
        text = match[1].strip()
        if text:
            yield _Piece(text, match[2])


def _join_family_names(pieces: Iterator[_Piece]) -> list[_Piece]:
    """Join a family name with what follows its comma: `Lovelace, Ada <ada@example.org>`."""
    joined: list[_Piece] = []
    for piece in pieces:
        text = piece.text
        if (
            joined
            and joined[-1].is_family_name
            and _bracketed_address(text) is not None
        ):
            family_name = joined.pop().text
            text = f"{family_name}, {text}"
        joined.append(_Piece(text, piece.separator))
    return joined


def _addresses_in_piece(text: str) -> list[NamedAddress]:
    bracketed = _bracketed_address(text)
    if bracketed is not None:
        return [bracketed]
    parts = text.split()
    addresses = []
    names = []
    for word in parts:
        if "@" in word:
            addresses.append(_plain(word))
        else:
            names.append(word)
    if not addresses:
        return [NamedAddress(text.strip('"').strip())]
    if len(addresses) > 1:
        return [NamedAddress(_plain(word)) for word in parts]
    return [NamedAddress(addresses[0], " ".join(names))]


def _bracketed_address(text: str) -> NamedAddress | None:
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
