"""Answers of rating tasks: points for one or several outputs, by one or several criteria.

Either a HIT asks about one criterion, that of its pass, and shows outputs one at a time; or each
screen asks about all criteria at once, and shows one to five outputs.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from django import forms
from django.db.models import Exists, OuterRef
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotation.models import Assignment, Judgment
from annotation.protocols.answer_kinds import (
    PAGE,
    PAGE_FIELD,
    WHOLE_DOCUMENT,
    WHOLE_DOCUMENT_FIELD,
    AnswerKind,
    Needs,
    PageSerializer,
    Passes,
    Perceived,
    Rules,
    TextsBeside,
    numbered_columns,
    rules_completed,
)
from annotation.protocols.submissions import AssignedBlock, SubmissionRefusedError, answer_refused
from campaign.api.plain_serializer import PlainSerializer
from campaign.models import Protocol
from protocols.frame.scale.criteria import (
    Beside,
    Criterion,
    weighted_score,
    weights_of,
)
from protocols.frame.scale.presets import criteria_of
from protocols.models import AdequacyBasis, RatingAnswer
from protocols.rating.criteria_field import CriteriaField
from protocols.rating.feasibility import feasibility, feasibility_in_words

MOST_OUTPUTS: Final = 5
_HIGHEST: Final = 100

_RULES: Final[dict[str, forms.Field]] = {
    "criteria": CriteriaField(label=gettext_lazy("Criteria")),
    "all_at_once": forms.BooleanField(
        label=gettext_lazy("Ask about all criteria on one screen"),
        initial=False,
        required=False,
        help_text=gettext_lazy(
            "Otherwise, judges rate all their texts by one criterion before they see them again with the next."
        ),
    ),
    "raters": forms.IntegerField(
        label=gettext_lazy("Judges per text"),
        initial=2,
        min_value=1,
        max_value=50,
    ),
    "items_per_judge": forms.IntegerField(
        label=gettext_lazy("Maximum texts per judge (empty for no limit)"),
        min_value=1,
        max_value=100_000,
        required=False,
    ),
    "adequacy_basis": forms.ChoiceField(
        label=gettext_lazy("Compare adequacy with"),
        choices=AdequacyBasis.choices,
        initial=AdequacyBasis.REFERENCE.value,
    ),
    "order_free": forms.BooleanField(
        label=gettext_lazy("Ratings can be changed in later passes"), initial=False, required=False
    ),
    "adequacy_by_others": forms.BooleanField(
        label=gettext_lazy("Criteria are rated by different judges"),
        initial=False,
        required=False,
        help_text=gettext_lazy("Multiplies the number of judges by that of criteria."),
    ),
    WHOLE_DOCUMENT: WHOLE_DOCUMENT_FIELD,
    PAGE: PAGE_FIELD,
}
#: Returns the rules of a task, completed with defaults.
rules_complete: Final = partial(rules_completed, _RULES)

#: Standard deviation of a simulated judge's perception, in parts of the scale.
_NOISE: Final = 0.12


@extend_schema_field(
    {
        "type": "array",
        "items": {
            "type": "object",
            "additionalProperties": {"type": "integer", "minimum": 0, "maximum": _HIGHEST},
        },
        "minItems": 1,
        "maxItems": MOST_OUTPUTS,
    }
)
class _OutputsField(serializers.ListField):
    """Values by criterion for each output; checked against the criteria of the task, in words for the judge."""


class RatingAnswerSerializer(PlainSerializer):
    """The rating of an output by one criterion."""

    criterion = serializers.CharField(
        required=False,
        max_length=40,
        help_text="Criterion given by the rules of the assignment; optional.",
    )
    value = serializers.IntegerField(
        min_value=0, max_value=_HIGHEST, help_text="A value on the scale of the criterion."
    )


class RatingsAnswerSerializer(PlainSerializer):
    """The ratings of all outputs by all criteria asked about."""

    outputs = _OutputsField(
        child=serializers.JSONField(),
        min_length=1,
        max_length=MOST_OUTPUTS,
        help_text="For each output, in display order, the value of each criterion.",
    )


class CriterionShownSerializer(PlainSerializer):
    """A criterion, in the language of the request."""

    key = serializers.CharField()
    name = serializers.CharField()
    question = serializers.CharField(help_text="“{language}” stands for the target language.")
    lowest = serializers.IntegerField()
    highest = serializers.IntegerField()
    lower_is_better = serializers.BooleanField()
    labels = serializers.DictField(
        child=serializers.CharField(), help_text="Texts of points, by value."
    )


class RatingRulesSerializer(PageSerializer):
    """The criteria of a HIT, and the text with which adequacy is compared."""

    criterion = serializers.CharField(
        required=False, help_text="Only if each pass asks about one criterion."
    )
    criteria = CriterionShownSerializer(many=True)
    only_ends_named = serializers.BooleanField(
        help_text="Whether the page shows texts only for the ends of the scale."
    )
    adequacy_basis = serializers.ChoiceField(choices=AdequacyBasis.choices)


def ratings_given(answer: Mapping[str, Any], criteria: Sequence[Criterion]) -> list[dict[str, int]]:
    """Return the values of an answer by criterion, for each output, in either form."""
    if "outputs" in answer:
        return list(answer["outputs"])
    return [{answer.get("criterion", criteria[0].key): answer["value"]}]


def answer_made(outputs: Sequence[Mapping[str, int]]) -> dict[str, Any]:
    """Return an answer with these values, in the form in which it is read: a single value by its criterion."""
    if len(outputs) == 1 and len(outputs[0]) == 1:
        [(key, value)] = outputs[0].items()
        return {"criterion": key, "value": value}
    return {"outputs": [dict(output) for output in outputs]}


def _as_given(row: Any) -> dict[str, Any]:
    points = iter(row.points)
    count = len(row.points) // len(row.criteria)
    return answer_made([{key: next(points) for key in row.criteria} for _output in range(count)])


def _refusal_in_words(answer: Mapping[str, Any], asked: Sequence[Criterion], shown: int) -> str:
    """Return what is wrong with an answer; empty if it is valid."""
    given = ratings_given(answer, asked)
    if len(given) != shown:
        return f"{len(given)} outputs are rated, but {shown} are shown."
    keys = [criterion.key for criterion in asked]
    for output in given:
        if not isinstance(output, dict) or set(output) != set(keys):
            return f"Rate {', '.join(keys)} here."
        for criterion in asked:
            value, scale = output[criterion.key], criterion.scale
            if type(value) is not int or value not in scale:
                return f"{criterion.key}: {value} is not a whole number from {scale.lowest} to {scale.highest}."
    return ""


def _is_late(assigned: AssignedBlock) -> bool:
    """Return True if a judge changes an earlier rating after being lent texts of a later pass.

    First ratings of texts lent earlier are accepted, for instance after working offline.
    """
    # Checked only if a judgment exists, because it reads everything the judge was lent.
    later = Assignment.objects.filter(
        judge=OuterRef("judge"), hit__task=OuterRef("task"), hit__part__gt=assigned.part
    )
    said = Judgment.objects.filter(block=assigned.block_id, judge=assigned.judge_id)
    return said.filter(Exists(later)).exists()


class _Rated:
    """The answers of a task with these rules: functions of its `AnswerKind`."""

    def __init__(self, rules: Mapping[str, Any]) -> None:
        self.rules = rules
        self.criteria = criteria_of(rules)
        self.is_at_once = bool(rules.get("all_at_once"))

    def asked(self, part: int) -> Sequence[Criterion]:
        """Return the criteria that HITs of a pass ask about; those of the first pass if it is unknown."""
        if self.is_at_once:
            return self.criteria
        place = part - 1 if 0 < part <= len(self.criteria) else 0
        return self.criteria[place : place + 1]

    def refusal(
        self, assigned: AssignedBlock, answer: Mapping[str, Any]
    ) -> SubmissionRefusedError | None:
        words = _refusal_in_words(answer, self.asked(assigned.part), len(assigned.candidates))
        if words:
            return answer_refused(words)
        is_free = self.rules.get("order_free") or self.rules.get("adequacy_by_others")
        is_last = self.is_at_once or assigned.part == len(self.criteria)
        if is_free or is_last or not _is_late(assigned):
            return None
        [earlier] = self.asked(assigned.part)
        later = self.criteria[assigned.part]
        return answer_refused(
            _(
                "You have started rating “%(later)s”, so ratings of “%(earlier)s” can no longer be changed."
            )
            % {"later": later.label, "earlier": earlier.label}
        )

    def labels(self, answer: Mapping[str, Any], candidates: int) -> list[int | None]:
        """Return the ranks that the weighted points imply; without weights, all outputs tie."""
        if candidates == 1:
            return [1]
        scores = [
            weighted_score(points, self.criteria) for points in ratings_given(answer, self.criteria)
        ]
        order = sorted(set(scores), reverse=True)
        return [order.index(score) + 1 for score in scores]

    def row(self, answer: Mapping[str, Any], part: int) -> dict[str, Any]:
        asked = self.asked(part)
        keys = [criterion.key for criterion in asked]
        outputs = ratings_given(answer, asked)
        return {"criteria": keys, "points": [output[key] for output in outputs for key in keys]}

    def score_of_one(self, answer: Mapping[str, Any]) -> float:
        """Return the value by the main criterion, the first one asked about; higher is better."""
        [points] = ratings_given(answer, self.criteria)
        main = next(each for each in self.criteria if each.key in points)
        return float(weighted_score(points, [main]))

    def simulated(self, perceived: Perceived) -> dict[str, Any]:
        outputs = [
            {each.key: self._simulated_value(each, quality, perceived) for each in self.asked(0)}
            for quality in perceived.qualities
        ]
        if self.is_at_once:
            return answer_made(outputs)
        # The pass decides which criterion it is.
        [value] = outputs[0].values()
        return {"value": value}

    def _simulated_value(self, criterion: Criterion, quality: float, perceived: Perceived) -> int:
        scale = criterion.scale
        seen = quality / _HIGHEST + perceived.random.gauss(0, _NOISE)
        if scale.lower_is_better:
            seen = 1 - seen
        # All values are equally wide.
        value = round(scale.lowest - 0.5 + seen * scale.points)
        return min(scale.highest, max(scale.lowest, value))

    def cell_kinds(self, candidates: int) -> dict[str, type]:
        if not self.is_at_once:
            return {"criterion": str, "value": int}
        columns: dict[str, type] = {}
        for criterion in self.criteria:
            columns |= numbered_columns(f"{criterion.key}_", int, candidates)
        return columns

    def cells(self, answer: Mapping[str, Any]) -> dict[str, Any]:
        if not self.is_at_once:
            return dict(answer)
        return {
            f"{key}_{number}": value
            for number, points in enumerate(ratings_given(answer, self.criteria), 1)
            for key, value in points.items()
        }

    def shown_rules(self, part: int, _rules: Mapping[str, Any] | None = None) -> Rules:
        shown: Rules = {
            "adequacy_basis": self.rules.get("adequacy_basis") or AdequacyBasis.REFERENCE.value,
            "criteria": [each.for_reader() for each in self.asked(part)],
            # The page of Hamon et al. (2007) shows no others.
            "only_ends_named": not self.rules.get("criteria"),
        }
        if not self.is_at_once:
            shown["criterion"] = self.asked(part)[0].key
        return shown

    def texts(self, part: int, _rules: Mapping[str, Any]) -> TextsBeside:
        """Return the texts shown: those of the criterion, or of all criteria on the screen.

        Judges who alternate between criteria get no context with source or reference: it would show
        them those of outputs that they rate later by a criterion without them.
        """
        besides = {criterion.beside for criterion in self.asked(part)}
        source = bool(besides & {Beside.SOURCE, Beside.BOTH})
        references = bool(besides & {Beside.REFERENCE, Beside.BOTH})
        if source or references:
            has_context = self.is_at_once or not self.rules.get("adequacy_by_others")
        else:
            has_context = bool(self.rules.get(WHOLE_DOCUMENT))
        return TextsBeside(source=source, references=references, context=has_context)

    def needs(
        self, texts: Sequence[int], judges: int, most: int, rules: Mapping[str, Any]
    ) -> Needs:
        found = feasibility(
            texts,
            judges=judges,
            raters=rules_complete(rules)["raters"],
            items_per_judge=most,
            passes_by_others=len(self.criteria) if self.rules.get("adequacy_by_others") else 1,
        )
        return Needs(
            judges=found.needed_judges,
            is_feasible=found.is_feasible,
            words=list(feasibility_in_words(found)),
        )

    def passes(self) -> Passes | None:
        if self.is_at_once:
            return None
        return Passes(
            rules=self.shown_rules,
            raters=lambda rules: int(rules_complete(rules)["raters"]),
            items_per_judge=lambda rules: rules_complete(rules)["items_per_judge"],
            needs=self.needs,
            segments_per_hit=10,
            count=len(self.criteria),
            are_by_others=lambda rules: bool(rules_complete(rules)["adequacy_by_others"]),
        )


def _answers(rules: Mapping[str, Any]) -> AnswerKind:
    """Return the answers of tasks with these rules."""
    rated = _Rated(rules)
    return AnswerKind(
        protocol=Protocol.RATING,
        candidates=range(1, (MOST_OUTPUTS if rated.is_at_once else 1) + 1),
        first_candidates=1,
        candidates_in_words=gettext_lazy(
            "One output: rated alone. Two to five: rated side by side, if all criteria are on one screen."
        ),
        serializer=RatingAnswerSerializer,
        serializer_of_several=RatingsAnswerSerializer,
        rules_serializer=RatingRulesSerializer,
        table=RatingAnswer,
        labels=rated.labels,
        refusal=rated.refusal,
        row=rated.row,
        as_given=_as_given,
        cell_kinds=rated.cell_kinds,
        cells=rated.cells,
        shown_rules=lambda _campaign, _rules: rated.shown_rules(0),
        texts=rated.texts,
        simulated=rated.simulated,
        score_of_one=rated.score_of_one,
        passes=rated.passes(),
        orders_outputs=bool(weights_of(rated.criteria)),
        of_rules=_answers,
        rules_fields=_RULES,
    )


ANSWERS: Final = _answers({})
