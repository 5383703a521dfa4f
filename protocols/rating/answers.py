"""Answers of rating tasks: points for one or several outputs, by one or several criteria.

Either a HIT asks about one criterion, that of its pass, and shows outputs one at a time; or each
screen asks about all criteria at once, and shows one to five outputs.
"""

from collections.abc import Mapping, Sequence, Set
from functools import cached_property
from random import Random
from typing import Final, TypedDict, cast

from django import forms
from django.db.models import Exists, OuterRef
from django.utils.formats import number_format
from django.utils.functional import Promise
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
    ScoresOneOutput,
    ShownRules,
    TextsBeside,
    numbered_columns,
    rules_completed,
)
from annotation.protocols.submissions import (
    AssignedBlock,
    SubmissionRefusedError,
    answer_refused,
)
from campaign.api.constants import ConstantField
from campaign.api.plain_serializer import PlainSerializer
from campaign.models import Campaign, Protocol
from campaign.texts.joining import comma_list
from protocols.frame.scale.criteria import (
    Beside,
    Criterion,
    CriterionJSON,
    weighted_score,
    weights_of,
)
from protocols.frame.scale.presets import (
    CRITERIA_PRESETS,
    criteria_of,
    name_of_criteria,
)
from protocols.frame.scale.statistics.feasibility import feasibility
from protocols.models import AdequacyBasis, RatingAnswer
from protocols.rating.criteria_field import CriteriaField
from protocols.rating.feasibility import feasibility_in_words

MOST_OUTPUTS: Final = 5
_HIGHEST: Final = 100

_RULES: Final[dict[str, forms.Field]] = {
    "criteria": CriteriaField(label=gettext_lazy("Criteria")),
    "all_at_once": forms.BooleanField(
        label=gettext_lazy("Ask about all criteria on one screen"),
        initial=False,
        required=False,
        help_text=gettext_lazy(
            "Otherwise, judges rate all their texts by one criterion before they see them again with the next.",
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
        label=gettext_lazy("Ratings can be changed in later passes"),
        initial=False,
        required=False,
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


_FLUENCY_AND_ADEQUACY: Final = {
    AdequacyBasis.REFERENCE: gettext_lazy(
        "Judge fluency by the output alone. Judge adequacy by how much of the meaning of the reference it expresses, regardless of fluency.",
    ),
    AdequacyBasis.SOURCE: gettext_lazy(
        "Judge fluency by the output alone. Judge adequacy by how much of the meaning of the source it expresses, regardless of fluency.",
    ),
    AdequacyBasis.BOTH: gettext_lazy(
        "Judge fluency by the output alone. Judge adequacy by how much of the meaning of the source and the reference it expresses, regardless of fluency.",
    ),
}
#: Rules of ratings in passes.
_RULES_OF_PASSES: Final = frozenset(
    {"raters", "items_per_judge", "order_free", "adequacy_by_others"},
)


class RatingRules(TypedDict):
    """Rules of a rating task, completed."""

    criteria: list[CriterionJSON]
    all_at_once: bool
    raters: int
    items_per_judge: int | None
    adequacy_basis: str
    order_free: bool
    adequacy_by_others: bool
    document: bool
    page: str


def rules_complete(rules: Rules) -> RatingRules:
    """Return the rules of a task, completed with defaults."""
    return cast("RatingRules", rules_completed(_RULES, rules))


#: Standard deviation of a simulated judge's perception, in parts of the scale.
_NOISE: Final = 0.12


@extend_schema_field(
    {
        "type": "array",
        "items": {
            "type": "object",
            "additionalProperties": {
                "type": "integer",
                "minimum": 0,
                "maximum": _HIGHEST,
            },
        },
        "minItems": 1,
        "maxItems": MOST_OUTPUTS,
    },
)
class _OutputsField(serializers.ListField):
    """Values by criterion for each output; checked against the criteria of the task, in words for the judge."""


class RatingAnswerSerializer(PlainSerializer):
    """The rating of an output by one criterion."""

    kind = ConstantField("rating")
    criterion = serializers.CharField(
        required=False,
        max_length=40,
        help_text="Criterion given by the rules of the assignment; optional.",
    )
    value = serializers.IntegerField(
        min_value=0,
        max_value=_HIGHEST,
        help_text="A value on the scale of the criterion.",
    )


class RatingsAnswerSerializer(PlainSerializer):
    """The ratings of all outputs by all criteria asked about."""

    kind = ConstantField("ratings")
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
    question = serializers.CharField(
        help_text="“{language}” stands for the target language.",
    )
    lowest = serializers.IntegerField()
    highest = serializers.IntegerField()
    lower_is_better = serializers.BooleanField()
    labels = serializers.DictField(
        child=serializers.CharField(),
        help_text="Texts of points, by value.",
    )


class RatingRulesSerializer(PageSerializer):
    """The criteria of a HIT, and the text with which adequacy is compared."""

    protocol = ConstantField(Protocol.RATING)
    criterion = serializers.CharField(
        required=False,
        help_text="Only if each pass asks about one criterion.",
    )
    criteria = CriterionShownSerializer(many=True)
    only_ends_named = serializers.BooleanField(
        help_text="Whether the page shows texts only for the ends of the scale.",
    )
    adequacy_basis = serializers.ChoiceField(choices=AdequacyBasis.choices)


#: Values of an output by criterion.
Points = Mapping[str, int]


class RatingAnswerJSON(TypedDict, total=False):
    """Ratings in either form: the value of one output by one criterion, or the values of all `outputs`."""

    criterion: str
    value: int
    outputs: Sequence[Points]


def ratings_given(
    answer: RatingAnswerJSON,
    criteria: Sequence[Criterion],
) -> Sequence[Points]:
    """Return the values of an answer by criterion, for each output, in either form."""
    if "outputs" in answer:
        return answer["outputs"]
    return [{answer.get("criterion", criteria[0].key): answer["value"]}]


def answer_made(outputs: Sequence[Points]) -> RatingAnswerJSON:
    """Return an answer with these values, in the form in which it is read: a single value by its criterion."""
    if len(outputs) == 1 and len(outputs[0]) == 1:
        [(key, value)] = outputs[0].items()
        return {"criterion": key, "value": value}
    return {"outputs": [dict(points) for points in outputs]}


def _refusal_in_words(
    answer: RatingAnswerJSON,
    criteria: Sequence[Criterion],
    candidates: int,
) -> str:
    """Return what is wrong with an answer; empty if it is valid."""
    outputs = ratings_given(answer, criteria)
    if len(outputs) != candidates:
        return f"{len(outputs)} outputs are rated, but {candidates} are shown."
    keys = [criterion.key for criterion in criteria]
    for points in outputs:
        if not isinstance(points, dict) or set(points) != set(keys):
            return f"Rate {', '.join(keys)} here."
        for criterion in criteria:
            value = points[criterion.key]
            scale = criterion.scale
            if type(value) is not int or value not in scale:
                return f"{criterion.key}: {value} is not a whole number from {scale.lowest} to {scale.highest}."
    return ""


def _is_late(assigned: AssignedBlock) -> bool:
    """Return True if a judge changes an earlier rating after being lent texts of a later pass.

    First ratings of texts lent earlier are accepted, for instance after working offline.
    """
    # Checked only if a judgment exists, because it reads everything the judge was lent.
    later = Assignment.objects.filter(
        judge=OuterRef("judge"),
        hit__task=OuterRef("task"),
        hit__part__gt=assigned.part,
    )
    earlier = Judgment.objects.filter(block=assigned.block_id, judge=assigned.judge_id)
    return earlier.filter(Exists(later)).exists()


class RatingPasses(Passes):
    """A pass for each criterion."""

    def judges_needed(self, texts: Sequence[int], judges: int, most: int) -> Needs:
        passes_by_others = 1
        if self.are_by_others:
            passes_by_others = self.count
        needs = feasibility(
            texts,
            judges=judges,
            raters=self.raters,
            items_per_judge=most,
            passes_by_others=passes_by_others,
        )
        return Needs(
            judges=needs.needed_judges,
            is_feasible=needs.is_feasible,
            sentences=list(feasibility_in_words(needs)),
        )


class RatingAnswers(ScoresOneOutput, AnswerKind):
    """Points by the criteria of a task: in passes, or all at once."""

    protocol = Protocol.RATING
    sentence = gettext_lazy(
        "Judges rate single outputs on five-point scales, first for fluency, then for adequacy.",
    )
    first_candidates = 1
    candidates_in_words = gettext_lazy(
        "One output: rated alone. Two to five: rated side by side, if all criteria are on one screen.",
    )
    serializer = RatingAnswerSerializer
    serializer_of_several = RatingsAnswerSerializer
    rules_serializer = RatingRulesSerializer
    rules_fields = _RULES
    table = RatingAnswer
    screen_words = {
        "output": gettext_lazy("Output {letter}"),
        "criteria_question": gettext_lazy("Rate each criterion."),
        "no_score": gettext_lazy("No score yet."),
        "score_invalid": gettext_lazy("Enter a whole number from 0 to 100."),
        "points_given": gettext_lazy("{value} of {highest}"),
        "digit_may_follow": gettext_lazy(
            "{value}. Type a second digit for 10 or more, or press Enter to continue.",
        ),
        "points_wanted": gettext_lazy("Rate the output, or skip the item."),
    }

    @cached_property
    def criteria(self) -> Sequence[Criterion]:
        return criteria_of(self.stored_rules)

    @property
    def own_question(self) -> str | None:
        if not self.stored_rules.get("criteria"):
            return ""
        return comma_list([criterion.label for criterion in self.criteria])

    @property
    def name(self) -> Promise | str:
        if self.stored_rules.get("criteria"):
            return name_of_criteria(self.criteria)
        return self.protocol.label

    @property
    def work(self) -> str:
        ends = set()
        for criterion in self.criteria:
            ends.add((criterion.scale.lowest, criterion.scale.highest))
        criteria = comma_list([criterion.label for criterion in self.criteria])
        if len(ends) > 1:
            return _("You rate outputs by these criteria: %(criteria)s.") % {
                "criteria": criteria,
            }
        [(lowest, highest)] = ends
        return _("You rate outputs from %(lowest)s to %(highest)s: %(criteria)s.") % {
            "lowest": number_format(lowest),
            "highest": number_format(highest),
            "criteria": criteria,
        }

    def criterion(self, *, outputs_are_media: bool = False) -> Promise | str:
        if self.stored_rules.get("criteria"):
            return ""
        return _FLUENCY_AND_ADEQUACY[AdequacyBasis(str(self._adequacy_basis))]

    @property
    def rules_without_effect(self) -> Set[str]:
        names: set[str] = set()
        if self.stored_rules.get("criteria"):
            names.add("adequacy_basis")
        if self.is_at_once:
            names |= _RULES_OF_PASSES
        return names

    @property
    def asks_otherwise(self) -> bool:
        return bool(self.stored_rules.get("criteria")) or self.is_at_once

    @property
    def is_at_once(self) -> bool:
        return bool(self.stored_rules.get("all_at_once"))

    @property
    def is_by_others(self) -> bool:
        return bool(self.stored_rules.get("adequacy_by_others"))

    @property
    def candidates(self) -> range:
        most = MOST_OUTPUTS if self.is_at_once else 1
        return range(1, most + 1)

    @property
    def orders_outputs(self) -> bool:
        return bool(weights_of(self.criteria))

    @property
    def why_not_ranked(self) -> str:
        if self.is_at_once and not self.orders_outputs:
            return _(
                "No criterion has a weight, so ratings do not order outputs. Compare systems by a criterion, or state weights, in the analysis of ratings.",
            )
        return super().why_not_ranked

    @property
    def passes(self) -> RatingPasses | None:
        if self.is_at_once:
            return None
        rules = rules_complete(self.stored_rules)
        return RatingPasses(
            raters=rules["raters"],
            items_per_judge=rules["items_per_judge"],
            segments_per_hit=10,
            count=len(self.criteria),
            are_by_others=rules["adequacy_by_others"],
        )

    def criteria_asked(self, part: int) -> Sequence[Criterion]:
        """Return the criteria that HITs of a pass ask about; those of the first pass if it is unknown."""
        if self.is_at_once:
            return self.criteria
        if 0 < part <= len(self.criteria):
            index = part - 1
        else:
            index = 0
        return self.criteria[index : index + 1]

    def shown_rules(self, campaign: Campaign, part: int) -> ShownRules:
        criteria = self.criteria_asked(part)
        rules: dict[str, object] = {
            "adequacy_basis": self._adequacy_basis,
            "criteria": [criterion.for_reader() for criterion in criteria],
            # The page of Hamon et al. (2007) shows no others.
            "only_ends_named": not self.stored_rules.get("criteria"),
        }
        if not self.is_at_once:
            rules["criterion"] = criteria[0].key
        return rules

    @property
    def _adequacy_basis(self) -> object:
        return self.stored_rules.get("adequacy_basis") or AdequacyBasis.REFERENCE.value

    def texts(self, part: int) -> TextsBeside:
        """Return the texts shown: those of the criterion, or of all criteria on the screen.

        Judges who alternate between criteria get no context with source or reference: it would show
        them those of outputs that they rate later by a criterion without them.
        """
        besides = {criterion.beside for criterion in self.criteria_asked(part)}
        source = bool(besides & {Beside.SOURCE, Beside.BOTH})
        references = bool(besides & {Beside.REFERENCE, Beside.BOTH})
        if source or references:
            has_context = self.is_at_once or not self.is_by_others
        else:
            has_context = bool(self.stored_rules.get(WHOLE_DOCUMENT))
        return TextsBeside(source=source, references=references, context=has_context)

    def refusal(
        self,
        assigned: AssignedBlock,
        answer: RatingAnswerJSON,
    ) -> SubmissionRefusedError | None:
        criteria = self.criteria_asked(assigned.part)
        problem = _refusal_in_words(answer, criteria, len(assigned.candidates))
        if problem:
            return answer_refused(problem)
        is_free = self.stored_rules.get("order_free") or self.is_by_others
        is_last = self.is_at_once or assigned.part == len(self.criteria)
        if assigned.is_imported or is_free or is_last or not _is_late(assigned):
            return None
        [earlier] = criteria
        later = self.criteria[assigned.part]
        return answer_refused(
            _(
                "You have started rating “%(later)s”, so ratings of “%(earlier)s” can no longer be changed.",
            )
            % {"later": later.label, "earlier": earlier.label},
        )

    def labels(self, answer: RatingAnswerJSON, candidates: int) -> list[int | None]:
        """Return the ranks that the weighted points imply; without weights, all outputs tie."""
        if candidates == 1:
            return [1]
        outputs = ratings_given(answer, self.criteria)
        scores = []
        for points in outputs:
            scores.append(weighted_score(points, self.criteria))
        order = sorted(set(scores), reverse=True)
        ranks: list[int | None] = []
        for score in scores:
            ranks.append(order.index(score) + 1)
        return ranks

    def score_of_one(self, answer: RatingAnswerJSON) -> float:
        """Return the value by the main criterion, the first one asked about; higher is better."""
        [points] = ratings_given(answer, self.criteria)
        main = next(criterion for criterion in self.criteria if criterion.key in points)
        return float(weighted_score(points, [main]))

    def row(self, answer: RatingAnswerJSON, part: int) -> dict[str, object]:
        criteria = self.criteria_asked(part)
        keys = [criterion.key for criterion in criteria]
        values = []
        for points in ratings_given(answer, criteria):
            values += [points[key] for key in keys]
        return {"criteria": keys, "points": values}

    def submitted(self, row: RatingAnswer) -> RatingAnswerJSON:
        keys = row.criteria
        outputs = []
        for start in range(0, len(row.points), len(keys)):
            outputs.append(
                dict(zip(keys, row.points[start : start + len(keys)], strict=True)),
            )
        return answer_made(outputs)

    def cell_kinds(self, candidates: int) -> dict[str, type]:
        if not self.is_at_once:
            return {"criterion": str, "value": int}
        columns: dict[str, type] = {}
        for criterion in self.criteria:
            columns |= numbered_columns(f"{criterion.key}_", int, candidates)
        return columns

    def cells(self, answer: RatingAnswerJSON) -> dict[str, object]:
        if not self.is_at_once:
            return dict(answer)
        cells: dict[str, object] = {}
        for number, points in enumerate(ratings_given(answer, self.criteria), 1):
            for key, value in points.items():
                cells[f"{key}_{number}"] = value
        return cells

    def simulated(self, perceived: Perceived) -> RatingAnswerJSON:
        criteria = self.criteria_asked(0)
        outputs = []
        for quality in perceived.qualities:
            points = {}
            for criterion in criteria:
                points[criterion.key] = _simulated_value(
                    criterion,
                    quality,
                    perceived.random,
                )
            outputs.append(points)
        if self.is_at_once:
            return answer_made(outputs)
        # The pass decides which criterion it is.
        [value] = outputs[0].values()
        return {"value": value}


def _simulated_value(criterion: Criterion, quality: float, random: Random) -> int:
    scale = criterion.scale
    perceived = quality / _HIGHEST + random.gauss(0, _NOISE)
    if scale.lower_is_better:
        perceived = 1 - perceived
    # All values are equally wide.
    value = round(scale.lowest - 0.5 + perceived * scale.points)
    return min(scale.highest, max(scale.lowest, value))


ANSWERS: Final = RatingAnswers
PRESETS: Final = CRITERIA_PRESETS
