"""All that the page of a published result shows, in the reader's language."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from campaign.texts.languages import language_name
from ranking.pages import formats
from ranking.pages.plots import RankPlot, rank_plots
from ranking.pages.published.left_out import LeftOutLine, left_out_lines
from ranking.pages.published.matrix import MatrixRow, pair_matrix
from ranking.pages.published.reading import Content, day_of, moment_of, run_of, withdrawn_in
from ranking.pages.summary import RankingSummary, summarise_run
from ranking.wording.agreement import strength_caution, strength_in_words
from ranking.wording.firmness import firmness_in_words
from ranking.wording.not_ranked import reason_in_words
from ranking.wording.published_method import method_sentences


@dataclass(frozen=True, slots=True)
class PublishedPage:
    """The content of a result, ready to be shown.

    Attributes
    ----------
    content : mapping
    summary : RankingSummary
        The finding in words.
    languages : str
        "Czech → English".
    firmness : sequence of str
        How many judgments decide first place; empty where that was not computed.
    strength : str or None
        The word of Landis and Koch for κ between judges.
    self_agreement : str or None
        κ of judges with themselves, in a sentence; None where it was not known.
    plots : sequence of RankPlot
        A table for each group of systems that comparisons connect.
    """

    content: Content
    summary: RankingSummary
    languages: str
    published_at: datetime
    firmness: Sequence[str]
    plots: Sequence[RankPlot]
    withdrawn: frozenset[str]
    not_estimable: Sequence[tuple[str, str]]
    matrix: Sequence[MatrixRow]
    strength: str | None
    strength_caution: str
    self_agreement: str | None
    method: Sequence[str]
    left_out: Sequence[LeftOutLine]
    first_day: date | None
    last_day: date | None


def published_page(content: Content) -> PublishedPage:
    """Return what the page of this content shows."""
    ranking, test_set = content["ranking"], content["test_set"]
    systems = ranking["systems"]
    return PublishedPage(
        content=content,
        summary=summarise_run(run_of(content)),
        languages=languages_in_words(test_set["source_language"], test_set["target_language"]),
        published_at=moment_of(content["published_at"]),
        firmness=_firmness(content),
        plots=rank_plots(systems, has_unranked=bool(ranking["not_estimable"])),
        withdrawn=withdrawn_in(content),
        not_estimable=[
            (row["system"], reason_in_words(row["reason"])) for row in ranking["not_estimable"]
        ],
        matrix=pair_matrix(content),
        strength=strength_in_words(content["agreement"]["inter"]["kappa"]),
        strength_caution=strength_caution(),
        self_agreement=_self_agreement(content),
        method=method_sentences(content),
        left_out=left_out_lines(content),
        first_day=day_of(content["input"]["first_day"]),
        last_day=day_of(content["input"]["last_day"]),
    )


def _firmness(content: Content) -> list[str]:
    section = content["sections"].get("firmness")
    return [] if section is None else firmness_in_words(section)


def _self_agreement(content: Content) -> str | None:
    section = content["sections"].get("self_agreement")
    if section is None:
        return None
    kappa = formats.kappa(section["kappa"])
    # Results that were published before have no interval.
    low, high = section.get("low"), section.get("high")
    if low is None or high is None:
        return _("κ of judges with themselves %(kappa)s.") % {"kappa": kappa}
    return _("κ of judges with themselves %(kappa)s (%(low)s to %(high)s).") % {
        "kappa": kappa,
        "low": formats.kappa(low),
        "high": formats.kappa(high),
    }


def frozen_in_words(content: Content) -> str:
    """Return which version this is, since when, and that it stays as it is."""
    return _(
        "Version %(version)s, published %(day)s. Nothing on this page changes any more: a correction "
        "becomes a version of its own."
    ) % {
        "version": content["version"],
        "day": date_format(moment_of(content["published_at"]), "DATE_FORMAT"),
    }


def draft_in_words(content: Content) -> str:
    """Return which version this would be."""
    return _("Version %(version)s, as it would be: it is not published yet.") % {
        "version": content["version"]
    }


def languages_in_words(source: str, target: str) -> str:
    """Return "Czech → English"."""
    return _("%(source)s → %(target)s") % {
        "source": language_name(source),
        "target": language_name(target),
    }
