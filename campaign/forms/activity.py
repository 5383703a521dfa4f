"""Filter form of the activity log."""

from typing import Any, cast

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.database.recording import recorded_models
from campaign.models import Campaign
from campaign.selectors.activity import (
    COMMANDS,
    DATABASE,
    JUDGES,
    NOBODY,
    USER_PREFIX,
    WORKER,
    activity_people,
)

_DAY = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
_FORMATS = ["%Y-%m-%d"]


class ActivityFilterForm(forms.Form):
    """Optional arguments of `activity_events`."""

    person = forms.ChoiceField(label=gettext_lazy("User"), required=False)
    kind = forms.ChoiceField(label=gettext_lazy("Object"), required=False)
    thing = forms.CharField(label=gettext_lazy("Name contains"), required=False, max_length=200)
    first = forms.DateField(
        label=gettext_lazy("From"), required=False, widget=_DAY, input_formats=_FORMATS
    )
    last = forms.DateField(
        label=gettext_lazy("Until"), required=False, widget=_DAY, input_formats=_FORMATS
    )

    def __init__(self, data: Any, *, campaign: Campaign) -> None:
        super().__init__(data)
        people = [
            (f"{USER_PREFIX}{user.pk}", user.name) for user in activity_people(campaign=campaign)
        ]
        self._choose(
            "person",
            [
                ("", _("All")),
                *people,
                (JUDGES, _("Judges")),
                (NOBODY, _("Not signed in")),
                (COMMANDS, _("Commands")),
                (WORKER, _("Rules and worker")),
                (DATABASE, _("Manual SQL")),
            ],
        )
        kinds = [
            (model._meta.label_lower, str(model._meta.verbose_name)) for model in recorded_models()
        ]
        self._choose("kind", [("", _("All")), *sorted(kinds, key=lambda kind: kind[1])])

    def _choose(self, name: str, choices: list[tuple[str, str]]) -> None:
        cast("forms.ChoiceField", self.fields[name]).choices = choices

    def clean(self) -> None:
        first, last = self.cleaned_data.get("first"), self.cleaned_data.get("last")
        if first and last and last < first:
            self.add_error("last", _("The end date is before the start date."))
