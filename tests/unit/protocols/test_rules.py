"""Unknown rules and values out of range are refused in words by page, REST and command."""

from typing import Any

import pytest
from django.core.exceptions import ValidationError

from annotation.protocols.answer_kinds import Rules, answer_kind


def rules_of(protocol: str, rules: dict[str, Any]) -> Rules:
    return answer_kind(protocol, rules).rules


PROTOCOLS = (
    "editing",
    "quiz",
    "rating",
    "sorting",
    "spans",
    "top",
    "two_outputs",
    "ranking",
)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_unknown_rule_is_refused_by_name(protocol: str) -> None:
    with pytest.raises(ValidationError, match="Unknown rule: five_answers"):
        rules_of(protocol, {"five_answers": True})


@pytest.mark.parametrize(
    ("protocol", "rules", "words"),
    [
        ("editing", {"third_acceptor": 1}, "third_acceptor must be true or false"),
        ("quiz", {"readers": 0}, "readers: .* is not between 1 and 50"),
        ("quiz", {"readers": True}, "readers: .* is not between 1 and 50"),
        ("quiz", {"readers": 2.0}, "readers: .* is not between 1 and 50"),
        ("rating", {"raters": 0}, "raters: .* is not between 1 and 50"),
        ("rating", {"raters": True}, "raters: .* is not between 1 and 50"),
        (
            "rating",
            {"items_per_judge": "many"},
            "items_per_judge: many is not between 1 and 100000",
        ),
        ("rating", {"adequacy_basis": "ear"}, "adequacy_basis must be one of"),
        ("rating", {"order_free": 1}, "order_free must be true or false"),
        ("sorting", {"judgments": True}, "judgments: True is not between"),
        ("sorting", {"judgments": 6.0}, "judgments: 6.0 is not between"),
        ("sorting", {"judgments": 100_001}, "judgments: 100001 is not between"),
        ("spans", {"missing": "no"}, "missing must be true or false"),
        ("spans", {"margin": 101}, "margin: 101 is not between 0 and 100"),
        (
            "spans",
            {"perfect_from": 99.5},
            "perfect_from: 99.5 is not between 0 and 100",
        ),
        ("spans", {"major_below": True}, "major_below: True is not between 0 and 100"),
        ("two_outputs", {"four_answers": "yes"}, "four_answers must be true or false"),
    ],
)
def test_a_value_that_a_rule_does_not_take_is_refused(
    protocol: str,
    rules: dict[str, Any],
    words: str,
) -> None:
    with pytest.raises(ValidationError, match=words):
        rules_of(protocol, rules)
