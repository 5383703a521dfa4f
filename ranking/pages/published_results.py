"""The page of a published result: its content in words, tables and plots."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _

from annotation.models import QualityRule
from campaign.models.system import system_label
from campaign.texts.counted import counted
from campaign.texts.joining import labelled, sentence_list, with_full_stop
from campaign.texts.languages import language_pair_name
from ranking.core.ranges import Correction
from ranking.core.rankings.range_kinds import RangeOptions
from ranking.models import RankingRun
from ranking.pages import formats
from ranking.pages.formats import RankPlotContent, rank_plots
from ranking.pages.judge_measures import breach_in_words, rule_in_words
from ranking.pages.report_shown import RenderedTable, rendered_tables
from ranking.pages.summary import Summary, summarise_run, summary_without_order
from ranking.reports.analyses.pairs import PairTests, pairs_matrix, shares_in_words
from ranking.reports.analyses.registry import ANALYSES
from ranking.reports.published_results import (
    answer_tables,
    has_own_tests,
    marked_p,
    metric_tables,
)
from ranking.reports.tables import Report, Table, order_columns
from ranking.reports.wording.agreement import (
    KappaWords,
    kappa_in_words,
    strength_caution,
)
from ranking.reports.wording.methods import unranked_in_words
from ranking.reports.wording.pair_tests import mark_of, own_tests_in_words
from ranking.reports.wording.published_content import (
    ExcludedJudge,
    PublishedContent,
    PublishedPair,
    PublishedRun,
)
from ranking.reports.wording.published_method import (
    firmness_in_words,
    has_ranking,
    method_sentences,
    pair_sentences,
    reason_published,
)


def run_of(content: PublishedRun) -> RankingRun:
    """Return the frozen ranking as an unsaved run with the published names, to be described like other runs."""
    method = content["method"]
    ranking = content["ranking"]
    return RankingRun(
        method=method["name"],
        parameters=method["parameters"],
        seed=int(method["seed"]),
        watermark=method["watermark"],
        code_version=method["code_version"],
        finished_at=datetime.fromisoformat(method["computed_at"]),
        result={**ranking, "agreement": content["agreement"]},
    )


@dataclass(frozen=True, slots=True)
class LeftOutLine:
    """Excluded data, with blocks, reason, author and time."""

    what: str
    blocks: int | None
    why: str
    decided: str


def left_out_lines(content: PublishedContent) -> list[LeftOutLine]:
    """Return lines for data excluded from the ranking."""
    left_out = content["left_out"]
    return [
        *(
            _judge_line(number, judge)
            for number, judge in enumerate(left_out["judges"], 1)
        ),
        *_group_lines(content),
        *_kind_lines(
            left_out["references"],
            _("Reference"),
            _("Written by a person, not ranked."),
        ),
        *_kind_lines(
            left_out["damaged_references"],
            _("Damaged reference"),
            _("Attention check, not ranked."),
        ),
        LeftOutLine(
            what=_("Rehearsals and control blocks"),
            blocks=None,
            why=_("Never part of a result."),
            decided=_("by design"),
        ),
    ]


def _judge_line(number: int, judge: ExcludedJudge) -> LeftOutLine:
    """Return a line about an excluded judge, whose pseudonym is in the files only."""
    what = _("Excluded judge %(number)s") % {"number": number_format(number)}
    return LeftOutLine(what, judge["blocks"], _why(judge), _decision_text(judge))


def _why(judge: ExcludedJudge) -> str:
    if judge["rule"] is not None:
        evidence = breach_in_words(judge["evidence"] or {})
        rule = rule_in_words(QualityRule(**judge["rule"]))
        return sentence_list(map(with_full_stop, filter(None, (evidence, rule))))
    return reason_published(judge) or _("No reason given.")


def _decision_text(judge: ExcludedJudge) -> str:
    if judge["decided_by"] is None or judge["decided_on"] is None:
        return "–"
    day = date_format(date.fromisoformat(judge["decided_on"]), "DATE_FORMAT")
    if judge["decided_by"] == "rule":
        return _("%(day)s, by a rule") % {"day": day}
    return _("%(day)s, by an organiser") % {"day": day}


def _group_lines(content: PublishedContent) -> list[LeftOutLine]:
    group = content["method"]["judge_group"]
    if group is None or not group["judges_outside"]:
        return []
    what = counted("%(count)s judge", "%(count)s judges", group["judges_outside"])
    why = _("Not in the group “%(name)s”; only its judgments count.") % {
        "name": group["name"],
    }
    return [LeftOutLine(what, None, why, _("by the settings"))]


def _kind_lines(names: list[str], what: str, why: str) -> Iterator[LeftOutLine]:
    for label in map(system_label, names):
        named = label
        if label in names:
            named = labelled(what, label)
        yield LeftOutLine(named, None, why, _("by design"))


def pairs_table(content: PublishedContent) -> Table:
    """Return the pairs in the order of ranks, drawn as a matrix."""
    level = RangeOptions.from_record(content["method"]["parameters"]).level
    # Results of older versions mark the tests of scores.
    if has_own_tests(content):
        p = "own_p"
        corrected = "own_adjusted_p"
        limits = content["ranking"]["own_limits"]
        caption = own_tests_in_words("two_way", Correction.HOLM, level, limits=limits)
    else:
        p = "p"
        corrected = "adjusted_p"
        caption = pair_sentences(content)
    return pairs_matrix(
        map(_pair_with_shares, content["ranking"]["pairs"]),
        *order_columns(),
        tests=PairTests(p=p, corrected=corrected, level=level),
        notes=[*caption, *shares_in_words(level)],
    )


class PairWithShares(PublishedPair):
    """A pair with the shares of both systems, if any comparison was decided."""

    comparisons: int
    share: float | None
    other_share: float | None
    mark: str


def _pair_with_shares(pair: PublishedPair) -> PairWithShares:
    decided = pair["wins"] + pair["losses"]
    share = None
    other_share = None
    if decided:
        share = pair["wins"] / decided
        other_share = pair["losses"] / decided
    named = pair.copy()
    named["better"] = system_label(pair["better"])
    named["worse"] = system_label(pair["worse"])
    return {
        **named,
        "comparisons": decided,
        "share": share,
        "other_share": other_share,
        "mark": mark_of(marked_p(pair)),
    }


class PublishedPage(KappaWords):
    """The content of a result as shown: numbers in words, tables and plots."""

    content: PublishedContent
    summary: Summary
    has_ranking: bool
    answers: list[RenderedTable]
    languages: str
    firmness: list[str]
    plots: list[RankPlotContent]
    withdrawn: set[str]
    not_estimable: list[tuple[str, str]]
    told_apart_by: list[str]
    pairs: list[RenderedTable]
    strength_caution: str
    self_agreement: str | None
    metrics: list[RenderedTable]
    method: list[str]
    left_out: list[LeftOutLine]
    has_teams: bool
    has_constraints: bool
    first_day: date | None
    last_day: date | None


def published_page(content: PublishedContent) -> PublishedPage:
    """Return the content of a result as shown."""
    ranking = content["ranking"]
    test_set = content["test_set"]
    systems = content["systems"]
    firmness: list[str] = []
    if "firmness" in content["sections"]:
        firmness = firmness_in_words(content["sections"]["firmness"])
    has_unranked = bool(ranking["not_estimable"])
    return {
        "content": content,
        "summary": _summary(content),
        "has_ranking": has_ranking(content),
        "answers": _render_tables(answer_tables(content)),
        "languages": language_pair_name(
            test_set["source_language"],
            test_set["target_language"],
        ),
        "firmness": firmness,
        "plots": rank_plots(ranking["systems"], has_unranked=has_unranked),
        "withdrawn": withdrawn_systems(content),
        "not_estimable": unranked_in_words(ranking),
        "told_apart_by": pair_sentences(content),
        "pairs": _render_tables([pairs_table(content)]),
        **kappa_in_words(content["agreement"]),
        "strength_caution": strength_caution(),
        "self_agreement": _self_agreement(content),
        "metrics": _render_tables(metric_tables(content)),
        "method": method_sentences(content),
        "left_out": left_out_lines(content),
        "has_teams": any(row["team"] or not row["is_named"] for row in systems),
        "has_constraints": any(row["constrained"] is not None for row in systems),
        "first_day": _day(content["input"]["first_day"]),
        "last_day": _day(content["input"]["last_day"]),
    }


def _render_tables(tables: Sequence[Table]) -> list[RenderedTable]:
    return rendered_tables(Report(tables=tables, data={}))


def _summary(content: PublishedContent) -> Summary:
    if has_ranking(content):
        return summarise_run(run_of(content))
    return summary_without_order(ANALYSES[content["sections"]["answers"]["analysis"]])


def _day(text: str | None) -> date | None:
    if text is None:
        return None
    return date.fromisoformat(text)


def _self_agreement(content: PublishedContent) -> str | None:
    section = content["sections"].get("self_agreement")
    if section is None:
        return None
    kappa = formats.kappa(section["kappa"])
    # Older published results have no interval.
    low = section.get("low")
    high = section.get("high")
    if low is None or high is None:
        return _("κ within judges %(kappa)s.") % {"kappa": kappa}
    return _("κ within judges %(kappa)s (%(low)s to %(high)s).") % {
        "kappa": kappa,
        "low": formats.kappa(low),
        "high": formats.kappa(high),
    }


def frozen_in_words(content: PublishedContent) -> str:
    """Return the version, its date, and a note that it never changes."""
    published_at = datetime.fromisoformat(content["published_at"])
    return _(
        "Version %(version)s, published %(day)s. This page never changes: corrections are published as "
        "new versions.",
    ) % {
        "version": content["version"],
        "day": date_format(published_at, "DATE_FORMAT"),
    }


def draft_in_words(content: PublishedContent) -> str:
    """Return the version number of the draft in words."""
    return _("Version %(version)s, not published yet.") % {
        "version": content["version"],
    }


def withdrawn_systems(content: PublishedContent) -> set[str]:
    """Return the systems that were withdrawn."""
    return {row["system"] for row in content["systems"] if row["is_withdrawn"]}
