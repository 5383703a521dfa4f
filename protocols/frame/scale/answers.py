"""Answers on a scale: 1 to 5 points (5 is best) for one output by one criterion."""

from collections.abc import Mapping
from typing import Any, Final

from rest_framework import serializers

from annotation.protocols import AnswerKind, Perceived
from annotation.submissions import AssignedBlock, SubmissionRefusedError, answer_refused
from campaign.models import Protocol
from protocols.frame.scale.statistics.ratings import POINTS
from protocols.models import CRITERIA, AdequacyBasis, Criterion, RatingAnswer

#: Points of stated quality (0–100) per step of the scale, for simulated judges.
_QUALITY_A_POINT: Final = 20.0
#: Standard deviation of a simulated judge's perception, in points.
_NOISE: Final = 0.6


class RatingAnswerSerializer(serializers.Serializer[object]):
    """The rating of an output."""

    criterion = serializers.ChoiceField(
        choices=Criterion.choices,
        required=False,
        help_text="Criterion given by the rules of the assignment; optional.",
    )
    value = serializers.IntegerField(min_value=1, max_value=POINTS, help_text="5 is best.")


class RatingRulesSerializer(serializers.Serializer[object]):
    """The criterion of a HIT, and the text to compare outputs with."""

    criterion = serializers.ChoiceField(choices=Criterion.choices)
    adequacy_basis = serializers.ChoiceField(choices=AdequacyBasis.choices)


def criterion_asked(protocol: str, part: int) -> Criterion:
    """Return the criterion rated in a pass; that of the first pass if the pass is unknown."""
    criteria = CRITERIA[Protocol(protocol)]
    return criteria.get(part, next(iter(criteria.values())))


def refusal(assigned: AssignedBlock, answer: Mapping[str, Any]) -> SubmissionRefusedError | None:
    """Refuse points for a criterion other than the one asked about."""
    asked = criterion_asked(assigned.protocol, assigned.part)
    if answer.get("criterion", asked) == asked:
        return None
    return answer_refused(f"Rate {asked.value} here.")


def _simulated(perceived: Perceived) -> dict[str, int]:
    points = perceived.qualities[0] / _QUALITY_A_POINT + 0.5 + perceived.random.gauss(0, _NOISE)
    return {"value": min(POINTS, max(1, round(points)))}


def scale_answers(protocol: Protocol, **particular: Any) -> AnswerKind:
    """Return the answers of a protocol whose `CRITERIA` are rated one output at a time."""
    of_all: dict[str, Any] = {
        "serializer": RatingAnswerSerializer,
        "rules_serializer": RatingRulesSerializer,
        "shown_rules": lambda _campaign, _rules: {"criterion": criterion_asked(protocol, 0).value},
        "refusal": refusal,
        "simulated": _simulated,
        "cell_kinds": lambda _candidates: {"criterion": str, "value": int},
    }
    return AnswerKind(
        protocol=protocol,
        candidates=range(1, 2),
        table=RatingAnswer,
        row=lambda answer, part: {
            "criterion": criterion_asked(protocol, part).value,
            "value": answer["value"],
        },
        score_of_one=lambda answer: float(answer["value"]),
        **{**of_all, **particular},
    )
