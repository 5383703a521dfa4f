"""Lists of judges: an address or a name per line, or a CSV with a header. No ORM.

Rows are validated elsewhere; only content that is not a list is refused here.
"""

import codecs
import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from campaign.formats.address_lines import named_addresses
from campaign.formats.errors import FormatError, Location
from campaign.formats.records import MAX_PROMPT
from campaign.formats.tables import restored
from campaign.texts.normalisation import composed

#: Enough for ten thousand judges with all columns.
MAX_BYTES: Final = 2_000_000
MAX_ROWS: Final = 10_000
_SEPARATORS: Final = ",;\t|"
_NAME: Final = "list"
_LONGEST_CELL: Final = 10_000
_TEXTS: Final = ("prompt", "settings")
#: Accepted column headers, in the languages of the interface and as address books write them; case, spaces, hyphens
#: and plural forms do not matter.
_COLUMNS: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        ("email", "mail", "emailaddress", "emailaddresses", "address", "addresses"),
        "address",
    ),
    **dict.fromkeys(("email1value", "primaryemail", "emailadresse"), "address"),
    **dict.fromkeys(("emailováadresa", "adresa", "البريدالإلكتروني"), "address"),
    **dict.fromkeys(("correo", "correoelectrónico", "adresse"), "address"),
    **dict.fromkeys(("邮箱", "电子邮箱", "电子邮件", "邮件地址"), "address"),
    **dict.fromkeys(("name", "fullname", "judge", "judgename", "displayname"), "name"),
    **dict.fromkeys(("jméno", "nombre", "nombrecompleto", "الاسم", "姓名"), "name"),
    **dict.fromkeys(("language", "lang", "languagetag", "reads"), "languages"),
    **dict.fromkeys(("sprache", "sprachen", "jazyk", "jazyky", "idioma"), "languages"),
    **dict.fromkeys(("اللغة", "اللغات", "语言"), "languages"),
    **dict.fromkeys(
        ("expertise", "expertises", "field", "domain", "subject"),
        "expertise",
    ),
    **dict.fromkeys(("group", "judgegroup"), "groups"),
    **dict.fromkeys(
        ("conflict", "conflictofinterest", "conflictsofinterest", "coi", "system"),
        "conflicts",
    ),
    **{name: name for name in ("machine", "version", "prompt", "settings")},
    "askedtwice": "asked_twice",
}
#: Cells of columns of machine judges, in lower case.
_TRUE: Final = ("true", "yes", "1", "machine")
_FALSE: Final = ("false", "no", "0", "")
_BYTE_ORDER_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_PACKED: Final = (b"PK\x03\x04", b"\x1f\x8b", b"\xd0\xcf\x11\xe0")
#: Also of full width, which input methods for Chinese and Japanese write.
_AT_SIGN: Final = re.compile("[@\uff20]")
#: A word of Windows-1252 without any letter of ASCII: Cyrillic, Chinese or other letters were encoded otherwise.
_OTHER_LETTERS: Final = re.compile(
    r"(?<![A-Za-zÀ-ÖØ-öø-ÿ])[À-ÖØ-öø-ÿ]{2,}(?![A-Za-zÀ-ÖØ-öø-ÿ])",
)
#: Files of address books that are no tables, by their beginning.
_ADDRESS_BOOKS: Final = re.compile(r"\s*(BEGIN:VCARD|dn:|version: 1\n)", re.IGNORECASE)
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class MachineCells:
    """Cells of a row about a machine judge, besides its name."""

    version: str
    prompt: str
    settings: str
    asked_twice: bool


@dataclass(frozen=True, slots=True)
class JudgeRow:
    """Row of a judge list, unparsed; `line` counts from 1. A judge without an address has a name.

    A machine judge has `machine`.
    """

    line: int
    address: str
    name: str = ""
    languages: tuple[str, ...] = ()
    expertise: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    machine: MachineCells | None = None

    @property
    def called(self) -> str:
        """Name of the judge in lists: that of a machine judge has its version."""
        if self.machine is None:
            return self.name
        return f"{self.name} {self.machine.version}"


@dataclass(frozen=True, slots=True)
class JudgeList:
    """The rows of a list, and the names of ignored columns."""

    rows: Sequence[JudgeRow]
    ignored: Sequence[str] = ()


def judge_list_decode(content: bytes) -> str:
    """Decode a file as UTF-8, as UTF-16 with a byte-order mark, or else as Windows-1252.

    Raises FormatError if it is not a text, too long, or in none of these encodings.
    """
    if len(content) > MAX_BYTES:
        raise _too_long()
    if content.startswith(_PACKED):
        raise Location(_NAME).error(
            "this is a workbook or an archive, not a text file",
            'save the table as CSV ("Save as", "CSV UTF-8") and use that file',
        )
    for mark, encoding in _BYTE_ORDER_MARKS:
        if content.startswith(mark):
            return content.decode(encoding, errors="replace")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        text = content.decode("cp1252", errors="replace")
    if "\ufffd" in text or _OTHER_LETTERS.search(text):
        raise Location(_NAME).error(
            "the file is neither in UTF-8 nor in Windows-1252, so names would be wrong",
            'save it in UTF-8 (in Excel: "CSV UTF-8")',
        )
    return text


def judge_list_read(text: str) -> JudgeList:
    """Return the rows of a list: a CSV if the first line is a header, else addresses, optionally with names,
    or names only if no line has an address.

    Texts are normalised to NFC. Raises FormatError.
    """
    if len(text) > MAX_BYTES:
        raise _too_long()
    text = composed(text.removeprefix("\ufeff"))
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    damage = _CONTROL.search(text)
    if damage:
        line = text.count("\n", 0, damage.start()) + 1
        raise Location(_NAME, line, None).error(
            "the list contains a control character",
            "remove it",
        )
    if _ADDRESS_BOOKS.match(text):
        raise Location(_NAME, 1).error(
            "the file is a vCard or in LDIF",
            "export the contacts as CSV",
        )
    header = _header(text)
    ignored: list[str] = []
    if header is None:
        _refuse_unknown_header(text)
        judges = _rows_from_lines(text)
    else:
        judges = _rows_from_table(text, header)
        ignored = [cell for cell in header.cells if cell and _column(cell) is None]
    rows = []
    for row in judges:
        rows.append(row)
        if len(rows) > MAX_ROWS:
            raise Location(_NAME, row.line).error(
                f"the list has more than {MAX_ROWS:,} judges",
                "split it into several lists",
            )
    if not rows:
        raise FormatError(
            _NAME,
            "the list is empty",
            "enter one e-mail address or name per line",
        )
    return JudgeList(rows, ignored)


def _too_long() -> FormatError:
    return Location(_NAME).error(
        f"the list is larger than {MAX_BYTES // 1_000_000} MB",
        "split it into several lists",
    )


@dataclass(frozen=True, slots=True)
class _Header:
    """The first line of a table: its separator and its cells."""

    separator: str
    cells: Sequence[str]

    def columns(self) -> list[str | None]:
        """Return the column of each cell; None for ignored ones.

        Beside a column of names, `judge` has the pseudonyms of an exported list.
        """
        columns = [_column(cell) for cell in self.cells]
        if columns.count("name") > 1:
            for number, cell in enumerate(self.cells):
                if cell.casefold() == "judge":
                    columns[number] = None
        return columns


def _header(text: str) -> _Header | None:
    """Return the header; None if there is none."""
    first_line = next(filter(str.strip, text.split("\n")), "")
    if _AT_SIGN.search(first_line):
        return None
    separator = max(_SEPARATORS, key=first_line.count)
    cells = []
    for cell in first_line.split(separator):
        cells.append(cell.strip().strip('"').strip())
    columns = [_column(cell) for cell in cells]
    if "address" in columns:
        return _Header(separator, cells)
    # Prompts may have the sign of an address.
    is_named = "machine" in columns or _AT_SIGN.search(text) is None
    if "name" in columns and is_named:
        return _Header(separator, cells)
    return None


def _refuse_unknown_header(text: str) -> None:
    """Refuse a table whose first line names columns, none of them of addresses: each cell would be a judge."""
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) < 2 or _AT_SIGN.search(lines[0]):
        return
    is_table = any(separator in lines[0] for separator in _SEPARATORS)
    if is_table and all(map(_AT_SIGN.search, lines[1:])):
        raise Location(_NAME, 1).error(
            f"no column of the header has a known name: {lines[0].strip()[:200]}",
            "call the column of addresses email, and that of names name",
        )


def _column(cell: str) -> str | None:
    word = re.sub(r"[\s_\-.]", "", cell.casefold())
    for form in (word, word.removesuffix("s"), f"{word}s"):
        if form in _COLUMNS:
            return _COLUMNS[form]
    return None


def _is_blank(cells: Sequence[str]) -> bool:
    return not "".join(cells).strip()


def _rows_from_table(text: str, header: _Header) -> Iterator[JudgeRow]:
    columns = header.columns()
    width = len(columns)
    repeated = {name for name in columns if name and columns.count(name) > 1}
    if repeated:
        raise Location(_NAME, 1).error(
            f"the header has two columns for {min(repeated)}",
            "keep one of them",
        )
    lines = io.StringIO(text, newline="")
    reader = csv.reader(lines, delimiter=header.separator, strict=True)
    is_header = True
    try:
        for cells in reader:
            if _is_blank(cells):
                continue
            if is_header:
                is_header = False
                continue
            if not _is_blank(cells[width:]):
                raise Location(_NAME, reader.line_num).error(
                    f"the row has {len(cells)} cells, the header {width}",
                    "quote cells that contain a separator",
                )
            _refuse_long_cells(columns, cells, reader.line_num)
            row = dict(zip(columns, map(restored, cells), strict=False))
            yield _row(reader.line_num, row)
    except csv.Error as error:
        raise Location(_NAME, reader.line_num).error(
            f"invalid CSV ({error})",
            "close quotation marks, and double those inside a cell",
        ) from error


def _refuse_long_cells(
    columns: Sequence[str | None],
    cells: Sequence[str],
    line: int,
) -> None:
    for column, cell in zip(columns, cells, strict=False):
        longest = _LONGEST_CELL
        if column in _TEXTS:
            longest = MAX_PROMPT
        if len(cell) > longest:
            raise Location(_NAME, line).error(
                f"a cell has more than {longest:,} characters",
                "close quotation marks, and double those inside a cell",
            )


def _machine(line: int, cells: Mapping[str | None, str]) -> MachineCells | None:
    """Return the cells about a machine judge; None if the row is about a person."""
    if not _truth(line, "machine", cells):
        return None
    return MachineCells(
        version=cells.get("version", "").strip(),
        prompt=cells.get("prompt", ""),
        settings=cells.get("settings", ""),
        asked_twice=_truth(line, "asked_twice", cells),
    )


def _truth(line: int, column: str, cells: Mapping[str | None, str]) -> bool:
    cell = cells.get(column, "").strip().lower()
    if cell not in _TRUE + _FALSE:
        raise Location(_NAME, line).error(
            f"{column}: {cell[:80]!r} is not true or false",
            "write true or false",
        )
    return cell in _TRUE


def _row(line: int, cells: Mapping[str | None, str]) -> JudgeRow:
    return JudgeRow(
        line=line,
        machine=_machine(line, cells),
        address=cells.get("address", "").strip(),
        name=" ".join(cells.get("name", "").split()),
        languages=_parts(cells.get("languages", ""), r"[;,|\s]+"),
        expertise=_parts(cells.get("expertise", ""), r"[;,|\n]+"),
        groups=_parts(cells.get("groups", ""), r"[;,|\n]+"),
        conflicts=_parts(cells.get("conflicts", ""), r"[;,|\n]+"),
    )


def _parts(cell: str, separators: str) -> tuple[str, ...]:
    parts: dict[str, None] = {}
    for part in re.split(separators, cell):
        stripped = " ".join(part.split())
        if stripped:
            parts[stripped] = None
    return tuple(parts)


def _rows_from_lines(text: str) -> Iterator[JudgeRow]:
    if _AT_SIGN.search(text) is None:
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                yield JudgeRow(number, address="", name=" ".join(line.split()))
        return
    for number, line in enumerate(text.split("\n"), start=1):
        for row in named_addresses(line):
            yield JudgeRow(number, row.address, row.name)
