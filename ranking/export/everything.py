"""Write all data of a task as one zip: a file of each kind, and a README that describes them."""

from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Final

from django.utils.translation import gettext as _

from campaign.export.downloads import ending
from campaign.texts.joining import (
    labelled,
    semicolon_list,
    sentence_list,
    with_full_stop,
)
from ranking.export.asked import Export, ExportRefusedError, requested_export
from ranking.export.columns import described_columns
from ranking.export.evalset import FolderFile, evalset_files
from ranking.export.kinds import ANSWERS, EVERYTHING, KINDS, ExportFormat, ExportKind
from ranking.export.zips import ZipBytes, line_bytes

_README: Final = "README.txt"
#: An entry of a zip is written as if it were larger than 2 GiB from this number of judgments on.
_MANY: Final = 1_000_000


def everything_bytes(
    export: Export,
    *,
    part_bytes: Callable[[Export], Iterator[bytes]],
    has_marks: bool,
) -> Iterator[bytes]:
    """Yield a zip of all kinds but those that name people; the same data gives the same bytes.

    `part_bytes` returns the bytes of the file of a kind. With `has_marks`, CSV files begin with a byte order mark, for spreadsheets.
    """
    written = ZipBytes(is_large=export.watermark >= _MANY)
    described = [_heading(export)]
    for part in _parts(export):
        name = f"{part.kind.name}.{ending(part.file_format)}"
        content = part_bytes(part)
        if has_marks and name.endswith(".csv"):
            content = chain([BOM_UTF8], content)
        yield from written.entry(name, content)
        described.append(_description(part, name))
    has_folder = False
    for name, lines in _evalset(export):
        has_folder = True
        yield from written.entry(f"evalset/{name}", map(line_bytes, lines))
    if has_folder:
        described.append(f"evalset/\n{_introduction(KINDS['evalset'])}")
    readme = "\n\n".join([*described, ""])
    yield from written.entry(_README, [readme.encode()])
    yield written.end()


def _parts(export: Export) -> Iterator[Export]:
    for kind in KINDS.values():
        if kind.names_people or kind.name in {EVERYTHING, "evalset"}:
            continue
        watermark = None
        if kind.by_number:
            watermark = export.watermark
        for file_format in _formats(kind, export):
            yield requested_export(
                task=export.task,
                kind=kind.name,
                file_format=file_format,
                watermark=watermark,
            )


def _formats(kind: ExportKind, export: Export) -> list[str]:
    """Return the formats of a kind in the zip: CSV, and JSON Lines where CSV omits parts of answers."""
    formats = kind.formats_of(export.task)
    if kind.name == ANSWERS:
        # The first one holds all.
        return list(formats)[:1]
    tables = [name for name in formats if ending(name) == "csv"]
    is_lossy = any(formats[name] for name in tables)
    if is_lossy and ExportFormat.JSONL in formats:
        return [*tables, ExportFormat.JSONL]
    return tables


def _evalset(export: Export) -> Iterable[FolderFile]:
    """Return the files of the EvalSet folder; none if there are no scores."""
    files = evalset_files(task=export.task, watermark=export.watermark)
    try:
        first = next(files)
    except ExportRefusedError:
        return []
    return chain([first], files)


def _heading(export: Export) -> str:
    test_set = export.task.test_set
    return f"{test_set.campaign.name}\n{export.task.called_in_full}"


def _introduction(kind: ExportKind) -> str:
    return sentence_list([with_full_stop(kind.title), kind.description])


def _description(part: Export, name: str) -> str:
    kind = part.kind
    lines = [name, _introduction(kind)]
    losses = (kind.formats_of(part.task) or {}).get(part.file_format) or ()
    if losses:
        lines.append(sentence_list([_("omits:"), semicolon_list(losses)]))
    if name.endswith(".csv"):
        columns = described_columns(kind, part.task)
        for column, description in columns.items():
            lines.append(labelled(f"  {column}", description))
    return "\n".join(lines)
