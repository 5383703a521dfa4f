"""Results of one system: its place, its sentences and its comparisons, in words and tables."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NotRequired, TypedDict

from django.utils.formats import number_format
from django.utils.html import escape, format_html
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
from ranking.reports.wording.ranges import (
    range_of_ranks,
    rank_range,
    rows_by_group,
    rows_by_system,
    shared_rank,
    systems_of,
    thin_systems,
)
from ranking.selectors.one_system import sentence_texts
from ranking.selectors.runs import corrected_pairs_of


class Results(TypedDict):
    """Numbers of comparisons that a system won, lost and tied."""

    won: int
    lost: int
    tied: int


class LengthTrend(TypedDict):
    """The change of a system's share of wins with the length of sentences."""

    slope: float
    p_value: float | None


class SystemData(TypedDict):
    """The answer of the analysis of a system."""

    all: Results
    blocks: int
    judges: int
    length_trend: NotRequired[LengthTrend | None]


#: Maximum number of systems that a sentence names; of more, it gives the number.
_MOST_NAMED = 8


def pairs_with(name: str, run: RankingRun | None) -> list[ComparedPair]:
    """Return the pairs of a system and its opponents in a ranking, best opponent first."""
    if run is None:
        return []
    pairs = corrected_pairs_of(run)
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
        share = None
        if won + lost:
            share = won / (won + lost)
        result = ShareWon(int(won), int(lost), int(pair.ties), share)
        opponents.append(PartWon(other, result))
    return opponents_table(name, opponents)


class ClearSentence(TypedDict):
    """A sentence with a clear win or loss, as in the answer of the analysis."""

    segment: int
    other: str
    judges: int
    ranks: dict[str, float]


@dataclass(frozen=True, slots=True)
class SystemChip:
    """A system with its mean rank in a sentence."""

    name: str
    rank: str
    is_own: bool


@dataclass(frozen=True, slots=True)
class SentenceRow:
    """A sentence with both outputs, their differences marked, and the ranks of all systems."""

    number: int
    address: str
    document: str
    label: str
    chips: list[SystemChip]
    has_texts: bool
    source: str | None
    own: SafeString | str
    other: SafeString | str
    other_name: str


def sentences(
    name: str,
    clear: Sequence[ClearSentence],
    *,
    task: Task,
    addresses: Addresses,
) -> list[SentenceRow]:
    """Return the sentences of an answer with the clearest wins and losses of a system, with texts. Two queries."""
    numbers = {sentence["segment"] for sentence in clear}
    others = {sentence["other"] for sentence in clear}
    texts = sentence_texts(task=task, numbers=numbers, systems={name, *others})
    rows = []
    for sentence in clear:
        segment = texts.get(sentence["segment"])
        if segment is not None:
            rows.append(_sentence(name, sentence, segment, addresses))
    return rows


def _sentence(
    name: str,
    sentence: ClearSentence,
    segment: Any,
    addresses: Addresses,
) -> SentenceRow:
    own = segment.texts.get(name)
    other = segment.texts.get(sentence["other"])
    own_text: SafeString | str = own or "–"
    other_text: SafeString | str = other or "–"
    if own and other:
        own_runs, other_runs = differences(own, other)
        own_text = marked(own_runs)
        other_text = marked(other_runs)
    position = number_format(segment.position)
    facts = [
        _("Sentence %(number)s") % {"number": position},
        counted("%(count)s judge", "%(count)s judges", sentence["judges"]),
    ]
    # The database does not keep the order of names.
    ranks = sorted((rank, system) for system, rank in sentence["ranks"].items())
    chips = [SystemChip(system, _rank(rank), system == name) for rank, system in ranks]
    return SentenceRow(
        number=segment.number,
        address=addresses.segment(segment.number),
        document=segment.document.name,
        label=comma_list(facts),
        chips=chips,
        has_texts=any((segment.source_text, own, other)),
        source=segment.source_text,
        own=own_text,
        other=other_text,
        other_name=sentence["other"],
    )


def _rank(mean: float) -> str:
    if float(mean).is_integer():
        return decimals(mean, 0)
    return decimals(mean, 1)


def marked(runs: Sequence[Run]) -> SafeString:
    """Return a text with its differences marked, also for screen readers."""
    label = pgettext("before words that the other text does not have", "only here:")
    hidden = format_html(
        '<span class="visually-hidden" lang="{}">{} </span>',
        get_language() or "en",
        label,
    )
    parts = []
    for run in runs:
        if run.differs:
            parts.append(format_html("<mark>{}{}</mark>", hidden, run.text))
        else:
            parts.append(escape(run.text))
    # Each part is escaped or our own markup.
    return mark_safe("".join(parts))  # noqa: S308


@dataclass(frozen=True, slots=True)
class SystemWords:
    """The introduction of a system's page."""

    headline: str
    lead: str
    counts: str = ""


def system_words(
    name: str,
    run: RankingRun | None,
    data: SystemData | None,
) -> SystemWords:
    """Return the introduction of a system's page; `data` is the answer of the analysis, if available."""
    label = system_label(name)
    if run is None:
        return SystemWords(label, _("No ranking yet"))
    row = _row_of(name, run)
    if row is None:
        reasons = _reasons_unranked(run)
        lead = ""
        if name in reasons:
            lead = with_full_stop(reason_in_words(reasons[name]))
        return SystemWords(
            headline=_("%(system)s is not ranked") % {"system": label},
            lead=capfirst(lead),
            counts=_counts(None, data),
        )
    last_rank = row.get("last_rank", row["rank"])
    trend = 0
    if data is not None:
        trend = _direction(data.get("length_trend"))
    headline = _rank_in_words(trend, is_tied=last_rank != row["rank"])
    ranks = range_of_ranks(row["rank"], last_rank)
    facts = [*_group(row, run), _rank_and_score(row, run), *_told_apart(row, run)]
    return SystemWords(
        headline=headline % {"system": label, "ranks": ranks},
        lead=sentence_list(facts),
        counts=_counts(row, data),
    )


def _reasons_unranked(run: RankingRun) -> dict[str, str]:
    """Return the reason why a system has no rank, for each such system."""
    return {row["system"]: row["reason"] for row in run.result["not_estimable"]}


def _row_of(name: str, run: RankingRun) -> RankedRow | None:
    """Return the row of a system in a ranking; None if it is not ranked."""
    rows: dict[str, RankedRow] = rows_by_system(run.result["systems"])
    return rows.get(name)


def has_comparisons(name: str, run: RankingRun) -> bool:
    """Return whether a ranking has comparisons of a system, so that there is something to analyse."""
    if _row_of(name, run) is not None:
        return True
    return _reasons_unranked(run).get(name, "no_comparison") != "no_comparison"


def _rank_in_words(trend: int, *, is_tied: bool) -> str:
    """Return the sentence on a system's place, and on its trend with longer sentences: 1, −1 or 0 for none."""
    if is_tied:
        return {
            0: _("%(system)s is tied for ranks %(ranks)s"),
            1: _(
                "%(system)s is tied for ranks %(ranks)s, and better on longer sentences",
            ),
            -1: _(
                "%(system)s is tied for ranks %(ranks)s, and worse on longer sentences",
            ),
        }[trend]
    return {
        0: _("%(system)s is number %(ranks)s"),
        1: _("%(system)s is number %(ranks)s, and better on longer sentences"),
        -1: _("%(system)s is number %(ranks)s, and worse on longer sentences"),
    }[trend]


def _direction(trend: LengthTrend | None) -> int:
    if trend is None or trend["p_value"] is None or trend["p_value"] >= TREND_LEVEL:
        return 0
    if trend["slope"] > 0:
        return 1
    return -1


def _rank_and_score(row: RankedRow, run: RankingRun) -> str:
    rank = rank_range(row)
    if row.get("shortage"):
        rank = shared_rank(row)
    score = "–"
    if row["score"] is not None:
        score = decimals(row["score"], 3)
    method = METHOD_WORDS.get(run.method, run.method)
    figures = {"rank": rank, "method": method, "score": score}
    return _("Rank %(rank)s, %(method)s %(score)s.") % figures


def _group(row: RankedRow, run: RankingRun) -> list[str]:
    """Return a sentence on the systems it is ranked with, if others are not connected to them."""
    groups = rows_by_group(run.result["systems"])
    others = systems_of(groups[row.get("group", 1)])
    others.remove(row["system"])
    if len(groups) < 2 or not others:
        return []
    if len(others) > _MOST_NAMED:
        sentence = counted(
            "Ranked only against %(count)s system: no comparisons connect it with others.",
            "Ranked only against %(count)s systems: no comparisons connect it with others.",
            len(others),
        )
        return [sentence]
    sentence = _(
        "Ranked only against %(names)s: no comparisons connect it with other systems.",
    )
    return [sentence % {"names": names_in_a_row(others)}]


def _told_apart(row: RankedRow, run: RankingRun) -> list[str]:
    """Return sentences on the systems it loses to, is not separated from, and beats, by the tests of the ranking."""
    shortage = row.get("shortage")
    if shortage:
        return [with_full_stop(not_yet_in_words(Shortage(**shortage)))]
    name = row["system"]
    thin = thin_systems(run.result["systems"])
    better = []
    alike = []
    worse = []
    for pair in pairs_with(name, run):
        other = pair.better
        if name == pair.better:
            other = pair.worse
        if not pair.significant:
            if other not in thin:
                alike.append(other)
        elif other == pair.better:
            better.append(other)
        else:
            worse.append(other)
    return [*_loses_to(better), *_differs_little_from(alike), *_beats(worse)]


def _loses_to(systems: Sequence[str]) -> Iterator[str]:
    if len(systems) > _MOST_NAMED:
        yield counted(
            "It loses to %(count)s system.",
            "It loses to %(count)s systems.",
            len(systems),
        )
    elif systems:
        yield _("It loses to %(names)s.") % {"names": names_in_a_row(systems)}


def _differs_little_from(systems: Sequence[str]) -> Iterator[str]:
    if len(systems) > _MOST_NAMED:
        yield counted(
            "It does not differ significantly from %(count)s system.",
            "It does not differ significantly from %(count)s systems.",
            len(systems),
        )
    elif systems:
        sentence = _("It does not differ significantly from %(names)s.")
        yield sentence % {"names": names_in_a_row(systems)}


def _beats(systems: Sequence[str]) -> Iterator[str]:
    if len(systems) > _MOST_NAMED:
        yield counted(
            "It beats %(count)s system.",
            "It beats %(count)s systems.",
            len(systems),
        )
    elif systems:
        yield _("It beats %(names)s.") % {"names": names_in_a_row(systems)}


def _counts(row: RankedRow | None, data: SystemData | None) -> str:
    if data is not None:
        won = data["all"]["won"]
        lost = data["all"]["lost"]
        tied = data["all"]["tied"]
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
        sentence = _(
            "%(comparisons)s comparisons: %(won)s won, %(lost)s lost, %(tied)s tied.",
        )
        return sentence % counts
    counts["blocks"] = from_blocks(data["blocks"])
    counts["judges"] = by_judges(data["judges"])
    sentence = _(
        "%(comparisons)s comparisons: %(won)s won, %(lost)s lost, %(tied)s tied, %(blocks)s %(judges)s.",
    )
    return sentence % counts
