"""Page of a system: its wins and losses, in tables and sentences."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import capfirst
from django.utils.translation import get_language, ngettext, pgettext
from django.utils.translation import gettext as _

from campaign.models import Task
from campaign.models.system import system_label
from campaign.texts.differences import Run, differences
from ranking.analyses.system import TREND_LEVEL, PartWon, opponents_table
from ranking.core.diagnosis.one_system import ShareWon
from ranking.core.scores import Shortage
from ranking.pages.formats import Addresses
from ranking.pages.summary import names_in_a_row
from ranking.reports.tables import Table
from ranking.selectors.one_system import SentenceTexts, SystemStanding, sentence_texts
from ranking.wording.methods import METHOD_WORDS, not_yet_in_words, reason_in_words
from ranking.wording.numbers import decimals, place_in_words
from ranking.wording.ranges import range_of_ranks, rank_range, shared_rank

#: Sentences that are shown at once; the rest unfolds.
SENTENCES_AT_ONCE = 4


def standing_table(name: str, standing: SystemStanding) -> Table:
    """Return the table of opponents as the ranking has it, best first: without intervals, until the analysis is there."""
    return opponents_table(
        name,
        [
            PartWon(
                each.name,
                ShareWon(
                    *(each.won, each.lost, each.tied),
                    each.won / (each.won + each.lost) if each.won + each.lost else None,
                ),
            )
            for each in standing.opponents
        ],
    )


def sentences(
    name: str,
    clear: Sequence[Mapping[str, Any]],
    *,
    task: Task,
    addresses: Addresses,
) -> list[dict[str, Any]]:
    """Return the sentences of an answer where a system is far from another one, with their texts. Two queries."""
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
    name: str, each: Mapping[str, Any], texts: SentenceTexts, addresses: Addresses
) -> dict[str, Any]:
    """Return a sentence with both outputs, their differences marked, and the ranks of all systems."""
    own, other = texts.outputs.get(name), texts.outputs.get(each["other"])
    shown: tuple[SafeString | str, SafeString | str] = (own or "–", other or "–")
    if own and other:
        first, second = differences(own, other)
        shown = (marked(first), marked(second))
    judges = ngettext("%(count)s judge", "%(count)s judges", each["judges"])
    return {
        "number": texts.number,
        "address": addresses.segment(texts.number),
        "document": texts.document,
        "where": ", ".join(
            [
                _("Sentence %(number)s") % {"number": number_format(texts.position)},
                judges % {"count": number_format(each["judges"])},
            ]
        ),
        # The database keeps no order of names.
        "chips": [
            {"name": system, "rank": _rank(rank), "is_own": system == name}
            for system, rank in sorted(each["ranks"].items(), key=lambda item: (item[1], item[0]))
        ],
        "has_texts": any((texts.source, own, other)),
        "source": texts.source,
        "own": shown[0],
        "other": shown[1],
        "other_name": each["other"],
    }


def _rank(mean: float) -> str:
    return decimals(mean, 0 if float(mean).is_integer() else 1)


def marked(runs: Sequence[Run]) -> SafeString:
    """Return a text with its differences marked, for eyes and for screen readers."""
    words = pgettext("before words that the other text does not have", "only here:")
    hidden = format_html(
        '<span class="visually-hidden" lang="{}">{} </span>', get_language() or "en", words
    )
    # Each part is escaped, or ours.
    return mark_safe(  # noqa: S308
        "".join(
            format_html("<mark>{}{}</mark>", hidden, run.text)
            if run.differs
            else format_html("{}", run.text)
            for run in runs
        )
    )


def system_words(
    name: str, standing: SystemStanding | None, data: Mapping[str, Any] | None
) -> dict[str, str]:
    """Return the introduction of a system's page; `data` is the analysis's answer, if there is one."""
    name = system_label(name)
    if standing is None:
        return {"headline": name, "lead": _("No ranking yet")}
    if standing.row is None:
        why = reason_in_words(standing.reason) if standing.reason else _("not ranked")
        return {
            "headline": _("%(system)s is not ranked") % {"system": name},
            "lead": capfirst(f"{why}."),
            "counts": _counts(None, data),
        }
    row = standing.row
    place = place_in_words(row["rank"])
    if row.get("last_rank", row["rank"]) != row["rank"]:
        place = _("tied for ranks %(ranks)s") % {
            "ranks": range_of_ranks(row["rank"], row["last_rank"])
        }
    trend = (data or {}).get("length_trend")
    headline = {
        0: _("%(system)s is %(place)s"),
        1: _("%(system)s is %(place)s, and better on longer sentences"),
        -1: _("%(system)s is %(place)s, and worse on longer sentences"),
    }[_direction(trend)]
    words = [*_group(row, standing), _rank_and_score(row, standing), *_told_apart(standing)]
    return {
        "headline": headline % {"system": name, "place": place},
        "lead": " ".join(words),
        "counts": _counts(row, data),
    }


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
        _("Ranked only against %(names)s: no comparisons connect it with other systems.")
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
            (alike, _("It does not differ significantly from %(names)s.")),
            (worse, _("It beats %(names)s.")),
        )
        if names
    ]


def _named(names: Sequence[str]) -> str:
    """Return names in a row, or their number if there are many."""
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
