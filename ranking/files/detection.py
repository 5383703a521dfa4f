"""Tell the format of a file of judgments from how it begins."""

from __future__ import annotations

import csv
import re

from campaign.formats import InputFile, Place
from campaign.formats.streams import byte_chunks, peek
from ranking.files.arena import COLUMNS
from ranking.files.parquet.opening import MAGIC
from ranking.files.records import InputFormat

_SNIFFED_BYTES = 64 * 1024
_CSV_COLUMNS = frozenset({"srclang", "trglang", "srcindex", "segmentid", "judgeid"})
_SYSTEM_COLUMN = re.compile(r"system[0-9]+(id|rank|number)")
_RANK_CELLS = 5


def detect_input_format(file: InputFile) -> tuple[InputFormat, InputFile]:
    """Tell the format from the first 64 KiB, whatever the file is called.

    Returns
    -------
    tuple of InputFormat and InputFile
        The format, and the file to read instead of `file`, whose beginning is used up.

    Raises
    ------
    FormatError
        If the file is empty, or begins like none of the formats.
    """
    head, whole = peek(file, _SNIFFED_BYTES)
    if head.startswith(MAGIC):
        return InputFormat.PARQUET, whole
    text = head.decode("utf-8", errors="replace").lstrip("\ufeff \t\r\n")
    if text:
        found = _format_of(text)
        if found is None:
            raise Place(file.name, 1).error(
                "the file begins like none of the formats of judgments",
                f"give one of {', '.join(InputFormat)}, or say which it is with --input-format",
            )
        return found, whole
    for _chunk in byte_chunks(whole):
        pass  # Damaged gzip decompresses to nothing, too: say so then.
    raise Place(file.name).error(
        "the file is empty", "give a file of judgments, as docs/formats.md shows them"
    )


def _format_of(text: str) -> InputFormat | None:
    if text.startswith("<"):
        return InputFormat.APPRAISE_XML
    first_line = re.split(r"[\r\n]", text, maxsplit=1)[0]
    if text.startswith("{"):
        is_vote = '"model_a"' in first_line and '"candidates"' not in first_line
        return InputFormat.ARENA_VOTES if is_vote else InputFormat.JSONL
    if re.search("rankingid", first_line, re.IGNORECASE):
        return InputFormat.PAIRWISE_CSV
    names = {name.strip().lower() for name in re.split("[,;\t]", first_line.replace('"', ""))}
    if names >= set(COLUMNS):
        return InputFormat.ARENA_VOTES
    if names & _CSV_COLUMNS or any(map(_SYSTEM_COLUMN.fullmatch, names)):
        return InputFormat.FIVE_WAY_CSV
    if len(next(csv.reader((first_line,), delimiter="\t"))) == _RANK_CELLS:
        return InputFormat.RANK
    return None
