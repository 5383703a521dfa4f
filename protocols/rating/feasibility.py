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
        "At least %(count)s judge is needed (systems: %(systems)s, segments: %(segments)s, ratings per text: %(raters)s).",
        "At least %(count)s judges are needed (systems: %(systems)s, segments: %(segments)s, ratings per text: %(raters)s).",
        feasibility.needed_judges,
        systems=feasibility.systems,
        segments=feasibility.segments,
        raters=feasibility.raters,
    )
    if feasibility.passes_by_others > 1:
        yield _(
            "Criteria are rated by different judges, so %(count)s times as many are needed.",
        ) % all_in_figures(count=feasibility.passes_by_others)
    if feasibility.is_feasible and feasibility.passes_by_others > 1:
        yield _(
            "Texts per judge on one criterion: %(items)s, or one more (judges: %(judges)s).",
        ) % all_in_figures(judges=feasibility.judges, items=ratings_per_judge)
    elif feasibility.is_feasible:
        yield _(
            "Texts per judge in each pass: %(items)s, or one more (judges: %(judges)s).",
        ) % all_in_figures(judges=feasibility.judges, items=ratings_per_judge)
    elif feasibility.needed_items_per_judge is None:
        yield _(
            "Different judges needed per segment, because no judge may see a segment twice: %(needed)s. Available: %(judges)s.",
        ) % all_in_figures(
            needed=feasibility.judges_of_a_segment,
            judges=feasibility.judges,
        )
    else:
        yield _(
            "Texts per judge: %(needed)s needed, at most %(items)s allowed (judges: %(judges)s).",
        ) % all_in_figures(
            judges=feasibility.judges,
            needed=feasibility.needed_items_per_judge,
            items=feasibility.items_per_judge,
        )
