"""A ranking run in words (headline, basis and limits), and the effects of quality rules."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import NotRequired, TypedDict

from django.utils.formats import number_format
from django.utils.html import escape, format_html
from django.utils.safestring import mark_safe
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from annotation.models import QualityActionKind
from annotation.models.judge_measures import JudgeMeasure
from campaign.models import Task
from campaign.models.system import system_in_sentence, system_label
from campaign.texts.counted import counted
from campaign.texts.joining import and_list, semicolon_list
from ranking.core.rankings.range_kinds import RangeOptions
from ranking.core.rankings.records import RankedRow, UnrankedRow
from ranking.models import RankingRun
from ranking.reports.analyses.kind import AnalysisKind
from ranking.reports.range_choices import ONE_DOCUMENT
from ranking.reports.wording.methods import METHOD_SOURCES, score_words
from ranking.reports.wording.numbers import percent
from ranking.reports.wording.ranges import (
    estimable_of,
    first_cluster,
    limit_in_words,
    ranges_in_words,
    ranges_meaning,
    systems_of,
)
from ranking.selectors.analyses import kind_in_place_of_ranking
from ranking.selectors.quality_rules import (
    RuleEffects,
)

# Maximum number of clusters described, and of systems named; beyond it, the table is easier to read.
_GROUPS_NAMED = 2
_SYSTEMS_NAMED = 5
# Maximum number of leading systems named in a headline.
_LEADERS_NAMED = 3


@dataclass(frozen=True, slots=True)
class Summary:
    """A run's result in words.

    Attributes
    ----------
    headline : str
        One phrase.
    basis : sequence of str
        Sentences on the judgments used.
    details : sequence of str
        Sentences on missing data.
    warnings : sequence of str
        Cautions.
    range_meaning, score_meaning, score_source : str
        What the columns of the table mean.
    """

    headline: str
    basis: Sequence[str] = ()
    details: Sequence[str] = ()
    warnings: Sequence[str] = ()
    range_meaning: str = ""
    score_meaning: str = ""
    score_source: str = ""


def summarise_run(
    run: RankingRun | None,
    *,
    leads: Mapping[str, str] | None = None,
) -> Summary:
    """Return a run's result in words; without a run, explain when there will be one.

    `leads` has the addresses that the numbers of comparisons, blocks and judges link to, if any.
    """
    if run is None:
        appears = _("It appears with the first judgments.")
        return Summary(headline_without_ranking(), basis=[appears])
    range_meaning = ranges_meaning(
        RangeOptions.from_record(run.parameters),
        limits=run.result["limits"],
        counts=run.result["input"],
    )
    return Summary(
        headline=headline(run.result),
        details=_details(run),
        basis=_basis(run, leads or {}),
        warnings=_warnings(run),
        range_meaning=range_meaning,
        score_meaning=score_words(run.method),
        score_source=METHOD_SOURCES.get(run.method, ""),
    )


def summary_without_order(
    alternative: AnalysisKind | None = None,
    *,
    reason: str = "",
) -> Summary:
    """Name the `alternative` that is shown instead of a ranking, or give the `reason` why there is none."""
    if alternative is not None:
        return Summary(str(alternative.title))
    return Summary(headline_without_ranking(), details=[reason])


def headline_without_ranking(task: Task | None = None) -> str:
    """Return the headline before the first ranking; for tasks without comparisons, that of their analysis."""
    kind = None
    if task is not None:
        kind = kind_in_place_of_ranking(task=task)
    if kind is None:
        return _("No ranking yet")
    return str(kind.title)


def names_in_a_row(names: Sequence[str], *, begins_sentence: bool = False) -> str:
    """Return "A", "A and B" or "A, B and C", for names of judges or systems."""
    labels = [system_in_sentence(name) for name in names]
    if begins_sentence and names:
        labels[0] = system_label(names[0])
    return and_list(labels)


class Standing(TypedDict):
    """The part of a result that a headline is about: systems, best first, and unconnected groups."""

    systems: Sequence[RankedRow]
    groups: Sequence[Sequence[str]]
    not_estimable: NotRequired[Sequence[UnrankedRow]]


def headline(result: Standing) -> str:
    """Return one phrase on the systems of a ranking and who leads."""
    systems = result["systems"]
    groups = result["groups"]
    count = len(systems)
    if count == 0:
        return _("No system can be ranked yet")
    if len(groups) > 1:
        return _("Some systems were never compared with the others")
    estimable = estimable_of(systems)
    if not estimable:
        return _("Rank ranges are not estimable yet")
    clusters = len({row["cluster"] for row in estimable})
    unranked = len(result.get("not_estimable", ()))
    if _all_tied(systems):
        return _all_tied_in_words(count, unranked=unranked)
    among = _among_systems(count, unranked=unranked)
    if clusters == 1:
        return _("No clusters yet %(among)s") % {"among": among}
    if clusters == count == 2:
        return _("%(first)s is ahead of %(second)s") % {
            "first": system_label(systems[0]["system"]),
            "second": system_in_sentence(systems[1]["system"]),
        }
    clusters_phrase = counted(
        "%(count)s cluster %(among)s",
        "%(count)s clusters %(among)s",
        clusters,
        among=among,
    )
    leaders = _leaders(systems, groups)
    if not leaders:
        return capfirst(clusters_phrase)
    return counted(
        "%(names)s leads: %(clusters)s",
        "%(names)s lead: %(clusters)s",
        len(leaders),
        names=names_in_a_row(leaders, begins_sentence=True),
        clusters=clusters_phrase,
    )


def _among_systems(ranked: int, *, unranked: int) -> str:
    """Return "among 8 systems": those that a ranking ranks, out of all if some have no rank."""
    if not unranked:
        return counted("among %(count)s system", "among %(count)s systems", ranked)
    return counted(
        "among %(ranked)s of %(count)s system",
        "among %(ranked)s of %(count)s systems",
        ranked + unranked,
        ranked=ranked,
    )


def _all_tied_in_words(ranked: int, *, unranked: int) -> str:
    if not unranked:
        return counted(
            "%(count)s system is tied",
            "All %(count)s systems are tied",
            ranked,
        )
    return counted(
        "All %(ranked)s ranked systems are tied; %(count)s system has no rank",
        "All %(ranked)s ranked systems are tied; %(count)s systems have no rank",
        unranked,
        ranked=ranked,
    )


def _leaders(
    systems: Sequence[RankedRow],
    groups: Sequence[Sequence[str]],
) -> list[str]:
    """Return the systems of the best cluster, if they are few and every rank range is known; otherwise none."""
    if len(estimable_of(systems)) < len(systems):
        return []
    leaders = first_cluster(systems, groups)
    if len(leaders) <= _LEADERS_NAMED:
        return leaders
    return []


def _all_tied(systems: Sequence[RankedRow]) -> bool:
    return len(systems) > 1 and systems[0].get("last_rank") == len(systems)


def _details(run: RankingRun) -> tuple[str, ...]:
    systems = run.result["systems"]
    if len(run.result["groups"]) > 1:
        return ()
    # Missing data is listed below the table.
    if len(estimable_of(systems)) < len(systems) or _all_tied(systems):
        return ()
    clusters = []
    together = []
    for _number, rows in groupby(systems, key=itemgetter("cluster")):
        names = systems_of(rows)
        clusters.append(names)
        if len(names) > 1:
            together.append(names)
    if len(clusters) == 1 and len(systems) > 1 and _share_a_rank(systems):
        return (_("All rank ranges overlap."),)
    level = percent(RangeOptions.from_record(run.parameters).confidence)
    return tuple(_cluster_in_words(names, level) for names in together[:_GROUPS_NAMED])


def _share_a_rank(systems: Sequence[RankedRow]) -> bool:
    """Return whether one rank is in the ranges of all systems; in a cluster, ranges may only overlap in a chain."""
    best_ends = []
    worst_ends = []
    for row in systems:
        if row["rank_low"] is not None:
            best_ends.append(row["rank_low"])
        if row["rank_high"] is not None:
            worst_ends.append(row["rank_high"])
    return max(best_ends) <= min(worst_ends)


def _cluster_in_words(names: Sequence[str], level: str) -> str:
    """Return a sentence on the systems of a cluster, at the confidence level of the rank ranges."""
    if len(names) <= _SYSTEMS_NAMED:
        return _("%(names)s form one cluster so far, at %(level)s.") % {
            "names": names_in_a_row(names, begins_sentence=True),
            "level": level,
        }
    sentence = _(
        "%(count)s systems from %(first)s to %(last)s form one cluster so far, at %(level)s.",
    )
    return sentence % {
        "level": level,
        "count": number_format(len(names)),
        "first": system_in_sentence(names[0]),
        "last": system_in_sentence(names[-1]),
    }


def _basis(run: RankingRun, leads: Mapping[str, str]) -> tuple[str, ...]:
    counts = run.result["input"]
    parameters = run.parameters
    rests_on = _rests_on(counts, leads)
    choice = RangeOptions.from_record(parameters)
    systems = run.result["systems"]
    has_ranges = bool(estimable_of(systems))
    ranges: list[str] = []
    if has_ranges or not systems:
        ranges = ranges_in_words(
            choice,
            resamples=parameters["resamples"],
            limits=run.result["limits"],
            counts=counts,
        )
    if has_ranges and ONE_DOCUMENT in run.result["limits"]:
        ranges.append(limit_in_words(ONE_DOCUMENT, counts, ranges=choice.ranges))
    if not parameters["left_out"]:
        return (rests_on, *ranges)
    without = _("Left out: %(systems)s.") % {
        "systems": names_in_a_row(parameters["left_out"]),
    }
    return (rests_on, *ranges, without)


def from_blocks(count: int) -> str:
    """Return "from 88 blocks"."""
    return counted("from %(count)s block", "from %(count)s blocks", count)


def by_judges(count: int) -> str:
    """Return "by 4 judges"."""
    return counted("by %(count)s judge", "by %(count)s judges", count)


def _rests_on(counts: Mapping[str, int], leads: Mapping[str, str]) -> str:
    """Return the data that a ranking is based on, as HTML if its numbers are links."""
    phrases = {
        "comparisons": counted(
            "%(count)s comparison",
            "%(count)s comparisons",
            counts["comparisons"],
        ),
        "blocks": from_blocks(counts["blocks"]),
        "judges": by_judges(counts["judges"]),
    }
    sentence = _("%(comparisons)s %(blocks)s %(judges)s.")
    if not leads:
        return sentence % phrases
    linked = {}
    for name, phrase in phrases.items():
        if counts[name]:
            linked[name] = format_html('<a href="{}">{}</a>', leads[name], phrase)
        else:
            linked[name] = escape(phrase)
    # Translations are text, so they are escaped.
    return mark_safe(escape(sentence) % linked)  # noqa: S308  each part is escaped


def _warnings(run: RankingRun) -> tuple[str, ...]:
    result = run.result
    groups = run.result["groups"]
    ranges = RangeOptions.from_record(run.parameters).ranges
    warnings = []
    if len(groups) > 1:
        sentence = _(
            "No comparisons connect these groups, so each is ranked separately: %(groups)s.",
        )
        listed = semicolon_list(map(names_in_a_row, groups))
        warnings.append(sentence % {"groups": listed})
    if not estimable_of(result["systems"]):
        return tuple(warnings)
    for limit in result["limits"]:
        # Files often name only one document, so this is part of the basis instead of a warning.
        if limit != ONE_DOCUMENT:
            warnings.append(limit_in_words(limit, result["input"], ranges=ranges))
    return tuple(warnings)


_OF_THE_REFERENCE = {
    JudgeMeasure.REFERENCE,
    JudgeMeasure.REFERENCE_RANDOM,
    JudgeMeasure.REFERENCE_IGNORED,
}


def effects_in_words(effects: RuleEffects) -> list[str]:
    """Return sentences on the current effects of rules, with all affected judges."""
    if not effects.measured:
        return [
            _(
                "No judges measured yet. Rules act after later rankings and ask for your confirmation before they "
                "pause or exclude more than one in five judges.",
            ),
        ]
    sentences = []
    for action in QualityActionKind:
        if effects.names(action):
            sentences.append(_sentence(action, effects))
    if not sentences:
        unaffected = counted(
            "The %(count)s judge measured is not affected.",
            "None of the %(count)s judges measured is affected.",
            effects.measured,
        )
        sentences.append(unaffected)
    return sentences + _missing_reference_notes(effects)


def effects_now_in_words(effects: RuleEffects) -> str:
    """Return a phrase with the number of measured judges that a rule currently affects."""
    if not effects.measured:
        return _("Now: no judges measured yet")
    names = sorted({act.judge.called for act in effects.acts})
    measured = number_format(effects.measured)
    if not names:
        return _("Now: 0 of %(judges)s judges") % {"judges": measured}
    return _("Now: %(count)s of %(judges)s judges (%(names)s)") % {
        "count": number_format(len(names)),
        "judges": measured,
        "names": names_in_a_row(names),
    }


def _missing_reference_notes(effects: RuleEffects) -> list[str]:
    sentence = _("“%(measure)s” has no data: the reference was not among the outputs.")
    sentences = []
    for measure in effects.without_data:
        if measure in _OF_THE_REFERENCE:
            sentences.append(sentence % {"measure": JudgeMeasure(measure).label})
    return sentences


def confirmation_in_words(effects: RuleEffects) -> str:
    """Return the label of the confirmation needed if more than one in five judges are affected."""
    met = len({act.judge.pk for act in effects.acts})
    sentence = _("Yes, apply to %(count)s of %(measured)s judges")
    return sentence % {
        "count": number_format(met),
        "measured": number_format(effects.measured),
    }


def _sentence(action: str, effects: RuleEffects) -> str:
    names = effects.names(action)
    affected = len(names)
    listed = names_in_a_row(names)
    if action == QualityActionKind.WARN:
        return counted(
            "Would warn %(affected)s of %(count)s judge: %(names)s.",
            "Would warn %(affected)s of %(count)s judges: %(names)s.",
            effects.measured,
            affected=affected,
            names=listed,
        )
    if action == QualityActionKind.PAUSE:
        return counted(
            "Would pause %(affected)s of %(count)s judge: %(names)s.",
            "Would pause %(affected)s of %(count)s judges: %(names)s.",
            effects.measured,
            affected=affected,
            names=listed,
        )
    return counted(
        "Would exclude %(affected)s of %(count)s judge: %(names)s.",
        "Would exclude %(affected)s of %(count)s judges: %(names)s.",
        effects.measured,
        affected=affected,
        names=listed,
    )
