"""Filters of lists of texts."""

from typing import Final

import django_filters
from django.utils.translation import gettext_lazy

from campaign.models import BadReference
from campaign.pages.filters import DeskFilter

_NUMBER: Final = {"min_value": 1, "max_digits": 9, "decimal_places": 0}


class DocumentFilter(DeskFilter):
    """Filters of `documents_of`."""

    name = django_filters.CharFilter(
        lookup_expr="icontains", label=gettext_lazy("Name contains"), max_length=300
    )


class BadReferenceFilter(DeskFilter):
    """Filters of damaged references."""

    status = django_filters.ChoiceFilter(
        choices=BadReference.Status.choices, label=gettext_lazy("Status")
    )


class OutputFilter(DeskFilter):
    """Filters of `outputs_of`."""

    system = django_filters.CharFilter("system__name", label=gettext_lazy("System"), max_length=200)
    segment = django_filters.NumberFilter(
        "segment__number", label=gettext_lazy("Segment"), **_NUMBER
    )
    document = django_filters.CharFilter(
        "segment__document__name", label=gettext_lazy("Document"), max_length=300
    )
    text = django_filters.CharFilter(
        lookup_expr="icontains", label=gettext_lazy("Text contains"), max_length=300
    )
