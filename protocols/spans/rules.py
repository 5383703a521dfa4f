"""Rules of a task with error spans: what judges mark and score, and the weights of errors."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from types import MappingProxyType
from typing import Any, Final, TypedDict, cast

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.protocols.answer_kinds import (
    PAGE,
    PAGE_FIELD,
    QUESTION,
    QuestionField,
    RuleField,
    Rules,
    rules_completed,
)
from campaign.texts.by_language import TextsJSON
from campaign.texts.joining import comma_list, with_full_stop
from protocols.spans.contradictions import ContradictionRule
from protocols.spans.records import ERROR, MAX_SCORE, MISSING, PLACED, SOURCE, Severity
from protocols.spans.taxonomy import MAX_CATEGORY, TAXONOMIES, categories_read
from protocols.spans.weights import WEIGHT_PRESETS, Weights, weights_read

MAX_MARKS: Final = 5


class ListField(RuleField):
    """A list of names or lines, or the name of a preset, which stands for its lines.

    `check` raises ValueError for wrong ones.
    """

    def __init__(
        self,
        check: Callable[[list[str]], object],
        *,
        presets: Mapping[str, Sequence[str]] = MappingProxyType({}),
        initial: Sequence[str] = (),
    ) -> None:
        super().__init__(required=False, initial=list(initial))
        self._check = check
        self._presets = presets

    def rule_value(self, value: Any) -> list[str]:
        if isinstance(value, str):
            lines = list(self._presets.get(value, ()))
        else:
            lines = value
        if not isinstance(lines, list) or not all(
            isinstance(line, str) for line in lines
        ):
            raise ValidationError(f"{value!r} is not a list of lines.")
        for line in lines:
            if len(line.splitlines()) > 1:
                raise ValidationError(
                    _("“%(line)s” has several lines. Write one.")
                    % {"line": " ⏎ ".join(line.splitlines())},
                )
        if isinstance(value, str) and not lines:
            names = comma_list(self._presets)
            raise ValidationError(
                _("“%(name)s” is not a preset. Choose one of: %(names)s.")
                % {"name": value, "names": names},
            )
        try:
            self._check(lines)
        except ValueError as error:
            raise ValidationError(with_full_stop(str(error))) from error
        return lines


def _severities_check(names: list[str]) -> None:
    unknown = sorted(set(names) - set(Severity))
    if unknown or not names:
        raise ValueError(
            f"severities are one or several of {comma_list(Severity)}, not {comma_list(unknown) or 'none'}",
        )


def _marks_check(names: list[str]) -> None:
    others = set()
    for name in names:
        if 0 < len(name.strip()) <= MAX_CATEGORY:
            others.add(name)
    if len(others - {*PLACED, MISSING}) < len(names) or len(names) > MAX_MARKS:
        raise ValueError(
            f"special marks are at most {MAX_MARKS} different names other than {comma_list((*PLACED, MISSING))}",
        )


#: Rule for asking judges to confirm a score.
_THRESHOLDS: Final = asdict(ContradictionRule())
#: Rules that change no answer.
WEIGHTS: Final = "weights"
FIELDS: Final[dict[str, forms.Field]] = {
    QUESTION: QuestionField(),
    PAGE: PAGE_FIELD,
    "spans_asked": forms.BooleanField(
        label=gettext_lazy("Judges mark errors before they score"),
        initial=True,
        required=False,
    ),
    "scored": forms.BooleanField(
        label=gettext_lazy("Judges score each output from 0 to 100"),
        initial=True,
        required=False,
        help_text=gettext_lazy(
            "Otherwise, scores follow from the weights of the errors (MQM).",
        ),
    ),
    "missing": forms.BooleanField(
        label=gettext_lazy("Judges can mark missing content"),
        initial=True,
        required=False,
    ),
    "source_marked": forms.BooleanField(
        label=gettext_lazy(
            "Judges can mark errors in the source, such as omitted parts",
        ),
        initial=False,
        required=False,
    ),
    "severities": ListField(_severities_check, initial=["minor", "major"]),
    "categories": ListField(categories_read, presets=TAXONOMIES),
    "free_categories": forms.BooleanField(
        label=gettext_lazy("Judges can enter categories of their own"),
        initial=False,
        required=False,
    ),
    "marks": ListField(_marks_check),
    WEIGHTS: ListField(weights_read, presets=WEIGHT_PRESETS),
    **{
        # If empty, the defaults apply.
        name: forms.IntegerField(
            label=label,
            initial=_THRESHOLDS[name],
            min_value=0,
            max_value=MAX_SCORE,
            required=False,
        )
        for name, label in (
            (
                "error_free_from",
                gettext_lazy("Confirm if there are no errors and the score is below"),
            ),
            (
                "perfect_from",
                gettext_lazy("Confirm if there is an error and the score is at least"),
            ),
            (
                "major_below",
                gettext_lazy(
                    "Confirm if there is a major error and the score is at least",
                ),
            ),
            (
                "margin",
                gettext_lazy(
                    "Confirm if there are more errors but the score is higher by",
                ),
            ),
        )
    },
}


class SpansRules(TypedDict):
    """Rules of a task with error spans, completed."""

    question: TextsJSON
    page: str
    spans_asked: bool
    scored: bool
    missing: bool
    source_marked: bool
    severities: list[str]
    categories: list[str]
    free_categories: bool
    marks: list[str]
    weights: list[str]
    error_free_from: int
    perfect_from: int
    major_below: int
    margin: int


def rules_complete(rules: Rules) -> SpansRules:
    """Return the rules of a task, completed with defaults."""
    return cast("SpansRules", rules_completed(FIELDS, rules))


def spans_are_asked(rules: Rules) -> bool:
    """Return whether judges of a task with these rules mark errors."""
    return bool(rules.get("spans_asked", True))


def is_scored(rules: Rules) -> bool:
    """Return whether judges give scores; without marks, they always do."""
    return bool(rules.get("scored", True)) or not spans_are_asked(rules)


def severities_of(rules: Rules) -> list[Severity]:
    """Return the severities that judges can choose."""
    chosen = rules_complete(rules)["severities"]
    severities = []
    for severity in Severity:
        if severity in chosen:
            severities.append(severity)
    return severities


def categories_of(rules: Rules) -> list[str]:
    """Return the categories that judges can choose."""
    return categories_read(cast("list[str]", rules.get("categories") or []))


def has_categories(rules: Rules) -> bool:
    """Return whether judges choose or enter categories."""
    return bool(rules.get("categories") or rules.get("free_categories"))


def weights_of(rules: Rules) -> Weights:
    """Return the weights of errors in a task with these rules."""
    return weights_read(cast("list[str]", rules.get(WEIGHTS) or []))


def asked_about(rules: Rules) -> ContradictionRule:
    """Return the thresholds at which a task with these rules asks judges to confirm a score."""
    complete = rules_complete(rules)
    return ContradictionRule(
        error_free_from=complete["error_free_from"],
        perfect_from=complete["perfect_from"],
        major_below=complete["major_below"],
        margin=complete["margin"],
    )


def kinds_allowed(rules: SpansRules) -> list[str]:
    """Return the kinds of marks that a task with these complete rules allows."""
    kinds = [ERROR, *rules["marks"]]
    if rules["missing"]:
        kinds.append(MISSING)
    if rules["source_marked"]:
        kinds.append(SOURCE)
    return kinds
