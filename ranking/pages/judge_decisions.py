"""Forms of decisions about judges."""

import re
from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Any, Final

from django import forms
from django.utils.translation import gettext_lazy

from annotation.models import QualityActionKind
from annotation.models.quality import DECISIONS_ON_JUDGES
from annotation.services.quality import MESSAGE_LENGTH, NOTE_LENGTH, REINSTATE
from campaign.models import Judge, Task
from campaign.texts.joining import comma_list
from campaign.texts.lines import LinesTextarea
from ranking.models import Analysis
from ranking.selectors.judges import judges_by_pseudonym

_ID: Final = re.compile("[0-9]{1,18}")


#: Organisers' decisions about judges.
DECISIONS = [*DECISIONS_ON_JUDGES, (REINSTATE, gettext_lazy("Reinstated"))]


class ActionForm(forms.Form):
    """An organiser's decision about a judge."""

    action = forms.ChoiceField(choices=DECISIONS)
    note = forms.CharField(required=False, max_length=NOTE_LENGTH, widget=LinesTextarea)
    text = forms.CharField(
        required=False,
        max_length=MESSAGE_LENGTH,
        widget=LinesTextarea,
    )

    @property
    def written(self) -> dict[str, str]:
        """The fields of a valid form, for hidden inputs."""
        return {name: self.cleaned_data[name] for name in ("action", "note", "text")}

    def clean(self) -> dict[str, Any]:
        """Require a text for a message, and drop it for other actions."""
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("action") != QualityActionKind.MESSAGE:
            cleaned["text"] = ""
        elif not cleaned.get("text"):
            self.add_error("text", gettext_lazy("Enter a message."))
        return cleaned


class JudgesActionForm(ActionForm):
    """A decision about several judges of a campaign, possibly from an analysis of a test set."""

    judge = forms.ModelMultipleChoiceField(
        queryset=Judge.objects.none(),
        to_field_name="pseudonym",
        required=False,
        error_messages={"invalid_choice": gettext_lazy("Judge not found: %(value)s.")},
    )
    others = forms.CharField(required=False, max_length=100_000)
    #: IDs separated by commas, submitted by the confirmation, because pseudonyms may contain commas.
    chosen = forms.CharField(required=False, max_length=200_000)
    analysis = forms.ModelChoiceField(queryset=Analysis.objects.none(), required=False)

    def __init__(self, *args: Any, task: Task, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._campaign_id = task.test_set.campaign_id
        self._named: list[Judge] = []
        judges = Judge.objects.filter(campaign=task.test_set.campaign_id)
        self._of_campaign = judges.select_related("user")
        self.fields["judge"].queryset = self._of_campaign  # type: ignore[attr-defined]
        analyses = Analysis.objects.of(task.pk).finished()
        self.fields["analysis"].queryset = analyses  # type: ignore[attr-defined]

    def clean_others(self) -> list[Judge]:
        """Return the judges with these pseudonyms, separated by commas or line breaks."""
        names = self.cleaned_data["others"].replace("\n", ",").split(",")
        pseudonyms = set(map(str.strip, names)) - {""}
        judges, unknown = judges_by_pseudonym(self._campaign_id, pseudonyms)
        self._named = judges
        if unknown:
            raise _unknown_judges_error(unknown)
        return judges

    def clean_chosen(self) -> list[Judge]:
        """Return the judges with these IDs."""
        ids = set(self.cleaned_data["chosen"].split(",")) - {""}
        # Numbers of nineteen digits may exceed the range of IDs.
        keys = set(filter(_ID.fullmatch, ids))
        judges = list(self._of_campaign.filter(pk__in=keys))
        unknown = ids - {str(judge.pk) for judge in judges}
        if unknown:
            raise _unknown_judges_error(sorted(unknown))
        return judges

    def clean(self) -> dict[str, Any]:
        """Require at least one judge."""
        cleaned = super().clean()
        if not self.errors and not self.judges:
            self.add_error("judge", gettext_lazy("Select at least one judge."))
        return cleaned

    @property
    def judges(self) -> list[Judge]:
        """The selected judges, by pseudonym."""
        judges: set[Judge] = set()
        for name in ("judge", "others", "chosen"):
            judges.update(self.cleaned_data.get(name, ()))
        return _sort_by_pseudonym(judges)

    @property
    def selected(self) -> list[Judge]:
        """The judges selected so far in an invalid form, by pseudonym."""
        selected, _unknown = judges_by_pseudonym(self._campaign_id, self["judge"].data)
        return _sort_by_pseudonym({*selected, *self._named, *self.judges})


def _sort_by_pseudonym(judges: Iterable[Judge]) -> list[Judge]:
    return sorted(judges, key=attrgetter("pseudonym"))


def _unknown_judges_error(names: Sequence[str]) -> forms.ValidationError:
    return forms.ValidationError(
        gettext_lazy("Judge not found: %(value)s."),
        params={"value": comma_list(names)},
    )


class NoteForm(forms.Form):
    """The reason why an action is reverted."""

    note = forms.CharField(required=False, max_length=NOTE_LENGTH)
