"""Sentences about a prediction-powered ranking, from the data of its analysis or of a published result."""

from typing import Final

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from campaign.texts.joining import comma_list
from ranking.core.metrics.prediction_powered import FEWEST_SEGMENTS
from ranking.reports.metric_agreement import machine_name
from ranking.reports.wording.numbers import decimals, p_in_words, percent
from ranking.reports.wording.published_content import PredictedData
from ranking.reports.wording.ranges import UnitCounts, limit_in_words

#: p-value below which the judged segments do not look like a random sample.
_LEVEL: Final = 0.05


def completing_label(name: str, *, is_machine: bool | None) -> str:
    """Return the name of what completes a ranking with its kind; only the name if the kind is unknown."""
    if is_machine is None:
        return name
    if is_machine:
        return machine_name(name)
    return _("%(name)s (metric)") % {"name": name}


def completed_by(data: PredictedData) -> str:
    """Return the title of the ranking."""
    label = completing_label(data["metric"], is_machine=data.get("is_machine"))
    return _("Ranking completed by %(metric)s") % {"metric": label}


def sample_doubt(data: PredictedData) -> str:
    """Return why the judged segments are no random sample, by the design or by the scores; empty if nothing says so."""
    # With all segments judged, their order does not matter.
    if data["is_drawn_at_random"] is False and data["judged"] < data["segments"]:
        return _(
            "Do not use this ranking: a design takes segments in order, or only some of them.",
        )
    p = data["sample_p"]
    if p is not None and p < _LEVEL:
        message = _(
            "Do not use this ranking: scores by %(metric)s contradict this (%(p)s).",
        )
        return message % {"metric": data["metric"], "p": p_in_words(p)}
    return ""


def _why_nothing_saved(data: PredictedData) -> str:
    """Return why a metric cannot save judgments; empty if it may."""
    if data["weight"]:
        return ""
    if data["judged"] == data["segments"]:
        message = _(
            "%(metric)s scores only segments that people judged, so it cannot save judgments. This is the ranking by people alone.",
        )
        return message % {"metric": data["metric"]}
    if data["judged"] < FEWEST_SEGMENTS:
        message = _(
            "%(metric)s scores too few judged segments to be used (at least %(number)s needed). This is the ranking by people alone.",
        )
        number = number_format(FEWEST_SEGMENTS)
        return message % {"metric": data["metric"], "number": number}
    return ""


def predicted_notes(data: PredictedData, counts: UnitCounts) -> list[str]:
    """Return what the metric saved, the assumption with its check, omitted systems, and limits of ranges."""
    message = _(
        "People judged %(judged)s of the %(segments)s segments that %(metric)s scores. It has the weight %(weight)s and saves %(saved)s of the human judgments.",
    )
    numbers = {
        "judged": number_format(data["judged"]),
        "segments": number_format(data["segments"]),
        "metric": data["metric"],
        "weight": decimals(data["weight"], 3),
        "saved": percent(round(data["judgments_saved"]["value"], 3)),
    }
    notes = [message % numbers]
    if nothing_saved := _why_nothing_saved(data):
        notes.append(nothing_saved)
    notes.append(
        _(
            "This assumes that the judged segments are a random sample of these segments.",
        ),
    )
    doubt = sample_doubt(data)
    if doubt:
        notes.append(doubt)
    elif data["sample_p"] is not None:
        message = _("Scores by %(metric)s do not contradict this (%(p)s).")
        notes.append(
            message % {"metric": data["metric"], "p": p_in_words(data["sample_p"])},
        )
    if data["left_out"]:
        notes.append(
            _("Left out: %(systems)s.") % {"systems": comma_list(data["left_out"])},
        )
    limits = [
        limit_in_words(limit, counts, ranges="percentile") for limit in data["limits"]
    ]
    return notes + limits
