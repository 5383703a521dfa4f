"""Signals that ask other apps about judgments, references and dependent objects of a campaign."""

from typing import Final, cast

from django.dispatch import Signal
from django.utils.translation import gettext as _

from campaign.models import Campaign, TestSet
from campaign.texts.languages import language_name

#: Sent with `test_set`; each receiver returns True if it has judgments of the test set.
judgments_asked: Final = Signal()


def has_judgments(*, test_set: TestSet) -> bool:
    """Return True if a block of the test set has been judged."""
    return any(said for _receiver, said in judgments_asked.send(sender=TestSet, test_set=test_set))


def is_judged(*, campaign: Campaign) -> bool:
    """Return True if a block of the campaign has been judged. At most two queries per test set."""
    return any(has_judgments(test_set=test_set) for test_set in campaign.test_sets.all())


def languages_settled_in_words(*, test_set: TestSet) -> str:
    """Return the reason why the languages of a test set can no longer be corrected; empty if they can."""
    if not has_judgments(test_set=test_set):
        return ""
    return _(
        "“%(name)s” has been judged (%(source)s to %(target)s), so its languages cannot be changed. Import "
        "the texts as a new test set with the correct languages."
    ) % {
        "name": test_set.name,
        "source": language_name(test_set.source_language),
        "target": language_name(test_set.target_language),
    }


#: Sent with `campaign`; each receiver returns sentences, a list of str.
deletion_asked: Final = Signal()


def goes_with(campaign: Campaign) -> list[str]:
    """Return the other data deleted permanently with a campaign, in words."""
    answers = deletion_asked.send(sender=Campaign, campaign=campaign)
    return [str(sentence) for _receiver, said in answers for sentence in said or ()]


#: Sent with `campaign` and `shown`; each receiver returns sentences, as a list of str.
reference_use_asked: Final = Signal()


def reference_use_in_words(*, campaign: Campaign, shown: bool) -> list[str]:
    """Return notes for organisers on the campaign's references, in case they are `shown` to judges or hidden.

    If shown, the notes name references that judges would also rank; if hidden, those that could be ranked as a
    hidden control but are not.
    """
    answers = reference_use_asked.send(sender=Campaign, campaign=campaign, shown=shown)
    return [sentence for _receiver, said in answers for sentence in cast("list[str]", said)]
