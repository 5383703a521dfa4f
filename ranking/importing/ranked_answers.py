"""Read files of ranked blocks as answers for tasks in which judges compare outputs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, Final

from annotation.protocols.answer_files import (
    AnswerFiles,
    AnswerRefusedError,
    FileAnswer,
    FileContent,
    FileRecords,
    Lose,
)
from campaign.formats import FormatError
from campaign.formats.errors import Losses
from campaign.formats.records import JudgedBlock
from campaign.formats.segment_identity import document_named
from ranking.files.answer_records import RANKED_FORMATS, ranked_records
from ranking.files.records import NO_JUDGE

#: A judge's rank for each candidate; None for candidates without a rank.
Ranks = tuple[int | None, ...]


def ranked_content(records: FileRecords, *, fewest_outputs: int = 2) -> FileContent:
    """Return the answers in ranked blocks; blocks with fewer than `fewest_outputs` are counted as losses."""
    losses = Losses()
    return FileContent(
        file_format=records.file_format,
        answers=_answers(records.records, records.name, fewest_outputs, losses),
        losses=chain(records.losses, losses),
    )


def _answers(
    blocks: Iterable[JudgedBlock],
    file: str,
    fewest_outputs: int,
    losses: Losses,
) -> Iterator[FileAnswer]:
    for block in blocks:
        if block.judge == NO_JUDGE:
            raise FormatError(
                file,
                "the judgment has no judge",
                "name the judge of each judgment",
                line=block.line,
            )
        systems_by_block = len(block.candidates)
        if systems_by_block >= fewest_outputs:
            yield _file_answer(block)
        elif systems_by_block:
            losses.add(
                "blocks with one output, which compare nothing",
                f"line {block.line}",
            )
        else:
            losses.add("skips that do not name the outputs", f"line {block.line}")


def _file_answer(block: JudgedBlock) -> FileAnswer:
    return FileAnswer(
        line=block.line,
        judge=block.judge,
        segment=str(block.segment),
        document=document_named(block.document),
        is_number=True,
        candidates=block.candidates,
        content=block.labels,
        is_skip=not any(block.labels),
        languages=(block.source_language, block.target_language),
        duration_ms=block.duration_ms,
        repeat=None,
    )


def complete_ranks(ranks: Ranks) -> tuple[int, ...]:
    """Return the ranks if none is missing. Raises AnswerRefusedError."""
    if None in ranks:
        raise AnswerRefusedError(
            "an output has no rank",
            "rank every output, or import it into the five-way ranking",
        )
    return tuple(rank for rank in ranks if rank is not None)


def _answer(
    ranks: Ranks,
    _texts: Sequence[str | None],
    _rules: Mapping[str, Any],
    _lose: Lose,
) -> list[int | None]:
    return list(ranks)


RANKING_FILES: Final = AnswerFiles(
    formats=RANKED_FORMATS,
    parse=ranked_records,
    content=partial(ranked_content, fewest_outputs=1),
    answer=_answer,
)
