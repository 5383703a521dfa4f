"""Build the design of a test set before anybody has chosen one."""

from annotation.models import Design
from annotation.selectors.reference_use import is_reference_shown
from campaign.models import Campaign, TestSet


def design_unless_chosen(*, test_set: TestSet, campaign: Campaign, seed: int) -> Design:
    """Return the design of a test set for which none was chosen, not saved.

    It draws the reference like a system, unless judges see it: then never.
    """
    return Design(
        test_set=test_set,
        seed=seed,
        reference_rate=0.0 if is_reference_shown(test_set=test_set, campaign=campaign) else None,
    )
