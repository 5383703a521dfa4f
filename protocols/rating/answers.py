"""The answers about adequacy and fluency: points of one output, of which 5 are best (Hamon et al. 2007).

Which of the two is asked says the HIT: fluency is the first pass, adequacy the second.
"""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Exists, OuterRef
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers

from annotation.models import Assignment, Judgment
from annotation.protocols import AnswerKind, Needs, Passes, Rules, TextsBeside
from annotation.submissions import AssignedBlock, SubmissionRefusedError
from campaign.models import Campaign, Protocol
from protocols.rating.feasibility import feasibility
from protocols.rating.models import AdequacyBasis, Answer, Criterion
from protocols.rating.statistics.ratings import POINTS
from protocols.rating.wording import feasibility_in_words

#: By the pass of a HIT.
_CRITERIA: Final = {1: Criterion.FLUENCY, 2: Criterion.ADEQUACY}
_ADEQUACY: Final = 2
_RATERS: Final = 2
_MOST_RATERS: Final = 50
_MOST_ITEMS: Final = 100_000
#: Simulated judges take a step of the scale for each so many points of stated quality (0–100).
_QUALITY_A_POINT: Final = 20.0
#: …and perceive it with this standard deviation, in points.
_NOISE: Final = 0.6


class RatingAnswerSerializer(serializers.Serializer[object]):
    """Points of an output."""

    criterion = serializers.ChoiceField(
        choices=Criterion.choices,
        required=False,
        help_text="What was asked, as the rules of the assignment say; it may be left out.",
    )
    value = serializers.IntegerField(min_value=1, max_value=POINTS, help_text="5 is best.")


class RatingRulesSerializer(serializers.Serializer[object]):
    """What a judge is asked about each output of a HIT, and what it is compared with."""

    criterion = serializers.ChoiceField(choices=Criterion.choices)
    adequacy_basis = serializers.ChoiceField(choices=AdequacyBasis.choices)


def _labels(_answer: Mapping[str, Any], _candidates: int) -> list[int | None]:
    return [1]


def _criterion(part: int) -> Criterion:
    return _CRITERIA.get(part, Criterion.FLUENCY)


def _refusal(assigned: AssignedBlock, answer: Mapping[str, Any]) -> SubmissionRefusedError | None:
    asked = _criterion(assigned.part)
    if answer.get("criterion", asked) != asked:
        return SubmissionRefusedError(
            _("What is rated here is: %(criterion)s.") % {"criterion": asked.label}, field="answer"
        )
    is_order_kept = not (
        assigned.rules.get("order_free") or assigned.rules.get("adequacy_by_others")
    )
    if asked == Criterion.FLUENCY and is_order_kept and _is_late(assigned):
        return SubmissionRefusedError(
            _(
                "You rate adequacy now, and have seen what the texts should say: fluency stays as you rated it."
            ),
            field="answer",
        )
    return None


def _is_late(assigned: AssignedBlock) -> bool:
    """Return whether what was said is to be changed by a judge who was lent texts for adequacy since.

    What they were lent before and say for the first time, as without network, is taken.
    """
    # Looked up for a judgment that is there: it would read all that the judge was lent.
    second = Assignment.objects.filter(
        judge=OuterRef("judge"), hit__task=OuterRef("task"), hit__part=_ADEQUACY
    )
    said = Judgment.objects.filter(block=assigned.block_id, judge=assigned.judge_id)
    return said.filter(Exists(second)).exists()


def _as_given(row: Any) -> dict[str, Any]:
    return {"criterion": row.criterion, "value": row.value}


def rules_complete(rules: Mapping[str, Any]) -> Rules:
    """Return the rules of a task, complete. Raises ValidationError for others than there are."""
    known: Rules = {
        "raters": _RATERS,
        "items_per_judge": None,
        "adequacy_basis": AdequacyBasis.REFERENCE.value,
        "order_free": False,
        "adequacy_by_others": False,
    }
    others = sorted(set(rules) - set(known))
    if others:
        raise ValidationError(
            _("This protocol has no rule “%(name)s”.") % {"name": ", ".join(others)}
        )
    chosen = {**known, **rules}
    _whole_number("raters", chosen["raters"], _MOST_RATERS)
    if chosen["items_per_judge"] is not None:
        _whole_number("items_per_judge", chosen["items_per_judge"], _MOST_ITEMS)
    if chosen["adequacy_basis"] not in AdequacyBasis.values:
        raise ValidationError(
            _("adequacy_basis is one of these: %(values)s.")
            % {"values": ", ".join(AdequacyBasis.values)}
        )
    for name in ("order_free", "adequacy_by_others"):
        if not isinstance(chosen[name], bool):
            raise ValidationError(_("%(name)s is true or false.") % {"name": name})
    return chosen


def _whole_number(name: str, value: object, most: int) -> None:
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= most:
        return
    raise ValidationError(
        _("%(name)s is a whole number from 1 to %(most)s.") % {"name": name, "most": most}
    )


def _shown_rules(_campaign: Campaign, rules: Mapping[str, Any]) -> Rules:
    return {"adequacy_basis": rules_complete(rules)["adequacy_basis"]}


def _simulated(
    qualities: Sequence[float],
    _labels: Sequence[int | None],
    _rules: Mapping[str, Any],
    random: Random,
) -> dict[str, int]:
    perceived = qualities[0] / _QUALITY_A_POINT + 0.5 + random.gauss(0, _NOISE)
    return {"value": min(POINTS, max(1, round(perceived)))}


def _texts(part: int, rules: Mapping[str, Any]) -> TextsBeside:
    """Fluency is of the output alone; adequacy has what it is compared with, and no neighbours."""
    basis = rules_complete(rules)["adequacy_basis"] if part == _ADEQUACY else None
    return TextsBeside(
        source=basis in (AdequacyBasis.SOURCE, AdequacyBasis.BOTH),
        references=basis in (AdequacyBasis.REFERENCE, AdequacyBasis.BOTH),
        context=False,
    )


def _pass_rules(part: int, _of_task: Mapping[str, Any]) -> Rules:
    return {"criterion": _criterion(part).value}


def _needs(texts: Sequence[int], judges: int, most: int, rules: Mapping[str, Any]) -> Needs:
    chosen = rules_complete(rules)
    raters, by_others = int(chosen["raters"]), bool(chosen["adequacy_by_others"])
    found = feasibility(
        texts,
        judges=judges,
        raters=raters,
        items_per_judge=most,
        is_adequacy_by_others=by_others,
    )
    words = feasibility_in_words(
        found,
        systems=max(texts, default=0),
        segments=len(texts),
        raters=raters,
        items_per_judge=most,
        is_adequacy_by_others=by_others,
    )
    return Needs(judges=found.needed_judges, is_feasible=found.is_feasible, words=words)


RATING: Final = AnswerKind(
    protocol=Protocol.RATING,
    candidates=range(1, 2),
    serializer=RatingAnswerSerializer,
    labels=_labels,
    refusal=_refusal,
    table=Answer,
    row=lambda answer, part: {"criterion": _criterion(part).value, "value": answer["value"]},
    as_given=_as_given,
    rules=rules_complete,
    shown_rules=_shown_rules,
    rules_serializer=RatingRulesSerializer,
    simulated=_simulated,
    score_of_one=lambda answer: float(answer["value"]),
    passes=Passes(
        texts=_texts,
        rules=_pass_rules,
        raters=lambda rules: int(rules_complete(rules)["raters"]),
        items_per_judge=lambda rules: rules_complete(rules)["items_per_judge"],
        needs=_needs,
        segments_per_hit=10,
        is_second_by_others=lambda rules: bool(rules_complete(rules)["adequacy_by_others"]),
    ),
    rules_fields={
        "raters": forms.IntegerField(
            label=gettext_lazy("Judges of each text"),
            min_value=1,
            max_value=_MOST_RATERS,
        ),
        "items_per_judge": forms.IntegerField(
            label=gettext_lazy("Most texts of a judge; empty: no limit"),
            min_value=1,
            max_value=_MOST_ITEMS,
            required=False,
        ),
        "adequacy_basis": forms.ChoiceField(
            label=gettext_lazy("Adequacy is compared with"), choices=AdequacyBasis.choices
        ),
        "order_free": forms.BooleanField(
            label=gettext_lazy("fluency may be changed after adequacy"), required=False
        ),
        "adequacy_by_others": forms.BooleanField(
            label=gettext_lazy("adequacy is rated by other judges than fluency"),
            required=False,
            help_text=gettext_lazy(
                "So that who has judged how a text reads does not judge what it says. It takes twice as many judges."
            ),
        ),
    },
)
