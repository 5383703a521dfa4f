"""Answers of each protocol: the order they imply, how they are read back, which are refused, and simulated ones."""

from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from rest_framework.exceptions import ValidationError

from annotation.protocols.answer_kinds import Perceived, ScoresOneOutput, answer_kind
from annotation.protocols.submissions import (
    AssignedBlock,
    BlockTexts,
    SubmissionRefusedError,
)
from protocols.spans.answers import TextLengths, spans_refusal
from protocols.spans.records import SpanJSON
from protocols.spans.rules import rules_complete

TEXT = "Der  Zug nach Łódź hält\theute nicht in 🎻 Wien."


def assigned(
    protocol: str,
    *,
    candidates: int,
    partial: bool = False,
    part: int = 1,
    texts: BlockTexts | None = None,
    **rules: object,
) -> AssignedBlock:
    """Return a lent block with this number of candidates, or one of a file if their `texts` are given."""
    return AssignedBlock(
        block_id=1,
        public_id=UUID(int=0),
        control="",
        assignment_id=1,
        assignment_public_id=UUID(int=0),
        judge_id=1,
        task_id=1,
        protocol=protocol,
        rules=rules,
        candidate_count=candidates,
        allow_partial_ranking=partial,
        part=part,
        unstored_texts=texts,
        is_imported=texts is not None,
    )


#: Texts of a file about one output.
ONE = BlockTexts(("Old.",), "Source")


def scored(*scores: int) -> dict[str, Any]:
    """Return an answer with scores and without errors."""
    return {"outputs": [{"score": score, "spans": []} for score in scores]}


def marked(*spans: tuple[int, int]) -> dict[str, Any]:
    """Return an answer with errors in the only output."""
    errors = [{"start": start, "end": end, "severity": "minor"} for start, end in spans]
    return {"outputs": [{"score": 50, "spans": errors}]}


@pytest.mark.parametrize(
    ("protocol", "answer", "labels"),
    [
        ("top", {"top": [True, False, True]}, [1, 2, 1]),
        ("two_outputs", {"verdict": "first"}, [1, 2]),
        ("two_outputs", {"verdict": "second"}, [2, 1]),
        ("two_outputs", {"verdict": "same"}, [1, 1]),
        ("two_outputs", {"verdict": "both_wrong"}, [1, 1]),
        ("sorting", {"verdict": "first"}, [1, 2]),
        ("sorting", {"verdict": "second"}, [2, 1]),
        ("sorting", {"verdict": "same"}, [1, 1]),
        ("ranking", [2, None, 1], [2, None, 1]),
        ("spans", scored(50, 100, 0, 50), [2, 1, 3, 2]),
        ("rating", {"value": 5}, [1]),
    ],
)
def test_an_answer_implies_an_order(
    protocol: str,
    answer: Mapping[str, Any],
    labels: list[int],
) -> None:
    assert answer_kind(protocol).labels(answer, len(labels)) == labels


def test_marks_are_read_back_from_the_labels() -> None:
    judgment = SimpleNamespace(labels=[1, 2, 1])
    assert answer_kind("top").submitted(judgment) == {"top": [True, False, True]}


@pytest.mark.parametrize(
    ("protocol", "labels", "quality", "rules", "answer"),
    [
        ("top", [3, 2, 2], 50, {}, {"top": [False, True, True]}),
        ("top", [3, 1, 2], 50, {"best_worst": True}, {"best": 2, "worst": 1}),
        ("two_outputs", [1, 2], 50, {}, {"verdict": "first"}),
        ("two_outputs", [2, 1], 50, {"four_answers": True}, {"verdict": "second"}),
        ("two_outputs", [1, 1], 95, {}, {"verdict": "same"}),
        ("two_outputs", [1, 1], 50, {"four_answers": True}, {"verdict": "both_fine"}),
        ("two_outputs", [1, 1], 49, {"four_answers": True}, {"verdict": "both_wrong"}),
        ("sorting", [1, 2], 50, {}, {"verdict": "first"}),
        ("sorting", [2, 1], 50, {}, {"verdict": "second"}),
        ("sorting", [1, 1], 50, {}, {"verdict": "same"}),
    ],
)
def test_a_simulated_answer_is_that_of_the_labels(
    protocol: str,
    labels: list[int],
    quality: float,
    rules: Mapping[str, Any],
    answer: Mapping[str, Any],
) -> None:
    said = answer_kind(protocol, rules).simulated(
        Perceived([quality] * len(labels), labels, rules, Random(1)),
    )
    assert said == answer


@pytest.mark.parametrize(
    ("block", "answer", "missing"),
    [
        (assigned("ranking", candidates=2), [1, 2], None),
        (assigned("ranking", candidates=2), [1, 2, 3], []),
        (assigned("ranking", candidates=2), [5, 1], None),
        (assigned("ranking", candidates=2), [0, 1], []),
        (assigned("ranking", candidates=2), [1, 6], []),
        (assigned("ranking", candidates=3), [1, None, 2], [1]),
        (assigned("ranking", candidates=3, partial=True), [1, None, 2], None),
        (assigned("ranking", candidates=3, partial=True), [None, 1, None], [0, 2]),
        (
            assigned("ranking", candidates=5, partial=True),
            [2, None, None, 1, None],
            None,
        ),
        (assigned("ranking", candidates=2, partial=True), [None, None], [0, 1]),
        (assigned("top", candidates=2), {"top": [False, True]}, None),
        (assigned("top", candidates=2), {"top": [False, False]}, []),
        (assigned("top", candidates=3), {"top": [False, True]}, []),
        (assigned("top", candidates=2), {"top": [False, True, False]}, []),
        (assigned("two_outputs", candidates=2), {"verdict": "same"}, None),
        (assigned("two_outputs", candidates=2), {"verdict": "both_fine"}, []),
        (
            assigned("two_outputs", candidates=2, four_answers=True),
            {"verdict": "both_fine"},
            None,
        ),
        (
            assigned("two_outputs", candidates=2, four_answers=True),
            {"verdict": "same"},
            [],
        ),
        (assigned("two_outputs", candidates=1), {"verdict": "first"}, []),
        (assigned("sorting", candidates=2), {"verdict": "same"}, None),
        (assigned("sorting", candidates=1), {"verdict": "same"}, []),
        (assigned("spans", candidates=2), scored(1, 2), None),
        (assigned("spans", candidates=2), scored(1), []),
        (assigned("spans", candidates=1, texts=ONE), marked((0, 4), (1, 2)), None),
        (assigned("spans", candidates=1, texts=ONE), marked((0, 5)), []),
        (
            assigned("rating", candidates=1, part=2),
            {"value": 1, "criterion": "adequacy"},
            None,
        ),
        (
            assigned("rating", candidates=1, part=2),
            {"value": 1, "criterion": "fluency"},
            [],
        ),
        (assigned("editing", candidates=1, texts=ONE), {"acceptable": False}, None),
        (assigned("editing", candidates=2), {"acceptable": False}, []),
        (
            assigned("editing", candidates=1, texts=ONE),
            {"outcome": "edited", "text": "x"},
            None,
        ),
        (assigned("editing", candidates=1), {"outcome": "edited", "text": ""}, []),
        (assigned("editing", candidates=1), {"outcome": "unable", "text": "x"}, []),
        (
            assigned("editing", candidates=1, texts=ONE),
            {"outcome": "unable", "text": ""},
            None,
        ),
        (
            assigned("editing", candidates=1, texts=ONE),
            {"outcome": "edited", "text": "Old."},
            [],
        ),
        (assigned("editing", candidates=1), {"text": ""}, []),
        (
            assigned("editing", candidates=1),
            {"outcome": "unable", "acceptable": True},
            [],
        ),
    ],
)
def test_an_answer_that_does_not_fit_its_block_is_refused(
    block: AssignedBlock,
    answer: Any,
    missing: list[int] | None,
) -> None:
    """`missing`: places of candidates that the refusal names; None if the answer is taken."""
    refusal = answer_kind(block.protocol, block.rules).refusal(block, answer)
    if missing is None:
        assert refusal is None
    else:
        assert isinstance(refusal, SubmissionRefusedError)
        assert refusal.missing == tuple(block.candidates[place] for place in missing)


def simulated(
    protocol: str,
    quality: float,
    *,
    times: int = 2000,
    **rules: object,
) -> list[dict[str, Any]]:
    """Return answers of simulated judges about one output."""
    random = Random(3)
    kind = answer_kind(protocol)
    return [
        kind.simulated(Perceived([quality], [1], rules, random))
        for _each in range(times)
    ]


@pytest.mark.parametrize(
    ("quality", "outcomes"),
    [
        (5, {"unable": 0.691, "edited": 0.309}),
        (30, {"unable": 0.023, "edited": 0.954, "unchanged": 0.023}),
        (50, {"edited": 0.5, "unchanged": 0.5}),
    ],
)
def test_simulated_editors_perceive_qualities_with_noise(
    quality: float,
    outcomes: dict[str, float],
) -> None:
    said = Counter(answer["outcome"] for answer in simulated("editing", quality))
    assert {name: count / 2000 for name, count in said.items()} == pytest.approx(
        outcomes,
        abs=0.03,
    )
    accepted = [
        answer["acceptable"] for answer in simulated("editing", 25, asked="accept")
    ]
    assert sum(accepted) / 2000 == pytest.approx(0.5, abs=0.03)


@pytest.mark.parametrize(
    ("quality", "shares"),
    [
        (0, {1: 0.952, 2: 0.047}),
        (50, {1: 0.006, 2: 0.196, 3: 0.595, 4: 0.196, 5: 0.006}),
        (100, {4: 0.047, 5: 0.952}),
    ],
)
def test_simulated_ratings_are_a_point_for_each_20_of_quality(
    quality: float,
    shares: dict[int, float],
) -> None:
    """With a standard deviation of 0.6 points."""
    said = Counter(answer["value"] for answer in simulated("rating", quality))
    assert {value: said[value] / 2000 for value in shares} == pytest.approx(
        shares,
        abs=0.03,
    )
    assert set(said) <= {1, 2, 3, 4, 5}


@pytest.mark.parametrize(
    ("quality", "right"),
    [(-5, 0.5), (0, 0.5), (60, 0.8), (100, 1), (150, 1)],
)
def test_simulated_readers_guess_what_they_do_not_understand(
    quality: float,
    right: float,
) -> None:
    expected = [True, False]
    said = [
        answer["answers"] for answer in simulated("quiz", quality, expected=expected)
    ]
    shares = [sum(each[i] is expected[i] for each in said) / len(said) for i in (0, 1)]
    assert shares == pytest.approx([right, right], abs=0.035)


@pytest.mark.parametrize(
    ("qualities", "labels", "scores"),
    [
        ([150] * 5, [1, 2, 3, 4, 5], [100, 99, 98, 97, 96]),
        ([-50] * 5, [5, 4, 3, 2, 1], [0, 1, 2, 3, 4]),
        ([-50, 150, -50], [2, 1, 2], [0, 100, 0]),
    ],
)
def test_simulated_scores_leave_room_for_each_rank(
    qualities: Sequence[float],
    labels: Sequence[int],
    scores: list[int],
) -> None:
    perceived = Perceived(qualities, labels, {}, Random(1))
    assert answer_kind("spans").simulated(perceived) == scored(*scores)


def test_simulated_scores_are_near_the_qualities_of_a_rank() -> None:
    kind = answer_kind("spans")
    perceived = Perceived([90, 40, 60, 50], [1, 3, 2, 2], {}, Random(5))
    found = [
        [output["score"] for output in kind.simulated(perceived)["outputs"]]
        for _each in range(500)
    ]
    means = [sum(scores) / len(found) for scores in zip(*found, strict=True)]
    assert means == pytest.approx([90, 40, 55, 55], abs=0.6)
    assert sum((scores[0] - 90) ** 2 for scores in found) / len(found) == pytest.approx(
        16,
        abs=3,
    )


def simulated_spans(
    score: int,
    *,
    times: int = 500,
    **rules: object,
) -> list[dict[str, Any]]:
    """Return the errors that simulated judges mark in a text with this score."""
    kind, random = answer_kind("spans", rules), Random(7)
    answers = [
        kind.simulated_on(scored(score), [TEXT], random) for _each in range(times)
    ]
    return [span for answer in answers for span in answer["outputs"][0]["spans"]]


@pytest.mark.parametrize(("score", "errors"), [(100, 0), (90, 0.5), (40, 3), (0, 5)])
def test_simulated_judges_mark_an_error_for_each_20_points(
    score: int,
    errors: float,
) -> None:
    spans = simulated_spans(score)
    assert len(spans) / 500 == pytest.approx(errors, abs=0.1)
    for span in spans:
        is_missing = span["kind"] == "missing"
        assert is_missing == (span["start"] is None) == (span["end"] is None)
        assert is_missing or TEXT[span["start"] : span["end"]] in TEXT.split()


def test_simulated_errors_are_major_or_missing_in_their_shares() -> None:
    spans = simulated_spans(0)
    major = sum(span["severity"] == "major" for span in spans) / len(spans)
    missing = sum(span["kind"] == "missing" for span in spans) / len(spans)
    assert (major, missing) == pytest.approx((0.3, 0.1), abs=0.03)
    assert all(span["kind"] == "error" for span in simulated_spans(0, missing=False))
    assert simulated_spans(0, spans_asked=False) == []


def test_simulated_editors_change_one_word() -> None:
    edit, random = answer_kind("editing").simulated_on, Random(2)
    answer = {"outcome": "edited", "text": ""}
    texts = {edit(answer, ["a b c"], random)["text"] for _each in range(50)}
    assert texts == {"b c", "a c", "a b"}
    assert edit(answer, ["word"], random)["text"] == "word word"
    assert edit(answer, [" "], random)["text"] == "–"
    kept = {"outcome": "unchanged", "text": ""}
    assert edit(kept, ["a b c"], random) == kept


MQM: dict[str, Any] = {
    "scored": False,
    "source_marked": True,
    "marks": ["non-translation"],
}


def span(start: int | None, end: int | None, kind: str = "error") -> SpanJSON:
    return {"start": start, "end": end, "severity": "major", "kind": kind}


@pytest.mark.parametrize(
    ("spans", "rules", "is_refused"),
    [
        ([], {"spans_asked": False}, False),
        ([span(0, 1)], {"spans_asked": False}, True),
        ([span(0, 1), span(1, 10)], {}, False),
        ([span(0, 2), span(1, 10)], {}, True),
        ([span(0, 11)], {}, True),
        ([span(3, 3)], {}, True),
        ([span(-1, 3)], {}, True),
        ([span(None, 3)], {}, True),
        ([span(3, None)], {}, True),
        # Without a position, content is missing.
        ([span(None, None)], {}, False),
        ([span(None, None)], {"missing": False}, True),
        ([span(None, None, "missing"), span(None, None, "missing")], {}, False),
        ([span(None, None, "missing")], {"missing": False}, True),
        ([span(3, None, "missing")], {}, True),
        ([span(None, 3, "missing")], {}, True),
        ([span(0, 11, "source")], {}, True),
        ([span(0, 11, "source"), span(0, 5)], MQM, False),
        ([span(0, 21, "source")], MQM, True),
        ([span(None, None, "non-translation")], MQM, False),
        ([span(0, 1, "non-translation")], MQM, True),
        ([span(None, None, "gibberish")], MQM, True),
        ([span(0, 1)], {**MQM, "categories": ["Style"]}, True),
        (
            [{**span(0, 1), "category": "Style"}],
            {**MQM, "categories": ["Style"]},
            False,
        ),
        ([{**span(0, 1), "category": "Other"}], {**MQM, "categories": ["Style"]}, True),
        (
            [{**span(0, 1), "category": "Other"}],
            {**MQM, "free_categories": True},
            False,
        ),
        ([span(0, 1)], {**MQM, "free_categories": True}, True),
        ([{**span(0, 1), "severity": "critical"}], {}, True),
        ([{**span(0, 1), "severity": "critical"}], {"severities": ["critical"]}, False),
    ],
)
def test_errors_mark_parts_of_the_text_that_do_not_overlap(
    spans: list[SpanJSON],
    rules: dict[str, Any],
    is_refused: bool,
) -> None:
    assert (
        bool(spans_refusal(spans, TextLengths(10, 20), rules_complete(rules)))
        == is_refused
    )


def test_imported_errors_need_no_category() -> None:
    rules = rules_complete({**MQM, "free_categories": True})
    lengths = TextLengths(10, 20)
    assert not spans_refusal([span(0, 1)], lengths, rules, is_imported=True)


@pytest.mark.parametrize(
    ("texts", "judges", "needed", "is_feasible", "words"),
    [([2, 3], 6, 6, True, 1), ([2, 3], 5, 6, False, 2), ([], 9, 0, False, 1)],
)
def test_a_quiz_needs_a_judge_for_each_reader_of_each_system(
    texts: list[int],
    judges: int,
    needed: int,
    is_feasible: bool,
    words: int,
) -> None:
    passes = answer_kind("quiz", {"readers": 2}).passes
    assert passes is not None
    found = passes.judges_needed(texts, judges, 0)
    assert (found.judges, found.is_feasible, len(found.sentences)) == (
        needed,
        is_feasible,
        words,
    )


@pytest.mark.parametrize(
    ("protocol", "answer", "score"),
    [("rating", {"value": 4}, 4.0), ("spans", scored(70), 70.0)],
)
def test_an_answer_about_one_output_has_a_score(
    protocol: str,
    answer: Mapping[str, Any],
    score: float,
) -> None:
    kind = answer_kind(protocol)
    assert isinstance(kind, ScoresOneOutput)
    assert kind.score_of_one(answer) == score


def test_an_answer_out_of_range_names_its_output_and_span() -> None:
    answer = scored(100, 101)
    answer["outputs"][1]["spans"] = [span(0, 1), span(-1, 2)]
    with pytest.raises(ValidationError) as refused:
        answer_kind("spans").validated(answer)
    detail: Any = refused.value.detail
    score, start = detail["answer"]
    assert score.startswith("outputs 2 score:")
    assert start.startswith("outputs 2 spans 2 start:")
