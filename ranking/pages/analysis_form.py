"""Request form of an analysis: its fields are the options of its kind."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django import forms
from django.core.validators import ProhibitNullCharactersValidator
from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.models import Task
from campaign.texts.joining import comma_list, semicolon_list
from ranking.models import Analysis
from ranking.reports.analyses.kind import (
    DOCUMENTS,
    DOMAINS,
    GROUP,
    JUDGMENT_OPTIONS,
    REFERENCE,
    AnalysisKind,
)
from ranking.reports.analyses.options import Option, OptionError, Words
from ranking.reports.analyses.registry import ANALYSES
from ranking.selectors.analyses import JudgmentsToChoose

#: Kinds of names entered in one field, separated by commas. Document names may contain commas.
_SEPARATOR = ","
#: Address parameter with the number of the last judgment. It is not an option, so it does not change the request.
WATERMARK = "watermark"
_LARGEST = 2**31 - 1


class AnalysisForm(forms.Form):
    """The options of a kind of analysis, including those for selecting judgments of a task."""

    def __init__(
        self,
        data: QueryDict | None,
        *,
        kind: AnalysisKind,
        judgments: JudgmentsToChoose,
    ) -> None:
        # Missing options get their defaults, which the form shows.
        super().__init__(
            None if data is None else completed_query(data, kind.every_option),
            auto_id=f"id_{kind.name}_%s",
        )
        self.kind = kind
        self.label_suffix = ""
        for option in kind.every_option:
            field = _field(option, judgments)
            if field is not None:
                self.fields[option.name] = field
        if not kind.of_campaign:
            self.fields[WATERMARK] = _watermark_field()

    @property
    def of_kind(self) -> Iterator[forms.BoundField]:
        """The fields of the kind."""
        return (
            self[each.name] for each in self.kind.options if each.name in self.fields
        )

    @property
    def of_judgments(self) -> Iterator[forms.BoundField]:
        """The fields for selecting judgments."""
        names = (*(option.name for option in JUDGMENT_OPTIONS), WATERMARK)
        return (self[name] for name in names if name in self.fields)

    @property
    def given(self) -> dict[str, Any]:
        """The options of a valid form that differ from their defaults, for `analysis_choice`."""
        values = {
            name: each for name, each in self.cleaned_data.items() if name != WATERMARK
        }
        return given_of(self.kind, values)

    @property
    def watermark(self) -> int | None:
        """The number of the last judgment that counts, None for all; for a form that is valid or unbound."""
        if self.is_bound:
            return self.cleaned_data.get(WATERMARK)
        return None

    @property
    def query(self) -> str:
        """The requested options as a query string; for a form that is valid or unbound."""
        if self.is_bound:
            return question_query(self.given, self.watermark)
        return ""

    @property
    def is_of_some(self) -> bool:
        """True if the form may select only some of the judgments."""
        if not self.is_bound or not self.is_valid():
            return self.is_bound
        names = {option.name for option in JUDGMENT_OPTIONS}
        return self.watermark is not None or bool(names.intersection(self.given))

    def refuse(self, error: OptionError) -> None:
        """Show an error at its field; the form already shows an error without text."""
        if not self.is_bound:
            # An address without options requests the defaults.
            self.is_bound, self.data = (
                True,
                completed_query(QueryDict(), self.kind.every_option),
            )
        if str(error):
            self.add_error(
                error.field if error.field in self.fields else None, str(error)
            )


def given_of(kind: AnalysisKind, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given options that differ from their defaults."""
    options = {option.name: option for option in kind.every_option}

    def is_said(name: str, value: Any) -> bool:
        default = options[name].default
        if isinstance(default, tuple):
            return bool(value) and set(value) != set(default)
        return value not in (None, "") and value != default

    return {
        name: options[name].read(value) if options[name].is_many else value
        for name, value in values.items()
        if is_said(name, value)
    }


def question_query(given: Mapping[str, Any], watermark: int | None) -> str:
    """Return options, and the number of the last judgment that counts, as a query string."""
    query = QueryDict(mutable=True)
    for name, value in given.items():
        if isinstance(value, list | tuple):
            several = value
        else:
            several = [value]
        query.setlist(name, [_as_text(each) for each in several])
    if watermark is not None:
        query[WATERMARK] = str(watermark)
    return query.urlencode()


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        if value:
            return "yes"
        return "no"
    return str(value)


class _NamesInput(forms.TextInput):
    """Names on one line; query strings have one parameter per name."""

    def value_from_datadict(self, data: Any, files: Any, name: str) -> Any:
        """Return all names, separated by commas."""
        del files
        if hasattr(data, "getlist"):
            return ", ".join(data.getlist(name))
        return data.get(name)


class _OptionField(forms.Field):
    """The field of an option, parsed as in REST and commands; None if it is empty.

    In query strings, booleans are text, and several values are repeated parameters.
    """

    def __init__(self, option: Option, widget: forms.Widget | None = None) -> None:
        self._option = option
        choices = list(option.choices.items())
        if isinstance(option.default, bool):
            choices = [("yes", gettext_lazy("yes")), ("no", gettext_lazy("no"))]
        if option.is_many:
            many = (
                forms.CheckboxSelectMultiple(choices=choices)
                if choices
                else _NamesInput()
            )
            widget = widget or many
        elif choices:
            widget = forms.Select(choices=choices)
        elif not isinstance(option.default, str):
            ends = (("min", option.low), ("max", option.high))
            bounds = {name: end for name, end in ends if math.isfinite(end)}
            if isinstance(option.default, int):
                step = {}
            else:
                step = {"step": "any"}
            widget = forms.NumberInput(attrs={**bounds, **step})
        words: dict[str, Any] = {"label": option.label, "help_text": option.help}
        widget = widget or forms.TextInput()
        super().__init__(required=False, initial=option.default, widget=widget, **words)

    def prepare_value(self, value: Any) -> Any:
        """Return booleans as text, and names on one line."""
        if isinstance(value, bool):
            return _as_text(value)
        is_line = self._option.is_many and not self._option.choices
        if is_line and isinstance(value, list | tuple):
            return ", ".join(value)
        return value

    def clean(self, value: Any) -> Any:
        """Return the value of the option."""
        if not value:
            return None
        ProhibitNullCharactersValidator()(value)
        if self._option.is_many and isinstance(value, str):
            value = [name.strip() for name in value.split(_SEPARATOR)]
        try:
            return self._option.read(value)
        except OptionError as error:
            raise forms.ValidationError(str(error)) from error


def completed_query(data: QueryDict, options: Sequence[Option]) -> QueryDict:
    """Return a query with the defaults of missing options."""
    completed = data.copy()
    for option in options:
        default = option.default
        if option.name not in completed and default not in ("", ()):
            several = default if isinstance(default, tuple) else [default]
            completed.setlist(option.name, [_as_text(each) for each in several])
    return completed


def _watermark_field() -> forms.Field:
    return forms.IntegerField(
        label=_("Up to judgment number"),
        help_text=_("Leave empty to include all judgments so far."),
        required=False,
        min_value=1,
        max_value=_LARGEST,
    )


def _field(option: Option, judgments: JudgmentsToChoose) -> forms.Field | None:
    """Return the field of an option; None if there is nothing to choose."""
    if option is REFERENCE and not judgments.has_reference:
        return None
    names = {
        GROUP.name: judgments.groups,
        DOCUMENTS.name: judgments.documents,
        DOMAINS.name: judgments.domains,
    }.get(option.name)
    if names is None:
        return _OptionField(option)
    if not names:
        return None
    choices: dict[str, Words] = {name: name for name in names}
    if option is GROUP:
        return _OptionField(replace(option, choices={"": _("All judges"), **choices}))
    size = {"size": min(6, len(names))}
    widget = forms.SelectMultiple(attrs=size, choices=list(choices.items()))
    return _OptionField(replace(option, choices=choices), widget)


def asked_in_words(analysis: Analysis, task: Task) -> dict[str, Any]:
    """Return an analysis of a test set for the list: title, options, and address of the answer."""
    kind = ANALYSES.get(analysis.kind)
    if kind is None:  # the kind existed in an earlier version
        return {
            "analysis": analysis,
            "title": analysis.kind,
            "words": "",
            "address": "",
        }
    given = given_of(kind, analysis.choice)
    address = reverse(
        "analysis", args=[task.test_set.campaign.slug, task.pk, kind.name]
    )
    return {
        "analysis": analysis,
        "title": kind.title,
        "words": options_in_words(kind.every_option, given),
        "address": f"{address}?{question_query(given, analysis.watermark)}",
    }


def options_in_words(of: Sequence[Option], given: Mapping[str, Any]) -> str:
    """Return the values of these options in words."""
    options = {option.name: option for option in of}
    said = (
        f"{options[name].label} {_value(options[name], value)}"
        for name, value in given.items()
    )
    return semicolon_list(said)


def _value(option: Option, value: Any) -> str:
    if isinstance(value, bool):
        if value:
            return _("yes")
        return _("no")
    if isinstance(value, list | tuple):
        return comma_list(str(option.choices.get(each, each)) for each in value)
    return str(option.choices.get(value, value))


#: Number of pairs with a link, those outside the band first; users request others by name.
MOST_LINKED = 40


def pair_links(
    analysis: Analysis, task: Task, *, watermark: int | None
) -> list[tuple[str, str]]:
    """Return pairs of judges with the address of their comparison; empty for other kinds."""
    if analysis.kind != "judge_pairs" or analysis.data is None:
        return []
    given = given_of(ANALYSES[analysis.kind], analysis.choice)
    address = reverse(
        "analysis", args=[task.test_set.campaign.slug, task.pk, analysis.kind]
    )
    found = []
    for each in analysis.data["pairs"][:MOST_LINKED]:
        judge, other = each["pair"]["judges"]
        query = question_query({**given, "judge": judge, "other": other}, watermark)
        found.append((f"{judge} – {other}", f"{address}?{query}"))
    return found
