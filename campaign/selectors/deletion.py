"""Ask what else goes with a campaign that is deleted: what apps above this one keep of it."""

from typing import Final

from django.dispatch import Signal

from campaign.models import Campaign

#: Sent with `campaign`; each receiver returns sentences, a list of str.
deletion_asked: Final = Signal()


def goes_with(campaign: Campaign) -> list[str]:
    """Return what else is lost for good with a campaign, in words."""
    answers = deletion_asked.send(sender=Campaign, campaign=campaign)
    return [str(sentence) for _receiver, said in answers for sentence in said or ()]
