"""Files of ranked blocks as answers of “top or not”."""

from collections.abc import Sequence
from typing import Final

from annotation.protocols.answer_files import AnswerFiles, AnswerRefusedError, Lose
from annotation.protocols.answer_kinds import Rules
from protocols.top.answers import TopAnswer
from ranking.files.answer_records import RANKED_FORMATS, ranked_records
from ranking.importing.ranked_answers import Ranks, complete_ranks, ranked_content


def _answer(
    ranks: Ranks,
    _texts: Sequence[str | None],
    rules: Rules,
    lose: Lose,
) -> TopAnswer:
    complete = complete_ranks(ranks)
    if rules.get("best_worst"):
        return _best_worst(complete, lose)
    best = min(complete)
    if set(complete) - {1, 2} or best != 1:
        lose("the order of outputs below the top, and their rank differences")
    return {"top": [rank == best for rank in complete]}


def _best_worst(ranks: Sequence[int], lose: Lose) -> TopAnswer:
    best = min(ranks)
    worst = max(ranks)
    if ranks.count(best) > 1 or ranks.count(worst) > 1:
        raise AnswerRefusedError(
            "several outputs are the best or the worst",
            "rank one output above and one below all others, or import it into another task",
        )
    if sorted(ranks) != [1, *[2] * (len(ranks) - 2), 3]:
        lose("the order between the best and the worst output, and rank differences")
    return {"best": ranks.index(best) + 1, "worst": ranks.index(worst) + 1}


FILES: Final = AnswerFiles(
    formats=RANKED_FORMATS,
    parse=ranked_records,
    content=ranked_content,
    answer=_answer,
)
