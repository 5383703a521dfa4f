"""Files of ratings as answers of a task of adequacy and fluency, and answers as such a file."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from annotation.answer_files import (
    AnswerFiles,
    AnswerRefusedError,
    FileAnswer,
    FileContent,
    Lose,
)
from campaign.formats import InputFile
from campaign.formats.losses import Losses
from protocols.rating.answers import rules_complete
from protocols.rating.collected import rating_lines
from protocols.rating.files import RatingLine, RatingsOfLines
from protocols.rating.statistics.ratings import Criterion
from ranking.files.json_objects import json_lines

JSONL: Final = "ratings-jsonl"
_PARTS: Final = {Criterion.FLUENCY: 1, Criterion.ADEQUACY: 2}


@dataclass(frozen=True, slots=True)
class _Said:
    """Points by a criterion, and what else the same judge rated in the same file.

    Attributes
    ----------
    is_after_fluency : bool
        Whether they rated the text's fluency.
    is_of_both : bool
        Whether they rated the segment by both criteria, be it in different texts.
    """

    criterion: Criterion
    value: int
    is_after_fluency: bool
    is_of_both: bool


def _read(file: InputFile, _format: str | None) -> FileContent:
    reading, losses = RatingsOfLines(), Losses()
    found = list(json_lines(file, reading.take))
    for line, rating in found:
        losses.add(
            "kinds of input, which are said of systems", f"line {line}", bool(rating.item[1])
        )
    return FileContent(file_format=JSONL, answers=list(_answers(found)), losses=losses.found())


def _answers(found: Sequence[tuple[int, RatingLine]]) -> Iterator[FileAnswer]:
    """Yield fluency before adequacy, as judges are asked."""
    fluent = {
        (each.item, each.judge) for _line, each in found if each.criterion is Criterion.FLUENCY
    }
    met = {
        criterion: {
            (each.item[0], each.judge) for _line, each in found if each.criterion is criterion
        }
        for criterion in Criterion
    }
    of_both = met[Criterion.FLUENCY] & met[Criterion.ADEQUACY]
    for criterion in Criterion:
        for line, rating in found:
            if rating.criterion is not criterion:
                continue
            segment, _condition, systems = rating.item
            yield FileAnswer(
                line=line,
                judge=rating.judge,
                segment=str(segment),
                candidates=(systems,),
                said=_Said(
                    criterion,
                    rating.value,
                    is_after_fluency=(rating.item, rating.judge) in fluent,
                    is_of_both=(segment, rating.judge) in of_both,
                ),
                texts=(None,),
                duration_ms=rating.duration_ms,
            )


def _answer(
    said: _Said, _texts: Sequence[str | None], rules: Mapping[str, Any], _lose: Lose
) -> dict[str, Any]:
    chosen = rules_complete(rules)
    if chosen["adequacy_by_others"]:
        if said.is_of_both:
            raise AnswerRefusedError(
                "this judge rates the segment by both criteria",
                "import into a task in which adequacy is rated by the judges of fluency (adequacy_by_others: false)",
            )
    elif (
        said.criterion is Criterion.ADEQUACY
        and not said.is_after_fluency
        and not chosen["order_free"]
    ):
        raise AnswerRefusedError(
            "it rates adequacy of a text whose fluency this judge does not rate in this file",
            "give both in one file, or import into a task in which fluency may be changed after adequacy (order_free: true)",
        )
    return {"criterion": said.criterion.value, "value": said.value}


def _part(answer: Mapping[str, Any]) -> int:
    return _PARTS[Criterion(answer["criterion"])]


RATING_FILES: Final = AnswerFiles(
    formats=(JSONL,),
    read=_read,
    answer=_answer,
    part=_part,
    written={JSONL: "jsonl"},
    write=lambda task, _format: rating_lines(task=task),
)
