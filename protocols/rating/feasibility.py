"""Feasibility of assigning texts to judges, in words."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from campaign.texts.counted import counted
from protocols.frame.scale.statistics.feasibility import Feasibility
from ranking.reports.wording.numbers import all_in_figures


def feasibility_in_words(feasibility: Feasibility) -> Iterator[str]:
    """Describe the feasibility and requirements of a rating campaign."""
    ratings_per_judge = feasibility.ratings // max(1, feasibility.judges)
    yield counted(
        "%(systems)s systems, %(segments)s segments and %(raters)s ratings per text need at least %(count)s judge.",
        "%(systems)s systems, %(segments)s segments and %(raters)s ratings per text need at least %(count)s judges.",
        feasibility.needed_judges,
        systems=feasibility.systems,
        segments=feasibility.segments,
        raters=feasibility.raters,
    )
    if feasibility.passes_by_others > 1:
        yield _(
            "Criteria are rated by different judges, so %(count)s times as many are needed."
        ) % all_in_figures(count=feasibility.passes_by_others)
    if feasibility.is_feasible and feasibility.passes_by_others > 1:
        yield _(
            "%(judges)s judges rate %(items)s texts each (or one more) on one criterion."
        ) % all_in_figures(judges=feasibility.judges, items=ratings_per_judge)
    elif feasibility.is_feasible:
        yield _(
            "%(judges)s judges rate %(items)s texts each, or one more, in each pass."
        ) % all_in_figures(judges=feasibility.judges, items=ratings_per_judge)
    elif feasibility.needed_items_per_judge is None:
        yield _(
            "Each segment needs %(needed)s different judges, because no judge may see a segment twice; available: %(judges)s."
        ) % all_in_figures(
            needed=feasibility.judges_of_a_segment, judges=feasibility.judges
        )
    else:
        yield _(
            "%(judges)s judges would have to rate %(needed)s texts each; the maximum is %(items)s."
        ) % all_in_figures(
            judges=feasibility.judges,
            needed=feasibility.needed_items_per_judge,
            items=feasibility.items_per_judge,
        )
