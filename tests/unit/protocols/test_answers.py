"""Answers about several outputs at once: the order they imply, how they are read back, and simulated ones."""

from collections.abc import Mapping
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from annotation.protocols import answer_kind


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
    ],
)
def test_an_answer_implies_an_order(
    protocol: str, answer: Mapping[str, Any], labels: list[int]
) -> None:
    assert answer_kind(protocol).labels(answer, len(labels)) == labels


def test_marks_are_read_back_from_the_labels() -> None:
    judgment = SimpleNamespace(labels=[1, 2, 1])
    assert answer_kind("top").as_given(judgment) == {"top": [True, False, True]}


@pytest.mark.parametrize(
    ("protocol", "labels", "quality", "rules", "answer"),
    [
        ("top", [2, 1, None, 1], 50, {}, {"top": [False, True, False, True]}),
        ("two_outputs", [1, 2], 50, {}, {"verdict": "first"}),
        ("two_outputs", [2, 1], 50, {"four_answers": True}, {"verdict": "second"}),
        ("two_outputs", [1, 1], 95, {}, {"verdict": "same"}),
        ("two_outputs", [1, 1], 95, {"four_answers": True}, {"verdict": "both_fine"}),
        ("two_outputs", [1, 1], 5, {"four_answers": True}, {"verdict": "both_wrong"}),
        ("sorting", [1, 2], 50, {}, {"verdict": "first"}),
        ("sorting", [2, 1], 50, {}, {"verdict": "second"}),
        ("sorting", [1, 1], 50, {}, {"verdict": "same"}),
    ],
)
def test_a_simulated_answer_is_that_of_the_labels(
    protocol: str,
    labels: list[int | None],
    quality: float,
    rules: Mapping[str, Any],
    answer: Mapping[str, Any],
) -> None:
    said = answer_kind(protocol).simulated([quality] * len(labels), labels, rules, Random(1))
    assert said == answer
