"""Criteria of a rating task: each has a question, a scale, and texts shown beside the output.

`Task.rules["criteria"]` holds them as JSON. Only this module reads and writes that JSON.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Final, NotRequired, TypedDict

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.texts.by_language import (
    Texts,
    TextsJSON,
    text_in_active_language,
    texts_json,
    texts_read,
)
from campaign.texts.joining import comma_list
from campaign.texts.refusals import RefusedError
from protocols.frame.scale.statistics.ratings import HUNDRED, MAX_POINTS, POINTS, Scale

MAX_CRITERIA: Final = 8
MAX_NAME = 60
MAX_QUESTION = 500
MAX_LABEL = 200
MAX_WEIGHT: Final = 1000
_KEY: Final = re.compile(r"[a-z][a-z0-9_-]{0,39}")


class Beside(models.TextChoices):
    """Texts shown beside the output while it is rated."""

    SOURCE = "source", gettext_lazy("Source")
    REFERENCE = "reference", gettext_lazy("Reference")
    BOTH = "both", gettext_lazy("Source and reference")
    NOTHING = "nothing", gettext_lazy("Nothing")


class CriterionJSON(TypedDict):
    """A criterion in `Task.rules`."""

    key: str
    name: TextsJSON
    question: TextsJSON
    beside: NotRequired[str]
    lowest: NotRequired[int]
    highest: NotRequired[int]
    lower_is_better: NotRequired[bool]
    labels: dict[str, TextsJSON]
    weight: NotRequired[int]


class CriterionShown(TypedDict):
    """A criterion as the judging page needs it, in one language."""

    key: str
    name: str
    question: str
    lowest: int
    highest: int
    lower_is_better: bool
    labels: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """A criterion by which outputs are rated.

    Attributes
    ----------
    key : str
        Name in files and addresses.
    name, question : mapping of str to str
        Texts by language. `{language}` stands for the target language.
    scale : Scale
    labels : mapping of int to mapping
        Texts of points, by value; always at both ends.
    beside : Beside
    weight : int
        Weight in the sum of points that orders systems; 0 if the criterion does not count.
    """

    key: str
    name: Texts
    question: Texts
    labels: Mapping[int, Texts]
    scale: Scale = field(default_factory=Scale)
    beside: Beside = Beside.NOTHING
    weight: int = 0

    @property
    def label(self) -> str:
        """The name in the active language."""
        return text_in_active_language(self.name)

    def as_json(self) -> CriterionJSON:
        """Return the criterion as `Task.rules` hold it."""
        labels = {}
        for value, texts in self.labels.items():
            labels[str(value)] = texts_json(texts)
        return {
            "key": self.key,
            "name": texts_json(self.name),
            "question": texts_json(self.question),
            "beside": self.beside.value,
            "lowest": self.scale.lowest,
            "highest": self.scale.highest,
            "lower_is_better": self.scale.lower_is_better,
            "labels": labels,
            "weight": self.weight,
        }

    def for_reader(self) -> CriterionShown:
        """Return the criterion as the judging page needs it, in the active language."""
        labels = {}
        for value, texts in self.labels.items():
            labels[str(value)] = text_in_active_language(texts)
        return {
            "key": self.key,
            "name": self.label,
            "question": text_in_active_language(self.question),
            "lowest": self.scale.lowest,
            "highest": self.scale.highest,
            "lower_is_better": self.scale.lower_is_better,
            "labels": labels,
        }


def is_key(text: str) -> bool:
    """Return whether a text may be the key of a criterion."""
    return _KEY.fullmatch(text) is not None


def weights_of(criteria: Sequence[Criterion]) -> dict[str, int]:
    """Return the weights by which points add up to the score of an output.

    A single criterion has all the weight. Empty if there are several and none has a weight: then
    nothing adds them up.
    """
    if len(criteria) == 1:
        return {criteria[0].key: 1}
    weights = {}
    for criterion in criteria:
        if criterion.weight:
            weights[criterion.key] = criterion.weight
    return weights


def weighted_score(points: Mapping[str, int], criteria: Sequence[Criterion]) -> int:
    """Return the weighted sum of the points of an output; higher is better."""
    weights = weights_of(criteria)
    score = 0
    for criterion in criteria:
        value = weights.get(criterion.key, 0) * points[criterion.key]
        score += -value if criterion.scale.lower_is_better else value
    return score


def criteria_read(value: object) -> tuple[Criterion, ...]:
    """Return criteria from JSON. Raises ValidationError for the first problem."""
    if not isinstance(value, list | tuple):
        raise ValidationError(_("Criteria must be a list."))
    if len(value) > MAX_CRITERIA:
        raise ValidationError(
            _("There are %(count)d criteria; the maximum is %(most)d.")
            % {"count": len(value), "most": MAX_CRITERIA},
        )
    criteria = []
    for number, entry in enumerate(value, 1):
        try:
            criteria.append(_criterion_read(entry))
        except (RefusedError, ValueError) as error:
            raise ValidationError(
                _("Criterion %(number)d: %(problem)s")
                % {"number": number, "problem": error},
            ) from error
    _refuse_repeated_names(criteria)
    _refuse_mixed_weights(criteria)
    return tuple(criteria)


def _refuse_repeated_names(criteria: Sequence[Criterion]) -> None:
    names_in_use: set[tuple[str, str]] = set()
    for criterion in criteria:
        names = {("key", criterion.key)}
        for tag, text in criterion.name.items():
            names.add((tag, text.casefold()))
        for kind, _name in names & names_in_use:
            raise ValidationError(
                _("Two criteria have the name “%(name)s”. Give each its own name.")
                % {"name": criterion.key if kind == "key" else criterion.label},
            )
        names_in_use |= names


def _refuse_mixed_weights(criteria: Sequence[Criterion]) -> None:
    scales = set()
    for criterion in criteria:
        if criterion.weight:
            scales.add(str(criterion.scale))
    if len(scales) > 1:
        raise ValidationError(_("Criteria with a weight must have the same scale."))


def _criterion_read(value: object) -> Criterion:
    """Return a criterion from JSON. Raises ValueError, or RefusedError for texts."""
    if not isinstance(value, dict):
        raise ValueError(_("a criterion must be an object."))
    if unknown := sorted(set(value) - set(CriterionJSON.__annotations__)):
        raise ValueError(_("unknown field: %(name)s.") % {"name": comma_list(unknown)})
    key = value.get("key")
    if not isinstance(key, str) or not is_key(key):
        raise ValueError(
            _(
                "“key” must have 1 to 40 small letters, digits, hyphens or underscores, and begin with a letter.",
            ),
        )
    beside = value.get("beside", Beside.NOTHING)
    if beside not in Beside.values:
        raise ValueError(
            _("“beside” must be one of: %(names)s.") % {"names": comma_list(Beside)},
        )
    scale = _scale_read(value)
    return Criterion(
        key=key,
        name=texts_read(value.get("name"), "name", MAX_NAME),
        question=texts_read(value.get("question"), "question", MAX_QUESTION),
        labels=_labels_read(value.get("labels"), scale),
        scale=scale,
        beside=Beside(beside),
        weight=_whole_number(value, "weight", highest=MAX_WEIGHT, default=0),
    )


def _whole_number(
    value: Mapping[str, object],
    name: str,
    *,
    highest: int,
    default: int,
) -> int:
    number = value.get(name, default)
    if type(number) is not int or not 0 <= number <= highest:
        raise ValueError(
            _("“%(name)s” must be a whole number from %(low)d to %(high)d.")
            % {"name": name, "low": 0, "high": highest},
        )
    return number


def _scale_read(value: Mapping[str, object]) -> Scale:
    reverse = value.get("lower_is_better", False)
    if type(reverse) is not bool:
        raise ValueError(_("“lower_is_better” must be true or false."))
    scale = Scale(
        lowest=_whole_number(value, "lowest", highest=1, default=1),
        highest=_whole_number(value, "highest", highest=HUNDRED, default=POINTS),
        lower_is_better=reverse,
    )
    if not scale.is_known:
        raise ValueError(
            _(
                "a scale has 2 to %(most)d points from 0 or 1, or goes from 0 to 100; this one goes from %(lowest)d to %(highest)d.",
            )
            % {"most": MAX_POINTS, **asdict(scale)},
        )
    return scale


def _labels_read(value: object, scale: Scale) -> dict[int, Texts]:
    if not isinstance(value, dict):
        raise ValueError(
            _("“labels” must be an object with a text for each labelled point."),
        )
    points = {str(point): point for point in range(scale.lowest, scale.highest + 1)}
    labels: dict[int, Texts] = {}
    for name, texts in value.items():
        point = points.get(str(name))
        if point is None:
            raise ValueError(
                _(
                    "the label “%(name)s” is not at a whole number from %(lowest)d to %(highest)d.",
                )
                % {"name": name, **asdict(scale)},
            )
        labels[point] = texts_read(texts, f"labels.{name}", MAX_LABEL)
    for end in (scale.lowest, scale.highest):
        if end not in labels:
            raise ValueError(_("the label at %(value)d is missing.") % {"value": end})
    return dict(sorted(labels.items()))
