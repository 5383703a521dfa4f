"""What organisers fill in to change the rules of a campaign."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from campaign.models import Campaign
from campaign.services import ReferenceRankedError, RulesRefusedError, campaign_change
from campaign.services.rules import MAX_BLOCKS, MAX_LEASE_MINUTES, MAX_TERM


class SettingsForm(forms.Form):
    """The rules of a campaign. Each help text says what a change does to judges at work."""

    show_source = forms.BooleanField(
        label=_("Show the source"),
        help_text=_(
            "If hidden, the source and its context are not sent to judges. Sentences that a"
            " judge has already loaded (at most two HITs) stay as they are."
        ),
        required=False,
    )
    show_reference = forms.BooleanField(
        label=_("Show the reference"),
        help_text=_(
            "The same applies to the reference. Judges need at least one of the two to "
            "compare with. A reference that judges see is not ranked, unless you ask for that; a "
            "hidden one may be, as a control."
        ),
        required=False,
    )
    allow_partial_ranking = forms.BooleanField(
        label=_("Allow partial ranking"),
        help_text=_(
            "Judges may leave outputs unranked, but must rank at least two. Unranked "
            "outputs are left out of the comparison. If you switch this off, partial "
            "rankings that have not been received yet return to the judge to be completed; "
            "earlier judgments stay."
        ),
        required=False,
    )
    tour = forms.BooleanField(
        label=_("Tour for new judges"),
        help_text=_(
            "Two minutes on practice sentences, before the first HIT. Judges who have "
            "already started are not sent there, but find it in their menu."
        ),
        required=False,
    )
    blocks_per_judge = forms.IntegerField(
        label=_("Blocks asked of a judge"),
        help_text=_(
            "Empty: no limit. Judges stop after this many (they may finish the HIT in "
            "hand); if you raise the number, they can continue."
        ),
        min_value=1,
        max_value=MAX_BLOCKS,
        required=False,
    )
    lease_minutes = forms.IntegerField(
        label=_("Minutes a HIT is lent for"),
        help_text=_(
            "After that it may go to another judge. HITs already lent keep their time; late"
            " judgments are kept in any case."
        ),
        min_value=1,
        max_value=MAX_LEASE_MINUTES,
    )
    pay = forms.CharField(
        label=_("Pay"),
        help_text=_(
            "Optional, in your words: “€15 an hour of active time”, “voluntary”. Judges read it before "
            "they begin; their measured time is shown to them."
        ),
        max_length=MAX_TERM,
        required=False,
    )
    duration = forms.CharField(
        label=_("Duration"),
        help_text=_("Optional, in your words: “about 40 minutes, whenever you like until 1 May”."),
        max_length=MAX_TERM,
        required=False,
    )
    contact = forms.CharField(
        label=_("Contact"),
        help_text=_("Optional: whom judges may ask. An e-mail address becomes a link."),
        max_length=MAX_TERM,
        required=False,
    )

    def __init__(self, data: Mapping[str, Any] | None = None, *, campaign: Campaign) -> None:
        self.campaign = campaign
        super().__init__(data, initial={name: getattr(campaign, name) for name in self.base_fields})

    def save(self, *, rank_shown_reference: bool = False) -> bool:
        """Change what was changed here and nothing else; False, with an error, if refused.

        Raises `ReferenceRankedError` where `rank_shown_reference` has to be asked for.
        """
        changes: Any = {name: self.cleaned_data[name] for name in self.changed_data}
        try:
            campaign_change(
                campaign=self.campaign, rank_shown_reference=rank_shown_reference, **changes
            )
        except ReferenceRankedError:
            raise
        except RulesRefusedError as error:
            self.add_error(error.field, str(error))
            return False
        return True
