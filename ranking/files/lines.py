"""Read formats with one judgment per line: the ``.rank`` files of WMT's metric-tuning distributions, JSON Lines."""

from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import Final

from campaign.formats import FormatError, InputFile
from campaign.formats.cells import Refuse, filled, refuse_at, segment_of, systems_of
from campaign.formats.json_text import JSONObject
from campaign.formats.records import JudgedBlock, counted
from campaign.formats.streams import text_lines
from campaign.formats.tables import line_cells
from ranking.files.labels import (
    Take,
    boolean_of,
    candidate_of,
    each_of,
    json_objects,
    judge_named,
    name_of,
    segment_number,
    text_of,
    values_taken,
    whole,
)
from ranking.files.records import NO_JUDGE

_RANK_FIELDS = ("segment", "pair", "sysBetter", "pair", "sysWorse")


def read_rank(file: InputFile) -> Iterator[JudgedBlock]:
    """Yield a block of two candidates, ranked 1 and 2, for every line.

    The format has no ties and no judges; a language pair is written ``cs-en``.

    Raises
    ------
    FormatError
        With line and field.
    """
    empty = True
    for line, text in enumerate(text_lines(file), 1):
        if text.strip():
            empty = False
            yield _rank_block(file.name, line, line_cells(file.name, line, text, "\t"))
    if empty:
        raise FormatError(
            file.name,
            "the file is empty",
            "write one comparison per line",
        )


def _rank_block(file: str, line: int, cells: list[str]) -> JudgedBlock:
    refuse = refuse_at(file, line)
    if len(cells) != len(_RANK_FIELDS):
        refuse(
            None,
            f"the line has {counted(len(cells), 'cell')} between tabs, not {len(_RANK_FIELDS)}",
            f"write {', '.join(_RANK_FIELDS)}, with a tab between them",
        )
    segment, pair, better, other_pair, worse = cells
    if pair.strip() != other_pair.strip():
        refuse(
            "pair",
            f"the two systems have different language pairs, {pair} and {other_pair}",
            "compare systems of the same language pair",
        )
    source, separator, target = filled(pair, "pair", refuse).strip().partition("-")
    if not (source and separator and target):
        refuse("pair", f"{pair!r} is not a language pair", "write a pair such as cs-en")
    names: set[str] = set()
    return JudgedBlock(
        line=line,
        source_language=source,
        target_language=target,
        segment=segment_of(segment, "segment", refuse),
        judge=NO_JUDGE,
        candidates=(
            systems_of(better, "sysBetter", names, refuse),
            systems_of(worse, "sysWorse", names, refuse),
        ),
        labels=(1, 2),
    )


def read_jsonl(file: InputFile) -> Iterator[JudgedBlock]:
    """Yield a judgment or skip for every line; `docs/formats-judgments.md` describes the objects.

    Raises
    ------
    FormatError
        With line and key; with the column if the line is not JSON.
    """
    for line, values, refuse in json_objects(file):
        yield _block(line, values, refuse)


def _block(line: int, values: JSONObject, refuse: Refuse) -> JudgedBlock:
    fields = values_taken(values, _KEYS, _OPTIONAL, refuse)
    labels = fields["labels"]
    candidates = fields["candidates"]
    if len(labels) != len(candidates):
        refuse(
            "labels",
            f"the block has {len(labels)} labels for {len(candidates)} candidates",
            "write one label per candidate, null if the judge gave none",
        )
    for system, times in Counter(chain.from_iterable(candidates)).items():
        if times > 1:
            refuse(
                "candidates",
                f"the system {system} appears twice in the block",
                "name each system once per block",
            )
    return JudgedBlock(line=line, **fields)


def _label(_key: str, value: object, refuse: Refuse) -> int | None:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    if value is not None and not (is_number and value in {-1, 1, 2, 3, 4, 5}):
        refuse(
            "labels",
            f"the label {value!r} is not the number 1, 2, 3, 4 or 5, or null",
            "use a label from 1 (best) to 5, or null if the judge gave none",
        )
    if isinstance(value, int) and value > 0:
        return value
    return None


def _document(key: str, value: object, refuse: Refuse) -> str:
    if value == "":
        return ""
    return name_of(key, value, refuse)


_KEYS: Final[dict[str, Take | None]] = {
    "source_language": text_of,
    "target_language": text_of,
    "segment": segment_number,
    "judge": judge_named,
    "candidates": each_of(candidate_of),
    "labels": each_of(_label),
    "document": _document,
    "segment_id": None,
    "duration_ms": whole(0),
    "best_worst": boolean_of,
}
_OPTIONAL: Final = ("document", "segment_id", "duration_ms", "best_worst")
