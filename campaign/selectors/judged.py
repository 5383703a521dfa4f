"""Ask whether a test set has judgments, which an app above this one keeps, and say what that settles."""

from typing import Final

from django.dispatch import Signal
from django.utils.translation import gettext as _

from campaign.models import Campaign, TestSet
from campaign.texts.languages import language_name

#: Sent with `test_set`; each receiver returns whether it knows of judgments of it, as a bool.
judgments_asked: Final = Signal()


def has_judgments(*, test_set: TestSet) -> bool:
    """Return whether anybody has judged a block of the test set."""
    return any(said for _receiver, said in judgments_asked.send(sender=TestSet, test_set=test_set))


def is_judged(*, campaign: Campaign) -> bool:
    """Return whether anybody has judged a block of the campaign. Two queries a test set at most."""
    return any(has_judgments(test_set=test_set) for test_set in campaign.test_sets.all())


def languages_settled_in_words(*, test_set: TestSet) -> str:
    """Return why the languages of a test set can no longer be corrected; empty as long as they can."""
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
