"""The page of a published result, in the reader's language: made of its content alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final

from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import QualityRule
from campaign.models.system import system_label
from ranking.models import RankingRun
from ranking.pages import formats
from ranking.pages.judge_measures import breach_in_words, rule_in_words
from ranking.pages.plots import rank_plots
from ranking.pages.report_shown import shown_tables
from ranking.pages.summary import summarise_run
from ranking.range_choices import recorded_choice
from ranking.reports.published.report import metric_tables, pairs_against
from ranking.reports.tables import Report
from ranking.wording.agreement import strength_caution, strength_in_words
from ranking.wording.methods import reason_in_words
from ranking.wording.numbers import p_in_figures
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


@dataclass(frozen=True, slots=True)
class LeftOutLine:
    """An exclusion; `blocks` is None if it is not counted in blocks, `decided` says when and by whom."""

    what: str
    blocks: int | None
    why: str
    decided: str


def left_out_lines(content: Content) -> list[LeftOutLine]:
    """Return the exclusions: judges first, then the data that is never part of a result."""
    left_out = content["left_out"]
    return [
        *map(_judge, left_out["judges"]),
        *_group(content),
        *_of_kind(left_out["references"], _("Reference"), _("Human translation, not ranked.")),
        *_of_kind(
            left_out["damaged_references"],
            _("Damaged reference"),
            _("Attention check, not ranked."),
        ),
        LeftOutLine(
            _("Rehearsals and control blocks"), None, _("Never part of a result."), _("by design")
        ),
    ]


def _judge(judge: Mapping[str, Any]) -> LeftOutLine:
    return LeftOutLine(
        what=_("Judge %(name)s") % {"name": judge["judge"]},
        blocks=judge["blocks"],
        why=_why(judge),
        decided=_decided(judge),
    )


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


def _group(content: Content) -> list[LeftOutLine]:
    group = content["method"]["judge_group"]
    if group is None or not group["judges_outside"]:
        return []
    what = ngettext("%(count)s judge", "%(count)s judges", group["judges_outside"])
    return [
        LeftOutLine(
            what=what % {"count": group["judges_outside"]},
            blocks=None,
            why=_("Not in the group “%(name)s”; only its judgments count.")
            % {"name": group["name"]},
            decided=_("by the settings"),
        )
    ]


def _of_kind(names: list[str], what: str, why: str) -> list[LeftOutLine]:
    shown = [system_label(name) for name in names]
    return [
        LeftOutLine(f"{what}: {name}" if name in names else name, None, why, _("by design"))
        for name in shown
    ]


#: Shares from which a cell is a tone darker.
_TONES: Final = (0.6, 0.7, 0.8)


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell: the row's share of decided comparisons with the column.

    `tone` is "ahead-4" where the row wins by far, "behind-4" where the column does, "even" where the two are not
    told apart. `words` say all of it, for who does not see it.
    """

    share: str
    decided: str
    mark: str
    tone: str
    words: str


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """A system and its cells, by rank; None on the diagonal."""

    system: str
    cells: Sequence[Cell | None]


def pair_matrix(content: Content) -> list[MatrixRow]:
    """Return the rows of the matrix, best first; none of a single system."""
    if not content["ranking"]["pairs"]:
        return []
    names = [row["system"] for row in content["ranking"]["systems"]]
    against = pairs_against(content)
    level = recorded_choice(content["method"]["parameters"]).level
    return [
        MatrixRow(
            system=row,
            cells=[
                None if row == column else _cell(row, column, against(row, column), level)
                for column in names
            ],
        )
        for row in names
    ]


def _cell(row: str, column: str, found: tuple[int, int, float | None] | None, level: float) -> Cell:
    names = {"row": system_label(row), "column": system_label(column)}
    if found is None:
        return Cell("–", "0", "", "even", _("%(row)s and %(column)s: not compared") % names)
    won, decided, p = found
    share = won / decided
    shown = number_format(round(100 * share))
    said = {
        **names,
        "share": shown,
        "decided": number_format(decided),
        "p": _("not estimable yet") if p is None else p_in_figures(p),
    }
    return Cell(
        share=shown,
        decided=number_format(decided),
        mark=mark_of(p),
        tone=_tone(share) if p is not None and p <= level else "even",
        words=_(
            "%(row)s beats %(column)s in %(share)s%% of %(decided)s decided comparisons, adjusted p %(p)s"
        )
        % said,
    )


def _tone(share: float) -> str:
    """Return the tone of a cell whose systems are separated; a narrow win has the lightest."""
    if share == 0.5:
        return "even"
    ahead = max(share, 1 - share)
    tone = 1 + sum(ahead >= least for least in _TONES)
    return f"ahead-{tone}" if share > 0.5 else f"behind-{tone}"


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
        "matrix": pair_matrix(content),
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
