"""What organisers say of a new task."""

from typing import Any

from django import forms
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from campaign.models import Campaign, Protocol, Task, TestSet, User
from campaign.pages.protocol_words import protocol_in_words
from campaign.services import TaskRefusedError, task_create
from campaign.services.rules import MAX_BLOCKS


class TaskForm(forms.Form):
    """A test set, a protocol that it is not judged by yet, and how much is wanted."""

    test_set = forms.ModelChoiceField(
        TestSet.objects.none(), label=capfirst(_("test set")), empty_label=None
    )
    protocol = forms.ChoiceField(label=capfirst(_("protocol")), widget=forms.RadioSelect)
    blocks_wanted = forms.IntegerField(
        label=capfirst(_("blocks wanted")),
        help_text=_("What progress is measured against; no more are planned than that."),
        min_value=1,
        max_value=MAX_BLOCKS,
        required=False,
    )

    def __init__(
        self, data: Any = None, *, campaign: Campaign, test_set: int | None = None
    ) -> None:
        super().__init__(data, initial={"test_set": test_set})
        rows = list(campaign.test_sets.order_by("created_at", "pk").prefetch_related("tasks"))
        left = [row for row in rows if len(row.tasks.all()) < len(Protocol)]
        offered = {each for row in left for each in _left(row)}
        sets = self.fields["test_set"]
        protocols = self.fields["protocol"]
        sets.queryset = campaign.test_sets.filter(pk__in=[row.pk for row in left]).order_by(  # type: ignore[attr-defined]
            "created_at", "pk"
        )
        protocols.choices = [  # type: ignore[attr-defined]
            (each.value, protocol_in_words(each)) for each in Protocol if each in offered
        ]
        #: Whether every test set has a task of every protocol.
        self.is_over = not left

    def save(self, *, by: User) -> Task | None:
        """Make the task; None, with an error, if refused."""
        try:
            return task_create(by=by, **self.cleaned_data)
        except TaskRefusedError as error:
            self.add_error(error.field if error.field in self.fields else None, str(error))
            return None


def _left(test_set: TestSet) -> set[Protocol]:
    return set(Protocol) - {Protocol(each.protocol) for each in test_set.tasks.all()}
