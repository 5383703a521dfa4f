"""Table and sentences of a prediction-powered ranking, from the data of its analysis or of a published result."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from campaign.texts.joining import comma_list
from ranking.reports.correlations import interval_columns
from ranking.reports.tables import Column, Table, interval_plot
from ranking.wording.numbers import decimals, p_in_words, percent
from ranking.wording.ranges import limit_in_words

Data = Mapping[str, Any]

#: p-value below which the judged segments do not look like a random sample.
_LEVEL: Final = 0.05


def predicted_table(
    data: Data, rows: Sequence[Data], *, scores_of_people: Sequence[Column] = ()
) -> Table:
    """Return the completed ranking beside the one by people alone.

    Parameters
    ----------
    data : mapping
        With `metric` and `confidence`.
    rows : sequence of mapping
        Systems with `score`, `rank`, `rank_low`, `rank_high` and `cluster`, and the ranks by people alone.
    scores_of_people : sequence of Column
        Columns of the scores by people alone.
    """
    return Table.of(
        rows,
        name="systems",
        title=_("Ranking completed by %(metric)s") % {"metric": data["metric"]},
        columns=(
            Column("rank", _("Rank")),
            Column("system", _("System"), is_text=True, names="system"),
            *interval_columns("score", _("Score"), data["confidence"]),
            Column("rank_low", _("Rank from")),
            Column("rank_high", _("To")),
            Column("cluster", _("Cluster")),
            *scores_of_people,
            Column("people_rank", _("Human rank")),
            Column("people_rank_low", _("Rank from")),
            Column("people_rank_high", _("To")),
        ),
        plot=interval_plot("system", "score", "score_"),
    )


def predicted_notes(data: Data, counts: Mapping[str, Any]) -> list[str]:
    """Return what the metric saved, the assumption with its check, omitted systems, and limits of ranges.

    Parameters
    ----------
    data : mapping
        Plain values.
    counts : mapping
        Numbers of units for `limit_in_words`.
    """
    words = _(
        "People judged %(judged)s of the %(segments)s segments that %(metric)s scores. It has the weight %(weight)s and saves %(saved)s of the human judgments."
    )
    numbers = {
        "judged": number_format(data["judged"]),
        "segments": number_format(data["segments"]),
        "metric": data["metric"],
        "weight": decimals(data["weight"], 3),
        "saved": percent(round(data["judgments_saved"]["value"], 3)),
    }
    notes = [
        words % numbers,
        _("This assumes that the judged segments are a random sample of these segments."),
    ]
    p = data["sample_p"]
    if p is not None:
        if p < _LEVEL:
            words = _("The metric’s scores contradict this (%(p)s): do not use this ranking.")
        else:
            words = _("The metric’s scores do not contradict this (%(p)s).")
        notes.append(words % {"p": p_in_words(p)})
    if data["left_out"]:
        notes.append(_("Left out: %(systems)s.") % {"systems": comma_list(data["left_out"])})
    limits = [limit_in_words(limit, counts, ranges="percentile") for limit in data["limits"]]
    return notes + limits
