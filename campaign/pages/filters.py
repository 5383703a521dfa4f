"""Filters of lists, from the query of an address."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import django_filters
from django import forms
from django.db.models import Q, QuerySet
from django.http import HttpRequest, QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.models import BadReference
from campaign.pages.forms import DAY, DayInput
from campaign.texts.booleans import boolean_of

#: Values of a `YesNoFilter` on pages.
YES: Final = "yes"
NO: Final = "no"
_YES_NAME: Final = gettext_lazy("yes")
_NO_NAME: Final = gettext_lazy("no")


class DeskFilter(django_filters.FilterSet):  # type: ignore[misc]  # untyped
    """Filters in the address. An invalid value shows an error beside its field and an empty list.

    Attributes
    ----------
    address : str
        The page's own address, for POST requests to other addresses that show the page.
    keeps : sequence of str
        Parameters of the address that are kept when the filter changes.
    """

    address: str = ""
    keeps: Sequence[str] = ("sort",)

    @classmethod
    def of(
        cls,
        request: HttpRequest,
        queryset: QuerySet[Any, Any],
        *,
        address: str = "",
        keeps: Sequence[str] = keeps,
        **options: Any,
    ) -> "DeskFilter":
        """Return the filter that a request asks for."""
        desk_filter = cls(
            data=request.GET,
            queryset=queryset,
            request=request,
            **options,
        )
        desk_filter.address = address or request.path
        desk_filter.keeps = keeps
        return desk_filter

    @property
    def kept_parameters(self) -> Iterator[tuple[str, str]]:
        """Parameters of the address that are kept."""
        for name in self.keeps:
            if value := self.data.get(name):
                yield name, value

    @property
    def all_of_it(self) -> str:
        """The address without the filter."""
        others = QueryDict(mutable=True)
        others.update(dict(self.kept_parameters))
        if others:
            return f"{self.address}?{others.urlencode()}"
        return self.address

    @property
    def rows(self) -> QuerySet[Any, Any]:
        """The rows that match; none if the address is invalid."""
        if self.form.is_valid():
            rows: QuerySet[Any, Any] = self.filter_queryset(self.queryset)
            return rows
        nothing: QuerySet[Any, Any] = self.queryset.none()
        return nothing

    @property
    def status(self) -> int:
        """Status of the response: 400 if the address is invalid."""
        if self.form.is_valid():
            return 200
        return 400

    @property
    def is_used(self) -> bool:
        """True if any filter is set."""
        return any(
            self.data.get(self.form.add_prefix(name)) for name in self.form.fields
        )


class JudgesFilter(DeskFilter):
    """Filters of judges by name or address (`reached_at`)."""

    name = django_filters.CharFilter(
        label=gettext_lazy("Name or address contains"),
        max_length=100,
        method="of_name",
    )

    def of_name(
        self,
        queryset: QuerySet[Any, Any],
        name: str,
        value: str,
    ) -> QuerySet[Any, Any]:
        del name
        return queryset.filter(
            Q(pseudonym__icontains=value)
            | Q(reached_at__icontains=value)
            | Q(user__name__icontains=value),
        )


class DayFilter(django_filters.DateFilter):  # type: ignore[misc]
    """Filter by a day, chosen from a calendar."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(
            *arguments,
            widget=DayInput(),
            input_formats=[DAY],
            **options,
        )


class _YesNoSelect(forms.Select):
    """A choice of yes and no; addresses may name it as REST names booleans."""

    def value_from_datadict(self, data: Any, files: Any, name: str) -> Any:
        text = super().value_from_datadict(data, files, name)
        is_true = boolean_of(text or "")
        if is_true is None:
            return text
        return YES if is_true else NO


class YesNoFilter(django_filters.ChoiceFilter):  # type: ignore[misc]
    """Filter by yes or no: a choice on pages, a boolean in REST."""

    def __init__(
        self,
        *,
        label: str | Promise,
        method: Callable[..., Any] | str,
        yes: str | Promise = _YES_NAME,
        no: str | Promise = _NO_NAME,
    ) -> None:
        super().__init__(
            label=label,
            choices=[(YES, yes), (NO, no)],
            empty_label=gettext_lazy("All"),
            method=method,
            widget=_YesNoSelect,
        )


class DaysForm(forms.Form):
    """Form of filters by the days from `first` to `last`, both included and optional."""

    def clean(self) -> None:
        first = self.cleaned_data.get("first")
        last = self.cleaned_data.get("last")
        if first and last and last < first:
            self.add_error("last", _("The last day is before the first day."))


_NUMBER: Final = {"min_value": 1, "max_digits": 9, "decimal_places": 0}


class DocumentFilter(DeskFilter):
    """Filters of `documents_of`."""

    name = django_filters.CharFilter(
        lookup_expr="icontains",
        label=gettext_lazy("Name contains"),
        max_length=300,
    )


class BadReferenceFilter(DeskFilter):
    """Filters of damaged references."""

    status = django_filters.ChoiceFilter(
        choices=BadReference.Status.choices,
        label=gettext_lazy("Status"),
    )


class OutputFilter(DeskFilter):
    """Filters of `outputs_of`."""

    system = django_filters.CharFilter(
        "system__name",
        label=gettext_lazy("System"),
        max_length=200,
    )
    segment = django_filters.NumberFilter(
        "segment__number",
        label=gettext_lazy("Segment"),
        **_NUMBER,
    )
    document = django_filters.CharFilter(
        "segment__document__name",
        label=gettext_lazy("Document"),
        max_length=300,
    )
    text = django_filters.CharFilter(
        lookup_expr="icontains",
        label=gettext_lazy("Text contains"),
        max_length=300,
    )
