"""What was asked of a test set, in words and as an address."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from campaign.models import Task
from ranking.analyses import ANALYSES, Option
from ranking.models import Analysis
from ranking.pages.analysis_form import given_of, question_query


@dataclass(frozen=True, slots=True)
class AskedRow:
    """A line of the list of analyses: what was asked, and where the answer of just these judgments is."""

    analysis: Analysis
    title: str
    words: str
    address: str


def asked_in_words(analysis: Analysis, task: Task) -> AskedRow:
    """Return an analysis of a test set for the list."""
    kind = ANALYSES.get(analysis.kind)
    if kind is None:  # of a version that had it
        return AskedRow(analysis, analysis.kind, "", "")
    given = given_of(kind, analysis.choice)
    address = reverse("analysis", args=[task.test_set.campaign.slug, task.pk, kind.name])
    query = question_query(given, analysis.watermark)
    return AskedRow(
        analysis=analysis,
        title=str(kind.title),
        words=options_in_words(kind.every_option, given),
        address=f"{address}?{query}",
    )


def options_in_words(of: Sequence[Option], given: Mapping[str, Any]) -> str:
    """Return what was chosen of these options."""
    options = {option.name: option for option in of}
    said = (
        f"{options[name].label} {_value(options[name], value)}" for name, value in given.items()
    )
    return pgettext("between options", "; ").join(said)


def _value(option: Option, value: Any) -> str:
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, list | tuple):
        return ", ".join(str(option.choices.get(each, each)) for each in value)
    return str(option.choices.get(value, value))
