"""Ask how a campaign uses its references: designs, which say it, are kept by an app above this one."""

from typing import Final, cast

from django.dispatch import Signal

from campaign.models import Campaign

#: Sent with `campaign` and `shown`; each receiver returns sentences, as a list of str.
reference_use_asked: Final = Signal()


def reference_use_in_words(*, campaign: Campaign, shown: bool) -> list[str]:
    """Return what organisers should know of the campaign's references if judges are `shown` them.

    If shown, what judges would see and rank as well; empty if nothing. If hidden, what could be ranked as
    a hidden control and is not.
    """
    answers = reference_use_asked.send(sender=Campaign, campaign=campaign, shown=shown)
    return [sentence for _receiver, said in answers for sentence in cast("list[str]", said)]
