"""The ``.rank`` files of WMT's metric-tuning distributions: who was better, pair by pair."""

from __future__ import annotations

from collections.abc import Iterator

from campaign.formats import FormatError, InputFile
from campaign.formats.records import counted
from campaign.formats.streams import text_lines
from campaign.formats.tables import line_cells
from ranking.files.labels import filled, refuse_at, segment_of, systems_of
from ranking.files.records import NO_JUDGE, JudgedBlock

_FIELDS = ("segment", "pair", "sysBetter", "pair", "sysWorse")


def read_rank(file: InputFile) -> Iterator[JudgedBlock]:
    """Yield a block of two candidates, ranked 1 and 2, for every line.

    The format leaves ties out and names no judge; a language pair is written ``cs-en``.

    Raises
    ------
    FormatError
        With line and field.
    """
    empty = True
    for line, text in enumerate(text_lines(file), 1):
        if text.strip():
            empty = False
            yield _block(file.name, line, line_cells(file.name, line, text, "\t"))
    if empty:
        raise FormatError(file.name, "the file is empty", "give a line for every comparison")


def _block(file: str, line: int, cells: list[str]) -> JudgedBlock:
    refuse = refuse_at(file, line)
    if len(cells) != len(_FIELDS):
        refuse(
            None,
            f"the line has {counted(len(cells), 'cell')} between tabs, not {len(_FIELDS)}",
            f"write {', '.join(_FIELDS)}, with a tab between them",
        )
    segment, pair, better, other_pair, worse = cells
    if pair.strip() != other_pair.strip():
        refuse(
            "pair",
            f"the two systems are of different language pairs, {pair} and {other_pair}",
            "compare systems of one language pair",
        )
    source, separator, target = filled(pair, "pair", refuse).strip().partition("-")
    if not (source and separator and target):
        refuse("pair", f"{pair!r} is no language pair", "write it like cs-en")
    seen: set[str] = set()
    return JudgedBlock(
        line=line,
        source_language=source,
        target_language=target,
        segment=segment_of(segment, "segment", refuse),
        judge=NO_JUDGE,
        candidates=(
            systems_of(better, "sysBetter", seen, refuse),
            systems_of(worse, "sysWorse", seen, refuse),
        ),
        labels=(1, 2),
    )
