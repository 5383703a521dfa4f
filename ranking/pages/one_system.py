"""Results of one system: its place, its sentences and its comparisons, in words and tables."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import capfirst
from django.utils.translation import get_language, pgettext
from django.utils.translation import gettext as _

from campaign.models import Task
from campaign.models.system import system_label
from campaign.texts.counted import counted
from campaign.texts.differences import Run, differences
from campaign.texts.joining import comma_list, sentence_list, with_full_stop
from ranking.core.diagnosis.one_system import ShareWon
from ranking.core.ranges import ComparedPair
from ranking.core.rankings.records import RankedRow
from ranking.core.scores import Shortage
from ranking.models import RankingRun
from ranking.pages.formats import Addresses
from ranking.pages.summary import by_judges, from_blocks, names_in_a_row
from ranking.reports.analyses.system import TREND_LEVEL, PartWon, opponents_table
from ranking.reports.tables import Table
from ranking.reports.wording.methods import (
    METHOD_WORDS,
    not_yet_in_words,
    reason_in_words,
)
from ranking.reports.wording.numbers import decimals
from ranking.reports.wording.ranges import range_of_ranks, rank_range, shared_rank
from ranking.selectors.one_system import sentence_texts
from ranking.selectors.runs import corrected_pairs_of

#: Maximum number of systems that a sentence names; of more, it gives the number.
_MOST_NAMED = 8


def pairs_with(name: str, run: RankingRun | None) -> list[ComparedPair]:
    """Return the pairs of a system and its opponents in a ranking, best opponent first."""
    pairs = () if run is None else corrected_pairs_of(run)
    return [pair for pair in pairs if name in (pair.better, pair.worse)]


def standing_table(name: str, pairs: Sequence[ComparedPair]) -> Table:
    """Return the table of opponents from the ranking, best first, without intervals; shown until the analysis is available."""
    opponents = []
    for pair in pairs:
        other = pair.worse
        won = pair.wins
        lost = pair.losses
        if name == pair.worse:
            other = pair.better
            won = pair.losses
            lost = pair.wins
        decided = won + lost
        share = won / decided if decided else None
        opponents.append(
            PartWon(other, ShareWon(int(won), int(lost), int(pair.ties), share))
        )
    return opponents_table(name, opponents)


def sentences(
    name: str,
    clear: Sequence[Mapping[str, Any]],
    *,
    task: Task,
    addresses: Addresses,
) -> list[dict[str, Any]]:
    """Return the sentences of an answer with the clearest wins and losses of a system, with texts. Two queries."""
    texts = sentence_texts(
        task=task,
        numbers={each["segment"] for each in clear},
        systems={name, *(each["other"] for each in clear)},
    )
    return [
        _sentence(name, each, texts[each["segment"]], addresses)
        for each in clear
        if each["segment"] in texts
    ]


def _sentence(
    name: str, each: Mapping[str, Any], segment: Any, addresses: Addresses
) -> dict[str, Any]:
    """Return a sentence with both outputs, their differences marked, and the ranks of all systems."""
    own = segment.texts.get(name)
    other = segment.texts.get(each["other"])
    shown: tuple[SafeString | str, SafeString | str] = (own or "–", other or "–")
    if own and other:
        first, second = differences(own, other)
        shown = (marked(first), marked(second))
    return {
        "number": segment.number,
        "address": addresses.segment(segment.number),
        "document": segment.document.name,
        "where": comma_list(
            [
                _("Sentence %(number)s") % {"number": number_format(segment.position)},
                counted("%(count)s judge", "%(count)s judges", each["judges"]),
            ]
        ),
        # The database does not keep the order of names.
        "chips": [
            {"name": system, "rank": _rank(rank), "is_own": system == name}
            for system, rank in sorted(
                each["ranks"].items(), key=lambda item: (item[1], item[0])
            )
        ],
        "has_texts": any((segment.source_text, own, other)),
        "source": segment.source_text,
        "own": shown[0],
        "other": shown[1],
        "other_name": each["other"],
    }


def _rank(mean: float) -> str:
    return decimals(mean, 0 if float(mean).is_integer() else 1)


def marked(runs: Sequence[Run]) -> SafeString:
    """Return a text with its differences marked, also for screen readers."""
    words = pgettext("before words that the other text does not have", "only here:")
    hidden = format_html(
        '<span class="visually-hidden" lang="{}">{} </span>',
        get_language() or "en",
        words,
    )
    # Each part is escaped or our own markup.
    return mark_safe(  # noqa: S308
        "".join(
            format_html("<mark>{}{}</mark>", hidden, run.text)
            if run.differs
            else format_html("{}", run.text)
            for run in runs
        )
    )


def system_words(
    name: str, run: RankingRun | None, data: Mapping[str, Any] | None
) -> dict[str, str]:
    """Return the introduction of a system's page; `data` is the answer of the analysis, if available."""
    label = system_label(name)
    if run is None:
        return {"headline": label, "lead": _("No ranking yet")}
    row = _row_of(name, run)
    if row is None:
        unranked = {
            each["system"]: each["reason"] for each in run.result["not_estimable"]
        }
        why = (
            with_full_stop(reason_in_words(unranked[name])) if name in unranked else ""
        )
        return {
            "headline": _("%(system)s is not ranked") % {"system": label},
            "lead": capfirst(why),
            "counts": _counts(None, data),
        }
    last_rank = row.get("last_rank", row["rank"])
    trend = _direction((data or {}).get("length_trend"))
    words = [*_group(row, run), _rank_and_score(row, run), *_told_apart(row, run)]
    return {
        "headline": _place_in_words(trend, is_tied=last_rank != row["rank"])
        % {"system": label, "ranks": range_of_ranks(row["rank"], last_rank)},
        "lead": sentence_list(words),
        "counts": _counts(row, data),
    }


def _row_of(name: str, run: RankingRun) -> RankedRow | None:
    """Return the row of a system in a ranking; None if it is not ranked."""
    return next((row for row in run.result["systems"] if row["system"] == name), None)


def has_comparisons(name: str, run: RankingRun) -> bool:
    """Return whether a ranking has comparisons of a system, so that there is something to analyse."""
    reasons = {each["system"]: each["reason"] for each in run.result["not_estimable"]}
    return (
        _row_of(name, run) is not None
        or reasons.get(name, "no_comparison") != "no_comparison"
    )


def _place_in_words(trend: int, *, is_tied: bool) -> str:
    """Return the sentence on a system's place, and on its trend with longer sentences: 1, −1 or 0 for none."""
    if is_tied:
        return {
            0: _("%(system)s is tied for ranks %(ranks)s"),
            1: _(
                "%(system)s is tied for ranks %(ranks)s, and better on longer sentences"
            ),
            -1: _(
                "%(system)s is tied for ranks %(ranks)s, and worse on longer sentences"
            ),
        }[trend]
    return {
        0: _("%(system)s is number %(ranks)s"),
        1: _("%(system)s is number %(ranks)s, and better on longer sentences"),
        -1: _("%(system)s is number %(ranks)s, and worse on longer sentences"),
    }[trend]


def _direction(trend: Mapping[str, Any] | None) -> int:
    if trend is None or trend["p_value"] is None or trend["p_value"] >= TREND_LEVEL:
        return 0
    return 1 if trend["slope"] > 0 else -1


def _rank_and_score(row: RankedRow, run: RankingRun) -> str:
    words = {
        "rank": shared_rank(row) if row.get("shortage") else rank_range(row),
        "method": METHOD_WORDS.get(run.method, run.method),
        "score": "–" if row["score"] is None else decimals(row["score"], 3),
    }
    return _("Rank %(rank)s, %(method)s %(score)s.") % words


def _group(row: Mapping[str, Any], run: RankingRun) -> list[str]:
    """Return a sentence on the systems it is ranked with, if others are not connected to them."""
    groups = {each.get("group", 1) for each in run.result["systems"]}
    if len(groups) < 2:
        return []
    others = [
        each["system"]
        for each in run.result["systems"]
        if each["group"] == row["group"] and each["system"] != row["system"]
    ]
    if not others:
        return []
    if len(others) > _MOST_NAMED:
        return [
            counted(
                "Ranked only against %(count)s system: no comparisons connect it with others.",
                "Ranked only against %(count)s systems: no comparisons connect it with others.",
                len(others),
            )
        ]
    return [
        _(
            "Ranked only against %(names)s: no comparisons connect it with other systems."
        )
        % {"names": names_in_a_row(others)}
    ]


def _told_apart(row: Mapping[str, Any], run: RankingRun) -> list[str]:
    """Return sentences on the systems it loses to, is not separated from, and beats, by the tests of the ranking."""
    if row.get("shortage"):
        return [with_full_stop(not_yet_in_words(Shortage(**row["shortage"])))]
    name = row["system"]
    pairs = pairs_with(row["system"], run)
    thin = {each["system"] for each in run.result["systems"] if each.get("shortage")}
    better = [pair.better for pair in pairs if pair.significant and pair.worse == name]
    worse = [pair.worse for pair in pairs if pair.significant and pair.better == name]
    others = [
        pair.better if pair.worse == name else pair.worse
        for pair in pairs
        if not pair.significant
    ]
    alike = [other for other in others if other not in thin]
    sentences = (_loses_to(better), _differs_little_from(alike), _beats(worse))
    return [sentence for sentence in sentences if sentence]


def _loses_to(systems: Sequence[str]) -> str:
    if len(systems) > _MOST_NAMED:
        return counted(
            "It loses to %(count)s system.",
            "It loses to %(count)s systems.",
            len(systems),
        )
    return (
        _("It loses to %(names)s.") % {"names": names_in_a_row(systems)}
        if systems
        else ""
    )


def _differs_little_from(systems: Sequence[str]) -> str:
    if len(systems) > _MOST_NAMED:
        return counted(
            "It does not differ significantly from %(count)s system.",
            "It does not differ significantly from %(count)s systems.",
            len(systems),
        )
    words = _("It does not differ significantly from %(names)s.")
    return words % {"names": names_in_a_row(systems)} if systems else ""


def _beats(systems: Sequence[str]) -> str:
    if len(systems) > _MOST_NAMED:
        return counted(
            "It beats %(count)s system.", "It beats %(count)s systems.", len(systems)
        )
    return (
        _("It beats %(names)s.") % {"names": names_in_a_row(systems)} if systems else ""
    )


def _counts(row: Mapping[str, Any] | None, data: Mapping[str, Any] | None) -> str:
    if data is not None:
        whole = data["all"]
        won = whole["won"]
        lost = whole["lost"]
        tied = whole["tied"]
    elif row is not None:
        won = row["wins"]
        lost = row["losses"]
        tied = row["ties"]
    else:
        return ""
    counts = {
        "comparisons": number_format(won + lost + tied),
        "won": number_format(won),
        "lost": number_format(lost),
        "tied": number_format(tied),
    }
    if data is None:
        return (
            _("%(comparisons)s comparisons: %(won)s won, %(lost)s lost, %(tied)s tied.")
            % counts
        )
    return _(
        "%(comparisons)s comparisons: %(won)s won, %(lost)s lost, %(tied)s tied, %(blocks)s %(judges)s."
    ) % {
        **counts,
        "blocks": from_blocks(data["blocks"]),
        "judges": by_judges(data["judges"]),
    }
