"""Comparisons implied by scores: judged blocks of outputs shown side by side, for every ranking method."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final, Literal

import numpy as np

from protocols.spans.records import ScoredJudgment
from protocols.spans.statistics.columns import Measure, score_of
from protocols.spans.weights import Weights
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows

#: Scores to compare: those on one screen, or all by one judge for outputs of one segment.
Compared = Literal["screen", "judge"]


_NOTHING_COMPARED: Final = {
    "screen": "no two scored outputs were shown side by side",
    "judge": "no judge scored two outputs of one segment",
}


def blocks_of_scores(
    judgments: Sequence[ScoredJudgment],
    *,
    measure: Measure | Weights = Measure.SCORE,
    compared: Compared = "screen",
) -> Blocks:
    """Return the comparisons that scores imply: the higher score is better, equal ones tie.

    Only the order of the scores within a block is used, so that judges' different uses of the scale
    do not matter. Identical outputs with the same score are one candidate, as in the five-way
    ranking.

    Parameters
    ----------
    judgments : sequence of ScoredJudgment
        Judgments of one test set.
    measure : Measure or Weights
    compared : "screen" or "judge"
        "screen": outputs shown side by side, with a block for each screen (contrastive ESA).
        "judge": all outputs of a segment scored by a judge at any time (ESA), with a block for each
        pair of scores, because a block has five ranks and a judge may have scored more outputs. If
        a judge scored a system several times, the last score counts. Systems that wrote the same
        text are not compared: they are one candidate if the judge gave them the same score.

    Returns
    -------
    Blocks
        Segments are numbered from 1 in the order of (document, segment); documents are set if two
        or more are named.

    Raises
    ------
    ValueError
        If no two scores can be compared.
    """
    names = sorted({(judgment.document, judgment.segment) for judgment in judgments})
    number = {name: place for place, name in enumerate(names, 1)}
    rows = list((_of_screens if compared == "screen" else _of_judges)(judgments, number, measure))
    if not rows:
        raise ValueError(_NOTHING_COMPARED[compared])
    systems = {
        system for judgment in judgments for output in judgment.outputs for system in output.systems
    }
    blocks = blocks_from_rows(rows, systems)
    documents = sorted({document for document, _segment in names})
    if len(documents) < 2 or "" in documents:
        return blocks
    document_of = np.array([documents.index(name) for name, _segment in names], dtype=np.int32)
    return replace(blocks, document=document_of[blocks.segment - 1])


def _of_screens(
    judgments: Sequence[ScoredJudgment],
    number: dict[tuple[str, str], int],
    measure: Measure | Weights,
) -> Iterator[BlockRow]:
    for judgment in judgments:
        scored = _collapsed(_scored(judgment, measure))
        if len(scored) > 1:
            yield _block(judgment.judge, number[judgment.document, judgment.segment], scored)


def _of_judges(
    judgments: Sequence[ScoredJudgment],
    number: dict[tuple[str, str], int],
    measure: Measure | Weights,
) -> Iterator[BlockRow]:
    # For each system, its text (or the output's index if the file has no text) and score.
    of_judge: dict[tuple[str, int], dict[str, tuple[str, float]]] = defaultdict(dict)
    for screen, judgment in enumerate(judgments):
        place = (judgment.judge, number[judgment.document, judgment.segment])
        for output, (systems, text, score) in enumerate(_scored(judgment, measure)):
            written = f"{screen} {output}" if text is None else f"text {text}"
            of_judge[place].update(dict.fromkeys(systems, (written, score)))
    for (judge, segment), scores in sorted(of_judge.items()):
        candidates: dict[tuple[str, float], tuple[str, ...]] = {}
        for system in sorted(scores):
            candidates[scores[system]] = (*candidates.get(scores[system], ()), system)
        for one, other in combinations(candidates.items(), 2):
            if one[0][0] != other[0][0]:
                yield _block(judge, segment, [(one[1], one[0][1]), (other[1], other[0][1])])


def _scored(
    judgment: ScoredJudgment, measure: Measure | Weights
) -> list[tuple[tuple[str, ...], str | None, float]]:
    return [
        (output.systems, output.text, score)
        for output in judgment.outputs
        if (score := score_of(output, measure)) is not None
    ]


def _collapsed(
    scored: list[tuple[tuple[str, ...], str | None, float]],
) -> list[tuple[tuple[str, ...], float]]:
    """Join outputs with the same text and score, which cannot be compared."""
    joined: dict[object, tuple[tuple[str, ...], float]] = {}
    for place, (systems, text, score) in enumerate(scored):
        key: object = place if text is None else (text, score)
        before = joined.get(key, ((), score))[0]
        joined[key] = (before + systems, score)
    return list(joined.values())


def _block(judge: str, segment: int, scored: list[tuple[tuple[str, ...], float]]) -> BlockRow:
    order = sorted({score for _systems, score in scored}, reverse=True)
    return BlockRow(
        judge=judge,
        segment=segment,
        candidates=[systems for systems, _score in scored],
        labels=[order.index(score) + 1 for _systems, score in scored],
    )
