"""Ratings in files as records; `annotation.protocols.answer_files` reads them in a process of its own, without Django."""

from collections.abc import Iterator
from typing import Final

from campaign.formats import InputFile
from campaign.formats.cells import NOT_AVAILABLE, refuse_at
from campaign.formats.errors import Loss, Losses
from campaign.formats.json_text import JSONObject
from campaign.formats.known_files import known_file_error
from campaign.formats.records import FormAnswer
from campaign.formats.streams import StoredFile, peek
from campaign.formats.tables import integer, read_table, refuse_repeated_columns
from ranking.files.answer_records import object_records
from ranking.files.labels import Objects, json_objects
from ranking.files.pearmut_log import PEARMUT_LOG, LoggedItem, is_log, log_read

#: Formats of ratings; the beginning of a file tells which it is.
JSON_LINES: Final = "ratings-jsonl"
CSV: Final = "ratings-csv"
_SNIFFED_BYTES: Final = 64 * 1024
_WHOLE: Final = ("segment", "value", "duration_ms", "screen")
_REQUIRED: Final = ("segment", "systems", "judge", "criterion", "value")
_TRUTH: Final = {"true": True, "false": False}


def rating_objects(file: InputFile) -> Objects:
    """Read JSON Lines, or a CSV file with the same names in its header."""
    start, file = peek(file, _SNIFFED_BYTES)
    if b"criterion" not in start:
        error = known_file_error(file.name, start)
        if error:
            raise error
    if (
        start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"["))
        or not start.strip()
    ):
        yield from json_objects(file)
        return
    table = read_table(file)
    columns = [(index, name.lower()) for index, name in table.columns()]
    names = [name for _index, name in columns]
    refuse_repeated_columns(file.name, table.line, names, names)
    for line, cells in table.rows():
        refuse = refuse_at(file.name, line)
        values = {}
        for index, key in columns:
            cell = cells[index].strip()
            is_missing = cell == NOT_AVAILABLE and key not in _REQUIRED
            if cell and not is_missing:
                values[key] = _cell_value(key, cells[index])
        yield line, values, refuse


def _cell_value(key: str, cell: str) -> object:
    """Return the value in a cell as JSON has it; an unchanged text where it has none."""
    if key in _WHOLE:
        number = integer(cell.strip(), 0)
        if number is None:
            return cell
        return number
    if key == "lower_is_better":
        return _TRUTH.get(cell.strip().lower(), cell)
    if key == "systems":
        return [name.strip() for name in cell.split(",")]
    return cell


def rating_records(
    file: StoredFile,
    file_format: str | None,
) -> Iterator[str | tuple[int, JSONObject] | LoggedItem | FormAnswer | Loss]:
    """Yield the format, then the line and the values of each rating, or the content of a log. Raises FormatError."""
    if file_format is None and is_log(file):
        file_format = PEARMUT_LOG
    yield file_format or JSON_LINES
    if file_format != PEARMUT_LOG:
        yield from object_records(rating_objects, file)
        return
    losses = Losses()
    with file.open() as stream:
        yield from log_read(InputFile(file.name, stream), losses)
    yield from losses
