"""Scores stay on their segment, whatever file they come in."""

from collections import defaultdict
from pathlib import Path
from statistics import fmean

import pytest

from protocols.spans.files import SpansFormat, read_spans, write_spans
from protocols.spans.records import ScoredJudgment

CASES = Path("tests/data/cases/files")
TASKS = CASES / "83-pearmut-log-of-tasks-in-another-order"


def _means(judgments: tuple[ScoredJudgment, ...]) -> dict[str, float]:
    """Return the mean of the means of segments, by system."""
    scores: dict[str, dict[tuple[str, str], list[float]]] = defaultdict(lambda: defaultdict(list))
    for judgment in judgments:
        for output in judgment.outputs:
            for system in output.systems if output.score is not None else ():
                of_segment = scores[system][judgment.document, judgment.segment]
                of_segment.append(output.score or 0)
    return {system: fmean(map(fmean, each.values())) for system, each in scores.items()}


@pytest.mark.parametrize("name", ["ids", "no-ids", "wmt-ids"])
def test_pearmut_items_keep_their_segment_in_every_order_of_tasks(name: str) -> None:
    judgments = read_spans([str(TASKS / f"{name}.jsonl")]).judgments
    assert len({(each.document, each.segment) for each in judgments}) == 2
    assert _means(judgments) == {"alpha": 78.75, "beta": 63.75}


@pytest.mark.parametrize("written", [SpansFormat.PEARMUT_LOG, SpansFormat.APPRAISE_CSV])
def test_two_documents_that_share_numbers_stay_apart_in_a_round_trip(
    written: SpansFormat, tmp_path: Path
) -> None:
    case = CASES / "68-pearmut-log-of-two-judges" / "s.jsonl"
    lines, _losses = write_spans(read_spans([str(case)]).judgments, written)
    path = tmp_path / "written"
    path.write_text("".join(lines), encoding="utf-8")
    assert _means(read_spans([str(path)]).judgments) == {"alpha": 71.5, "beta": 63.5}


def test_null_score_is_counted_as_passed_over() -> None:
    read = read_spans([str(CASES / "56-pearmut-null-annotation" / "log.jsonl")])
    assert {loss.what: loss.count for loss in read.losses} == {
        "items that were passed over": 1,
        "outputs without a score": 1,
    }
