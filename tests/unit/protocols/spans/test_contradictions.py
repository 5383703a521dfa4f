"""Scores that judges are asked to confirm."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from protocols.spans.contradictions import (
    Contradiction,
    ContradictionKind,
    ContradictionRule,
    contradictions,
)
from protocols.spans.records import ScoredOutput
from tests.unit.protocols.spans.drawn import judgment, major, minor, output

#: Answers, by the errors of each output, and the questions they raise.
TABLE = json.loads(
    Path(__file__).with_name("contradictions.json").read_text(encoding="utf-8"),
)


def kinds(*outputs: ScoredOutput, rule: ContradictionRule | None = None) -> list[str]:
    return [found.kind.value for found in contradictions(judgment(*outputs), rule)]


def test_errors_are_asked_for_below_the_threshold() -> None:
    rule = ContradictionRule(error_free_from=85)
    assert kinds(output("A", 85), rule=rule) == []
    assert kinds(output("A", 84), rule=rule) == ["low_without_error"]


@pytest.mark.parametrize("case", TABLE["cases"], ids=str)
def test_the_page_and_the_server_find_the_same_contradictions(
    case: dict[str, Any],
) -> None:
    """The page tries the same table: tests/js/spans_marks.test.js."""
    assert TABLE["rule"] == asdict(ContradictionRule())
    severities = {"minor": minor, "major": major}
    outputs = [
        output(
            letter,
            score,
            [severities[each](2 * at, 2 * at + 1) for at, each in enumerate(marked)],
        )
        for letter, (score, *marked) in zip("ABCDE", case["outputs"], strict=False)
    ]
    rule = ContradictionRule(**{**TABLE["rule"], **case["rule"]})
    found = contradictions(judgment(*outputs), rule)
    assert [[each.kind.value, *each.outputs] for each in found] == case["found"]


def test_errors_explain_a_low_score_but_not_a_perfect_one() -> None:
    assert kinds(output("A", 20, [minor()])) == []
    assert kinds(output("A", 100, [minor(None, None)])) == ["perfect_with_error"]
    assert kinds(output("A", 90, [minor()])) == []
    assert kinds(output("A", 90, [major()])) == ["high_with_major"]
    assert kinds(output("A", 89, [major()])) == []


def test_missing_answers_contradict_nothing() -> None:
    assert kinds(output("A", 20, None), output("B", None, [major()])) == []


def test_the_output_with_more_errors_is_not_the_better_one() -> None:
    more, fewer = [major(), minor(2, 3)], [major()]
    found = contradictions(judgment(output("A", 40, fewer), output("B", 60, more)))
    assert found == [Contradiction(ContradictionKind.BETTER_WITH_MORE_ERRORS, (1, 0))]
    assert kinds(output("A", 51, fewer), output("B", 60, more)) == []
    # More minor errors against a major one are the judge's to weigh.
    assert (
        kinds(output("A", 40, [major()]), output("B", 60, [minor(), minor(2, 3)])) == []
    )
