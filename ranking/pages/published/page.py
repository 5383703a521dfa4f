"""The page of a published result, in the reader's language: made of its content alone."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import QualityRule
from campaign.models.system import system_label
from ranking.analyses.ranking import outcome_columns, tests_in_words
from ranking.core.ranges import Correction
from ranking.models import RankingRun
from ranking.pages import formats
from ranking.pages.judge_measures import breach_in_words, rule_in_words
from ranking.pages.plots import rank_plots
from ranking.pages.report_shown import shown_tables
from ranking.pages.summary import summarise_run
from ranking.range_choices import recorded_choice
from ranking.reports.published.report import metric_tables
from ranking.reports.tables import Column, Plot, Report, Table
from ranking.wording.agreement import strength_caution, strength_in_words
from ranking.wording.methods import reason_in_words
from ranking.wording.numbers import in_figures
from ranking.wording.pair_tests import mark_of
from ranking.wording.published_method import firmness_in_words, method_sentences, reason_published

Content = Mapping[str, Any]


def run_of(content: Content) -> RankingRun:
    """Return the frozen ranking as an unsaved run, with the names of the content.

    Functions that describe runs then work for it, too.
    """
    method, ranking = content["method"], content["ranking"]
    return RankingRun(
        method=method["name"],
        parameters=method["parameters"],
        seed=int(method["seed"]),
        watermark=method["watermark"],
        code_version=method["code_version"],
        finished_at=datetime.fromisoformat(method["computed_at"]),
        result={**ranking, "agreement": content["agreement"]},
    )


def left_out_lines(content: Content) -> list[dict[str, Any]]:
    """Return lines with what does not count in the ranking: its blocks, the reason, and who decided when."""
    left_out = content["left_out"]
    by_design = (
        _("Rehearsals and control blocks"),
        None,
        _("Never part of a result."),
        _("by design"),
    )
    lines = [
        *map(_judge, left_out["judges"]),
        *_group(content),
        *_of_kind(left_out["references"], _("Reference"), _("Human translation, not ranked.")),
        *_of_kind(
            left_out["damaged_references"],
            _("Damaged reference"),
            _("Attention check, not ranked."),
        ),
        by_design,
    ]
    return [dict(zip(("what", "blocks", "why", "decided"), line, strict=True)) for line in lines]


#: What is left out, its blocks, why, and who decided when.
_Line = tuple[str, int | None, str, str]


def _judge(judge: Mapping[str, Any]) -> _Line:
    what = _("Judge %(name)s") % {"name": judge["judge"]}
    return what, judge["blocks"], _why(judge), _decided(judge)


def _why(judge: Mapping[str, Any]) -> str:
    if judge["rule"] is not None:
        evidence = breach_in_words(judge["evidence"] or {})
        rule = rule_in_words(QualityRule(**judge["rule"]))
        return f"{evidence}. {rule}." if evidence else f"{rule}."
    return reason_published(judge) or _("No reason given.")


def _decided(judge: Mapping[str, Any]) -> str:
    if judge["decided_by"] is None:
        return "–"
    by = _("by a rule") if judge["decided_by"] == "rule" else _("by an organiser")
    day = date_format(date.fromisoformat(judge["decided_on"]), "DATE_FORMAT")
    return f"{day}, {by}"


def _group(content: Content) -> list[_Line]:
    group = content["method"]["judge_group"]
    if group is None or not group["judges_outside"]:
        return []
    what = ngettext("%(count)s judge", "%(count)s judges", group["judges_outside"])
    why = _("Not in the group “%(name)s”; only its judgments count.") % {"name": group["name"]}
    return [(what % {"count": group["judges_outside"]}, None, why, _("by the settings"))]


def _of_kind(names: list[str], what: str, why: str) -> list[_Line]:
    return [
        (f"{what}: {shown}" if shown in names else shown, None, why, _("by design"))
        for shown in map(system_label, names)
    ]


def pairs_table(content: Content) -> Table:
    """Return the pairs in the order of ranks, drawn as a matrix."""
    choice = recorded_choice(content["method"]["parameters"])
    level = choice.level
    correction = Correction(content["method"]["correction_of_pairs"])
    return Table.of(
        map(_with_shares, content["ranking"]["pairs"]),
        name="pairs",
        title=_("Win rate of row against column (%)"),
        columns=(
            Column("better", _("Better"), is_text=True),
            Column("worse", _("Worse"), is_text=True),
            *outcome_columns(),
            Column("comparisons", _("Comparisons")),
            Column("share", _("Share won")),
            Column("other_share", _("Share lost")),
            Column("p", "p"),
            Column("adjusted_p", _("Corrected p")),
            Column("mark", _("Mark"), is_text=True),
        ),
        keys=2,
        notes=[
            tests_in_words(choice.sides, correction, level),
            _(
                "Below each share: comparisons without ties. Blue: row won more; rust: column won more. Corrected p: * ≤ 0.10, † ≤ 0.05, ‡ ≤ 0.01."
            ),
            _("Strong shade: corrected p ≤ %(level)s.") % {"level": in_figures(level)},
        ],
        plot=Plot(
            kind="matrix",
            label="better",
            value="share",
            across="worse",
            back="other_share",
            count="comparisons",
            sign="mark",
            p="adjusted_p",
            level=level,
        ),
    )


def _with_shares(pair: Mapping[str, Any]) -> dict[str, Any]:
    decided = pair["wins"] + pair["losses"]
    return {
        **pair,
        **{name: system_label(pair[name]) for name in ("better", "worse")},
        "comparisons": decided,
        "share": pair["wins"] / decided if decided else None,
        "other_share": pair["losses"] / decided if decided else None,
        "mark": mark_of(pair["adjusted_p"]),
    }


def published_page(content: Content) -> dict[str, Any]:
    """Return the content of a result, ready to be shown: numbers in words, tables and plots."""
    ranking, test_set, sections = content["ranking"], content["test_set"], content["sections"]
    return {
        "content": content,
        "summary": summarise_run(run_of(content)),
        "languages": formats.language_pair(
            test_set["source_language"], test_set["target_language"]
        ),
        "firmness": firmness_in_words(sections["firmness"]) if "firmness" in sections else [],
        "plots": rank_plots(ranking["systems"], has_unranked=bool(ranking["not_estimable"])),
        "withdrawn": {each["system"] for each in content["systems"] if each["is_withdrawn"]},
        "not_estimable": [
            (row["system"], reason_in_words(row["reason"])) for row in ranking["not_estimable"]
        ],
        "pairs": shown_tables(Report(tables=[pairs_table(content)], data={})),
        "strength": strength_in_words(content["agreement"]["inter"]["kappa"]),
        "strength_caution": strength_caution(),
        "self_agreement": _self_agreement(content),
        "metrics": shown_tables(Report(tables=metric_tables(content), data={})),
        "method": method_sentences(content),
        "left_out": left_out_lines(content),
        **{name: _day(content["input"][name]) for name in ("first_day", "last_day")},
    }


def _day(text: str | None) -> date | None:
    return None if text is None else date.fromisoformat(text)


def _self_agreement(content: Content) -> str | None:
    section = content["sections"].get("self_agreement")
    if section is None:
        return None
    kappa = formats.kappa(section["kappa"])
    # Results that were published before have no interval.
    low, high = section.get("low"), section.get("high")
    if low is None or high is None:
        return _("κ within judges %(kappa)s.") % {"kappa": kappa}
    return _("κ within judges %(kappa)s (%(low)s to %(high)s).") % {
        "kappa": kappa,
        "low": formats.kappa(low),
        "high": formats.kappa(high),
    }


def frozen_in_words(content: Content) -> str:
    """Return which version this is, since when, and that it stays as it is."""
    return _(
        "Version %(version)s, published %(day)s. This page never changes: corrections are published as "
        "new versions."
    ) % {
        "version": content["version"],
        "day": date_format(datetime.fromisoformat(content["published_at"]), "DATE_FORMAT"),
    }


def draft_in_words(content: Content) -> str:
    """Return which version this would be."""
    return _("Version %(version)s, not published yet.") % {"version": content["version"]}
