"""Files of ranked blocks as answers of “top or not”."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from annotation.answer_files import AnswerFiles, Lose
from ranking.files.answer_records import RANKED_FORMATS, ranked_records
from ranking.importing.ranked_answers import Ranks, complete_ranks, ranked_content


def _answer(
    ranks: Ranks, _texts: Sequence[str | None], _rules: Mapping[str, Any], lose: Lose
) -> dict[str, list[bool]]:
    complete = complete_ranks(ranks)
    best = min(complete)
    if set(complete) - {1, 2} or best != 1:
        lose("the order of outputs below the top, and their rank differences")
    return {"top": [rank == best for rank in complete]}


FILES: Final = AnswerFiles(
    formats=RANKED_FORMATS, parse=ranked_records, content=ranked_content, answer=_answer
)
