"""Request form of an analysis: its fields are the options of its kind."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django import forms
from django.core.validators import ProhibitNullCharactersValidator
from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.models import Task
from campaign.pages.forms import WholeNumberField
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
from ranking.reports.analyses.options import AnyOption, OptionError, Words
from ranking.reports.analyses.registry import ANALYSES
from ranking.selectors.analyses import JudgmentsToChoose

#: Kinds of names entered in one field, separated by commas. Document names may contain commas.
_SEPARATOR = ","
#: Address parameter with the number of the last judgment. It is not an option, so it does not change the request.
WATERMARK = "watermark"
_LARGEST = 2**31 - 1
_JUDGMENT_OPTIONS = dict.fromkeys(option.name for option in JUDGMENT_OPTIONS).keys()

#: Values of options by name.
Options = Mapping[str, Any]


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
        if data is not None:
            data = completed_query(data, kind.every_option)
        super().__init__(data, auto_id=f"id_{kind.name}_%s")
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
        return self._fields_of(option.name for option in self.kind.options)

    @property
    def of_judgments(self) -> Iterator[forms.BoundField]:
        """The fields for selecting judgments."""
        return self._fields_of([*_JUDGMENT_OPTIONS, WATERMARK])

    def _fields_of(self, names: Iterable[str]) -> Iterator[forms.BoundField]:
        """Yield the fields that the form has, of these."""
        for name in names:
            if name in self.fields:
                yield self[name]

    @property
    def changed_options(self) -> Options:
        """The options of a valid form that differ from their defaults, for `analysis_choice`."""
        values = dict(self.cleaned_data)
        values.pop(WATERMARK, None)
        return non_default_options(self.kind, values)

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
            return question_query(self.changed_options, self.watermark)
        return ""

    @property
    def is_of_some(self) -> bool:
        """True if the form may select only some of the judgments."""
        if not self.is_bound or not self.is_valid():
            return self.is_bound
        if self.watermark is not None:
            return True
        return not _JUDGMENT_OPTIONS.isdisjoint(self.changed_options)

    def refuse(self, error: OptionError) -> None:
        """Show an error at its field; the form already shows an error without text."""
        if not self.is_bound:
            # An address without options requests the defaults.
            self.is_bound = True
            self.data = completed_query(QueryDict(), self.kind.every_option)
        if not str(error):
            return
        field = None
        if error.field in self.fields:
            field = error.field
        self.add_error(field, str(error))


def non_default_options(kind: AnalysisKind, values: Options) -> dict[str, Any]:
    """Return the given options that differ from their defaults."""
    options = _options_by_name(kind.every_option)
    changed = {}
    for name, value in values.items():
        option = options[name]
        if _is_default(option, value):
            continue
        if option.is_many:
            changed[name] = option.read(value)
        else:
            changed[name] = value
    return changed


def _options_by_name(options: Sequence[AnyOption]) -> dict[str, AnyOption]:
    return {option.name: option for option in options}


def _is_default(option: AnyOption, value: Any) -> bool:
    """Return whether a value is empty or the default."""
    default = option.default
    if isinstance(default, tuple):
        return not value or set(value) == set(default)
    return value in (None, "") or value == default


def question_query(options: Options, watermark: int | None) -> str:
    """Return options, and the number of the last judgment that counts, as a query string."""
    query = QueryDict(mutable=True)
    for name, value in options.items():
        query.setlist(name, _as_texts(value))
    if watermark is not None:
        query[WATERMARK] = str(watermark)
    return query.urlencode()


def _as_texts(value: Any) -> list[str]:
    """Return the values of an option as text."""
    if isinstance(value, list | tuple):
        return list(map(_as_text, value))
    return [_as_text(value)]


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


def _widget(option: AnyOption) -> forms.Widget:
    """Return the widget of an option."""
    choices = list(option.choices.items())
    if isinstance(option.default, bool):
        choices = [("yes", gettext_lazy("yes")), ("no", gettext_lazy("no"))]
    if option.is_many and choices:
        return forms.CheckboxSelectMultiple(choices=choices)
    if option.is_many:
        return _NamesInput()
    if choices:
        return forms.Select(choices=choices)
    if isinstance(option.default, str):
        return forms.TextInput()
    attrs: dict[str, float | str] = {}
    if math.isfinite(option.low):
        attrs["min"] = option.low
    if math.isfinite(option.high):
        attrs["max"] = option.high
    if not isinstance(option.default, int):
        attrs["step"] = "any"
    return forms.NumberInput(attrs=attrs)


class _OptionField(forms.Field):
    """The field of an option, parsed as in REST and commands; None if it is empty.

    In query strings, booleans are text, and several values are repeated parameters.
    """

    def __init__(self, option: AnyOption, widget: forms.Widget | None = None) -> None:
        self._option = option
        super().__init__(
            required=False,
            initial=option.default,
            widget=widget or _widget(option),
            label=str(option.label),
            help_text=str(option.help),
        )

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


def completed_query(data: QueryDict, options: Sequence[AnyOption]) -> QueryDict:
    """Return a query with the defaults of missing options."""
    completed = data.copy()
    for option in options:
        default = option.default
        if option.name not in completed and default not in ("", ()):
            completed.setlist(option.name, _as_texts(default))
    return completed


def _watermark_field() -> forms.Field:
    return WholeNumberField(
        label=_("Up to judgment number"),
        help_text=_("Leave empty to include all judgments so far."),
        required=False,
        min_value=1,
        max_value=_LARGEST,
    )


def _field(option: AnyOption, judgments: JudgmentsToChoose) -> forms.Field | None:
    """Return the field of an option; None if there is nothing to choose."""
    if option is REFERENCE and not judgments.has_reference:
        return None
    names_by_option = {
        GROUP.name: judgments.groups,
        DOCUMENTS.name: judgments.documents,
        DOMAINS.name: judgments.domains,
    }
    if option.name not in names_by_option:
        return _OptionField(option)
    names = names_by_option[option.name]
    if not names:
        return None
    choices: dict[str, Words] = {name: name for name in names}
    if option is GROUP:
        return _OptionField(replace(option, choices={"": _("All judges"), **choices}))
    widget = forms.SelectMultiple(
        attrs={"size": min(6, len(names))},
        choices=list(choices.items()),
    )
    return _OptionField(replace(option, choices=choices), widget)


@dataclass(frozen=True, slots=True)
class ListedAnalysis:
    """An analysis of a test set in the list: its title, its options, and the address of its answer."""

    analysis: Analysis
    title: Words
    words: str = ""
    address: str = ""


def listed_analysis(analysis: Analysis, task: Task) -> ListedAnalysis:
    """Return an analysis of a test set for the list."""
    kind = ANALYSES.get(analysis.kind)
    if kind is None:  # the kind existed in an earlier version
        return ListedAnalysis(analysis, analysis.kind)
    options = non_default_options(kind, analysis.choice)
    query = question_query(options, analysis.watermark)
    return ListedAnalysis(
        analysis=analysis,
        title=kind.title,
        words=options_in_words(kind.every_option, options),
        address=f"{_address(task, kind.name)}?{query}",
    )


def _address(task: Task, kind: str) -> str:
    return reverse("analysis", args=[task.test_set.campaign.slug, task.pk, kind])


def options_in_words(of: Sequence[AnyOption], values: Options) -> str:
    """Return the values of these options in words."""
    options = _options_by_name(of)
    phrases = []
    for name, value in values.items():
        option = options[name]
        phrases.append(f"{option.label} {_value(option, value)}")
    return semicolon_list(phrases)


def _value(option: AnyOption, value: Any) -> str:
    if isinstance(value, bool):
        if value:
            return _("yes")
        return _("no")
    if isinstance(value, list | tuple):
        labels = [str(option.choices.get(item, item)) for item in value]
        return comma_list(labels)
    return str(option.choices.get(value, value))


#: Number of pairs with a link, those outside the band first; users request others by name.
MOST_LINKED = 40


def pair_links(
    analysis: Analysis,
    task: Task,
    *,
    watermark: int | None,
) -> list[tuple[str, str]]:
    """Return pairs of judges with the address of their comparison; empty for other kinds."""
    if analysis.kind != "judge_pairs" or analysis.data is None:
        return []
    options = non_default_options(ANALYSES[analysis.kind], analysis.choice)
    address = _address(task, analysis.kind)
    links = []
    for row in analysis.data["pairs"][:MOST_LINKED]:
        judge, other = row["pair"]["judges"]
        query = question_query(options | {"judge": judge, "other": other}, watermark)
        links.append((f"{judge} – {other}", f"{address}?{query}"))
    return links
