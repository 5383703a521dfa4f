"""How a system did, in words: its rank, whom it beats, and what was counted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.formats import number_format
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ranking.analyses.system import TREND_LEVEL
from ranking.core.scores import Shortage
from ranking.pages.summary import names_in_a_row
from ranking.selectors.one_system import SystemStanding
from ranking.wording.methods import METHOD_WORDS
from ranking.wording.not_ranked import reason_in_words
from ranking.wording.not_yet import not_yet_in_words
from ranking.wording.numbers import decimals
from ranking.wording.places import place_in_words
from ranking.wording.ranges import range_of_ranks, rank_range, shared_rank


@dataclass(frozen=True, slots=True)
class SystemWords:
    """What a page of a system begins with."""

    headline: str
    lead: str
    counts: str


def system_words(
    name: str, standing: SystemStanding | None, data: Mapping[str, Any] | None
) -> SystemWords:
    """Return what is said of a system; `data` is the answer of the analysis, if it is there."""
    if standing is None:
        return SystemWords(name, _("There is no ranking yet."), "")
    if standing.row is None:
        why = reason_in_words(standing.reason) if standing.reason else _("not ranked")
        return SystemWords(
            _("%(system)s has no rank") % {"system": name}, capfirst(f"{why}."), _counts(None, data)
        )
    row = standing.row
    place = place_in_words(row["rank"])
    if row.get("last_rank", row["rank"]) != row["rank"]:
        place = _("tied for ranks %(ranks)s") % {
            "ranks": range_of_ranks(row["rank"], row["last_rank"])
        }
    trend = (data or {}).get("length_trend")
    headline = {
        0: _("%(system)s is %(place)s"),
        1: _("%(system)s is %(place)s, and gains ground as sentences grow"),
        -1: _("%(system)s is %(place)s, and loses ground as sentences grow"),
    }[_direction(trend)]
    return SystemWords(
        headline=headline % {"system": name, "place": place},
        lead=" ".join(
            [*_group(row, standing), _rank_and_score(row, standing), *_told_apart(standing)]
        ),
        counts=_counts(row, data),
    )


def _direction(trend: Mapping[str, Any] | None) -> int:
    if trend is None or trend["p_value"] is None or trend["p_value"] >= TREND_LEVEL:
        return 0
    return 1 if trend["slope"] > 0 else -1


def _rank_and_score(row: Mapping[str, Any], standing: SystemStanding) -> str:
    words = {
        "rank": shared_rank(row) if row.get("shortage") else rank_range(row),
        "method": METHOD_WORDS.get(standing.method, standing.method),
        "score": "–" if row["score"] is None else decimals(row["score"], 3),
    }
    return _("Rank %(rank)s, %(method)s %(score)s.") % words


def _group(row: Mapping[str, Any], standing: SystemStanding) -> list[str]:
    """Return which systems it is ranked among, if nothing compares it with the others."""
    groups = {each.get("group", 1) for each in standing.systems}
    if len(groups) < 2:
        return []
    others = [
        each["system"]
        for each in standing.systems
        if each["group"] == row["group"] and each["system"] != row["system"]
    ]
    if not others:
        return []
    return [
        _("Compared only with %(names)s, directly or through others: ranks are among these.")
        % {"names": _named(others)}
    ]


def _told_apart(standing: SystemStanding) -> list[str]:
    """Return a sentence on whom it loses to, cannot be told from, and beats, by the tests of the ranking."""
    row = standing.row
    if row is not None and row.get("shortage"):
        return [f"{not_yet_in_words(Shortage(**row['shortage']))}."]
    if not standing.opponents:
        return []
    better = [each.name for each in standing.opponents if each.is_told_apart and each.is_better]
    worse = [each.name for each in standing.opponents if each.is_told_apart and not each.is_better]
    alike = [
        each.name for each in standing.opponents if not each.is_told_apart and not each.is_thin
    ]
    return [
        words % {"names": _named(names)}
        for names, words in (
            (better, _("It loses to %(names)s.")),
            (alike, _("It cannot be told from %(names)s.")),
            (worse, _("It beats %(names)s.")),
        )
        if names
    ]


def _named(names: Sequence[str]) -> str:
    """Return names in a row; of many, how many they are."""
    if len(names) <= 8:
        return names_in_a_row(names)
    return ngettext("%(count)s system", "%(count)s systems", len(names)) % {
        "count": number_format(len(names))
    }


def _counts(row: Mapping[str, Any] | None, data: Mapping[str, Any] | None) -> str:
    if data is not None:
        whole = data["all"]
        won, lost, tied = whole["won"], whole["lost"], whole["tied"]
    elif row is not None:
        won, lost, tied = row["wins"], row["losses"], row["ties"]
    else:
        return ""
    counts = {
        "comparisons": number_format(won + lost + tied),
        "won": number_format(won),
        "lost": number_format(lost),
        "tied": number_format(tied),
    }
    if data is None:
        return _("%(comparisons)s comparisons: %(won)s won, %(lost)s lost, %(tied)s tied.") % counts
    return _(
        "%(comparisons)s comparisons: %(won)s won, %(lost)s lost, %(tied)s tied, from %(blocks)s by %(judges)s."
    ) % {
        **counts,
        "blocks": ngettext("%(count)s block", "%(count)s blocks", data["blocks"])
        % {"count": number_format(data["blocks"])},
        "judges": ngettext("%(count)s judge", "%(count)s judges", data["judges"])
        % {"count": number_format(data["judges"])},
    }
