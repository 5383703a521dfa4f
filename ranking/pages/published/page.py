"""The page of a published result, changes between versions, and open issues before the next version."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any, Final

from django.db.models import F
from django.utils.formats import date_format, number_format
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from annotation.models import PageChanges, QualityRule
from campaign.models import CampaignState, Task
from campaign.models.system import system_label
from campaign.texts.counted import counted
from ranking.analyses.pairs import pairs_matrix, shares_in_words
from ranking.analyses.ranking import tests_in_words
from ranking.core.counting.moments import MIN_UNITS
from ranking.core.ranges import Correction
from ranking.models import PublishedResult, RankingRun
from ranking.pages import formats
from ranking.pages.formats import rank_plots
from ranking.pages.judge_measures import breach_in_words, rule_in_words
from ranking.pages.report_shown import shown_tables
from ranking.pages.summary import names_in_a_row, summarise_run
from ranking.range_choices import recorded_choice
from ranking.reports.published.report import metric_tables
from ranking.reports.tables import Column, Report, Table
from ranking.selectors.runs import ranking_is_due
from ranking.wording.agreement import strength_caution, strength_in_words
from ranking.wording.methods import reason_in_words
from ranking.wording.pair_tests import mark_of
from ranking.wording.published_method import (
    firmness_in_words,
    method_name,
    method_sentences,
    reason_published,
)
from ranking.wording.ranges import rank_range

Content = Mapping[str, Any]


def run_of(content: Content) -> RankingRun:
    """Return the frozen ranking as an unsaved run with the published names, to be described like other runs."""
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
    """Return lines for data excluded from the ranking, with blocks, reason, author and time."""
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


#: Excluded data with blocks, reason, author and time.
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
    what = counted("%(count)s judge", "%(count)s judges", group["judges_outside"])
    why = _("Not in the group “%(name)s”; only its judgments count.") % {"name": group["name"]}
    return [(what, None, why, _("by the settings"))]


def _of_kind(names: list[str], what: str, why: str) -> list[_Line]:
    return [
        (f"{what}: {shown}" if shown in names else shown, None, why, _("by design"))
        for shown in map(system_label, names)
    ]


def pairs_table(content: Content) -> Table:
    """Return the pairs in the order of ranks, drawn as a matrix."""
    choice = recorded_choice(content["method"]["parameters"])
    correction = Correction(content["method"]["correction_of_pairs"])
    return pairs_matrix(
        map(_with_shares, content["ranking"]["pairs"]),
        Column("better", _("Better"), is_text=True),
        Column("worse", _("Worse"), is_text=True),
        p="p",
        level=choice.level,
        notes=[
            tests_in_words(choice.sides, correction, choice.level),
            *shares_in_words(choice.level),
        ],
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
    """Return the content of a result as shown: numbers in words, tables and plots."""
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
    # Older published results have no interval.
    low, high = section.get("low"), section.get("high")
    if low is None or high is None:
        return _("κ within judges %(kappa)s.") % {"kappa": kappa}
    return _("κ within judges %(kappa)s (%(low)s to %(high)s).") % {
        "kappa": kappa,
        "low": formats.kappa(low),
        "high": formats.kappa(high),
    }


def frozen_in_words(content: Content) -> str:
    """Return the version, its date, and a note that it never changes."""
    return _(
        "Version %(version)s, published %(day)s. This page never changes: corrections are published as "
        "new versions."
    ) % {
        "version": content["version"],
        "day": date_format(datetime.fromisoformat(content["published_at"]), "DATE_FORMAT"),
    }


def draft_in_words(content: Content) -> str:
    """Return the version number of the draft in words."""
    return _("Version %(version)s, not published yet.") % {"version": content["version"]}


#: Maximum number of systems whose ranks are listed; the others are counted.
_NAMED: Final = 6


def differences(before: Content, after: Content) -> list[str]:
    """Return the changes between two versions, the most important first."""
    found = [
        *_judges(before, after),
        *_systems(before, after),
        *_method(before, after),
        *_blocks(before, after),
    ]
    if found or before["ranking"] != after["ranking"]:
        found += _ranking(before, after)
    return found or [_("Same data and ranking as in the previous version.")]


def _judges(before: Content, after: Content) -> Iterator[str]:
    was, now = (
        [each["judge"] for each in content["left_out"]["judges"]] for content in (before, after)
    )
    if gone := [name for name in now if name not in was]:
        yield _("Excludes %(judges)s.") % {"judges": _judges_named(gone)}
    if back := [name for name in was if name not in now]:
        yield _("Includes %(judges)s again.") % {"judges": _judges_named(back)}


def _judges_named(names: list[str]) -> str:
    if len(names) > _NAMED:
        return counted("%(count)s judge", "%(count)s judges", len(names))
    return names_in_a_row([_("judge %(name)s") % {"name": name} for name in names])


def _systems(before: Content, after: Content) -> Iterator[str]:
    was, now = ([each["system"] for each in content["systems"]] for content in (before, after))
    new = [name for name in now if name not in was]
    if new:
        yield _("New or renamed: %(systems)s.") % {"systems": names_in_a_row(new)}
    gone = [name for name in was if name not in now]
    # Systems that became anonymous must not be named here.
    if gone and not _without_name(after).intersection(new):
        yield _("Removed or renamed: %(systems)s.") % {"systems": names_in_a_row(gone)}
    gone_since = _withdrawn(after) - _withdrawn(before)
    if gone_since:
        yield _("Withdrawn: %(systems)s.") % {"systems": names_in_a_row(sorted(gone_since))}


def _without_name(content: Content) -> set[str]:
    return {each["system"] for each in content["systems"] if not each["is_named"]}


def _withdrawn(content: Content) -> set[str]:
    return {each["system"] for each in content["systems"] if each["is_withdrawn"]}


def _method(before: Content, after: Content) -> Iterator[str]:
    was, now = before["method"], after["method"]
    if was["name"] != now["name"]:
        yield _("Method %(before)s → %(after)s.") % {
            "after": method_name(now["name"]),
            "before": method_name(was["name"]),
        }
    elif _choice(was) != _choice(now):
        yield _("Rank ranges are computed differently.")


def _choice(method: Mapping[str, Any]) -> dict[str, Any]:
    names = ("resample", "ranges", "correction", "sides", "confidence", "resamples")
    return {name: method["parameters"].get(name) for name in names} | {
        "group": method["judge_group"] and method["judge_group"]["name"]
    }


def _blocks(before: Content, after: Content) -> Iterator[str]:
    was, now = before["input"]["blocks"], after["input"]["blocks"]
    if was != now:
        yield _("Blocks %(before)s → %(after)s.") % {
            "before": number_format(was),
            "after": number_format(now),
        }


def _clusters(content: Content) -> str:
    count = content["finding"]["clusters"]
    return "–" if count is None else number_format(count)


def _ranking(before: Content, after: Content) -> Iterator[str]:
    was = {row["system"]: row for row in before["ranking"]["systems"]}
    now = {row["system"]: row for row in after["ranking"]["systems"]}
    common = [name for name in now if name in was]
    if not common:
        return
    order = (
        _("same order") if [name for name in was if name in now] == common else _("order changed")
    )
    ranges = [
        _("%(system)s %(before)s → %(after)s")
        % {
            "system": system_label(name),
            "before": rank_range(was[name]),
            "after": rank_range(now[name]),
        }
        for name in common
        if rank_range(was[name]) != rank_range(now[name])
    ]
    clusters = {"before": _clusters(before), "after": _clusters(after), "order": order}
    sentence = (
        capfirst(order)
        if clusters["before"] == clusters["after"]
        else _("Clusters %(before)s → %(after)s; %(order)s") % clusters
    )
    yield pgettext("between groups of names", "; ").join([sentence, *_some(ranges)]) + "."


def _some(ranges: list[str]) -> list[str]:
    if len(ranges) <= _NAMED:
        return ranges
    more = _("%(count)s more rank ranges changed") % {"count": number_format(len(ranges) - _NAMED)}
    return [*ranges[:_NAMED], more]


def version_lines(
    versions: Sequence[PublishedResult], *, shown: PublishedResult | None
) -> list[dict[str, Any]]:
    """Return a line for each version, newest first, with the changes from the previous one."""
    before: Sequence[PublishedResult | None] = [*versions[1:], None]
    return [
        {
            "result": each,
            "content": each.content,
            "is_shown": shown is not None and each.pk == shown.pk,
            "differences": [] if earlier is None else differences(earlier.content, each.content),
        }
        for each, earlier in zip(versions, before, strict=False)
    ]


def newer_version(
    versions: Sequence[PublishedResult], shown: PublishedResult
) -> PublishedResult | None:
    """Return the newest version if it is newer than the one shown."""
    newest = versions[0] if versions else shown
    return newest if newest.version > shown.version else None


_MOST_NAMED: Final = 5


def worries_in_words(*, task: Task, run: RankingRun) -> list[str]:
    """Return the open issues of a task before its ranking is published. Constant number of queries."""
    changes = PageChanges.objects.filter(task=task)
    open_reports = changes.values_list(
        F("problem_reports") - F("problems_closed"), flat=True
    ).first()
    people = run.result["input"]["judges"]
    said = []
    if task.state == CampaignState.OPEN:
        said.append(_("The test set is still open, so the ranking will change."))
    if ranking_is_due(task_id=task.pk):
        said.append(_("The ranking is out of date. Reload in a few seconds."))
    if open_reports:
        said.append(
            counted(
                "%(count)s open problem report.", "%(count)s open problem reports.", open_reports
            )
        )
    if people < MIN_UNITS:
        said.append(
            counted(
                "Only %(count)s judge: other judges may rank differently.",
                "Only %(count)s judges: other judges may rank differently.",
                people,
            )
        )
    return said


def missing_in_words(content: Content) -> list[str]:
    """Return a note on data that will be missing for readers."""
    said = []
    if not content["authors"]:
        said.append(_("No authors: the citation names the campaign."))
    if not content["contact"]:
        said.append(_("No contact for readers."))
    if content["agreement"]["inter"]["kappa"] is None:
        said.append(_("No agreement between judges."))
    if content["task"]["instructions_version"] is None:
        said.append(_("No instructions."))
    if content["ranking"]["not_estimable"]:
        names = [row["system"] for row in content["ranking"]["not_estimable"]]
        said.append(_("Not ranked: %(systems)s.") % {"systems": _names(names)})
    return said


def reasons_in_words(content: Content) -> list[str]:
    """Return the organisers' texts about judges that will become public."""
    judges: dict[str, list[str]] = {}
    for each in content["left_out"]["judges"]:
        if each["rule"] is None and each["reason"]:
            judges.setdefault(reason_published(each), []).append(each["judge"])
    return [
        _("Excluded: %(judges)s. This reason is published: “%(reason)s”")
        % {"judges": _names(names), "reason": reason}
        for reason, names in judges.items()
    ]


def named_before(labels: Mapping[str, str], earlier: list[PublishedResult]) -> str:
    """Return a warning if systems have other names in earlier versions; otherwise ""."""
    others = sorted(
        {
            f"{each.labels[key]} → {label}"
            for each in earlier
            for key, label in labels.items()
            if each.labels.get(key, label) != label
        }
    )
    if not others:
        return ""
    return _(
        "Earlier versions keep their names, so comparing scores can reveal which system is which: %(names)s."
    ) % {"names": _names(others)}


def _names(names: list[Any]) -> str:
    more = len(names) - _MOST_NAMED
    if more <= 0:
        return names_in_a_row(names)
    rest = _("%(count)s more") % {"count": number_format(more)}
    return names_in_a_row([*names[:_MOST_NAMED], rest])
