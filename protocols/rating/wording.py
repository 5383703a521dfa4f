"""Words for criteria, rules, feasibility, and intervals."""

from __future__ import annotations

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from protocols.rating.feasibility import Feasibility
from protocols.rating.statistics.means import MeanRatings
from protocols.rating.statistics.outliers import Rule
from protocols.rating.statistics.ratings import Criterion
from ranking.core.ranges.sign_tests import Correction
from ranking.wording.not_yet import shortages_in_words
from ranking.wording.numbers import percent_in_figures


def criterion_in_words(criterion: Criterion) -> str:
    """Return "Fluency" or "Adequacy"."""
    return {Criterion.FLUENCY: _("Fluency"), Criterion.ADEQUACY: _("Adequacy")}[criterion]


def rule_in_words(rule: Rule) -> str:
    """Return the name that Hamon et al. (2007) give a rule."""
    return {
        Rule.MEAN_SCORE: _("mean score"),
        Rule.MEAN_AGREEMENT: _("mean agreement"),
        Rule.EASY_ITEMS: _("easy sentences"),
    }[rule]


def feasibility_in_words(
    found: Feasibility,
    *,
    systems: int,
    segments: int,
    raters: int,
    items_per_judge: int,
    is_adequacy_by_others: bool = False,
) -> list[str]:
    """Say whether a campaign of ratings can be done, and what it needs; `systems` is of distinct texts."""
    needs = ngettext(
        "%(systems)s systems, %(segments)s segments and %(raters)s ratings of each text need at least %(count)s judge.",
        "%(systems)s systems, %(segments)s segments and %(raters)s ratings of each text need at least %(count)s judges.",
        found.needed_judges,
    ) % {
        "systems": number_format(systems),
        "segments": number_format(segments),
        "raters": number_format(raters),
        "count": number_format(found.needed_judges),
    }
    said = [needs]
    if is_adequacy_by_others:
        said.append(
            _(
                "Adequacy is rated by other judges than fluency, which takes twice as many as if both were rated by the same."
            )
        )
    if found.is_feasible and is_adequacy_by_others:
        said.append(
            _("%(judges)s judges rate %(items)s texts each, or one more, each by one of the two.")
            % {
                "judges": number_format(found.judges),
                "items": number_format(found.ratings // max(1, found.judges)),
            }
        )
    elif found.is_feasible:
        said.append(
            _(
                "%(judges)s judges rate %(items)s texts each, or one more, first all for fluency and "
                "then all for adequacy."
            )
            % {
                "judges": number_format(found.judges),
                "items": number_format(found.ratings // max(1, found.judges)),
            }
        )
    elif found.needed_items_per_judge is None:
        said.append(
            _(
                "Nobody may meet a segment twice, so each segment needs %(needed)s different judges; there are %(judges)s."
            )
            % {
                "needed": number_format(found.judges_of_a_segment),
                "judges": number_format(found.judges),
            }
        )
    else:
        said.append(
            _(
                "%(judges)s judges would have to rate %(needed)s texts each; at most %(items)s are allowed."
            )
            % {
                "judges": number_format(found.judges),
                "needed": number_format(found.needed_items_per_judge),
                "items": number_format(items_per_judge),
            }
        )
    return said


def ranges_in_words(found: MeanRatings) -> list[str]:
    """Say what the intervals and the rank ranges of mean ratings are, and what they do not account for."""
    shortages = {row.system: row.shortage for row in found.systems if row.shortage}
    said = shortages_in_words(shortages, len(found.systems))
    if len(shortages) == len(found.systems):
        return said
    said.append(
        _("From and To: Student’s t over segments and judges, confidence %(confidence)s %%.")
        % {"confidence": percent_in_figures(found.confidence)}
    )
    if found.correction is Correction.HOLM:
        said.append(_("Ranks: confidence sets that hold all together."))
    else:
        said.append(_("Ranks: confidence sets, each of which holds by itself."))
    unsure = [
        row.system for row in found.systems if row.standard_error is None and row.shortage is None
    ]
    if unsure:
        said.append(
            _(
                "Warning: ratings too few or all alike, so nothing tells how far the mean may be off: %(systems)s."
            )
            % {"systems": ", ".join(unsure)}
        )
    return said
