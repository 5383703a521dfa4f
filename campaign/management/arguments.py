"""What the commands of this app read from their command line, refused in words."""

import argparse

from django.core.management.base import CommandError

from campaign.models import TestSet


def share_argument(text: str) -> float:
    """A share above 0 and up to 1."""
    try:
        share = float(text)
    except ValueError:
        share = 0.0
    if not 0 < share <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a share above 0 and up to 1")
    return share


def test_set_named(*, campaign: str, name: str) -> TestSet:
    """The test set of a campaign, or a CommandError that says which ones there are."""
    test_sets = TestSet.objects.filter(campaign__slug=campaign)
    test_set = test_sets.filter(name=name).first()
    if test_set is None:
        names = ", ".join(f'"{row.name}"' for row in test_sets.order_by("name")) or "none"
        raise CommandError(
            f'The campaign "{campaign}" has no test set "{name}". Its test sets: {names}.'
        )
    return test_set
