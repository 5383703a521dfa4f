"""Versions of a published result: the changes of each, and open issues before the next, in words."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from django.db.models import F
from django.utils.formats import number_format
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from annotation.models import PageChanges
from campaign.models import CampaignState, Task
from campaign.models.system import system_label
from ranking.core.counting.moments import MIN_UNITS
from ranking.models import PublishedResult, RankingRun
from ranking.pages.published.page import Content
from ranking.pages.summary import names_in_a_row
from ranking.selectors.runs import ranking_is_due
from ranking.wording.published_method import method_name, reason_published
from ranking.wording.ranges import rank_range

#: Systems whose places are named; the others are counted.
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
        return ngettext("%(count)s judge", "%(count)s judges", len(names)) % {
            "count": number_format(len(names))
        }
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
    """Return a line for each version, newest first, with how it differs from the one before."""
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
    """Return the newest version if a newer one than the one shown is there."""
    newest = versions[0] if versions else shown
    return newest if newest.version > shown.version else None


_MOST_NAMED: Final = 5


def worries_in_words(*, task: Task, run: RankingRun) -> list[str]:
    """Return the open issues of a task before its ranking is published. A handful of queries."""
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
        reports = ngettext(
            "%(count)s open problem report.",
            "%(count)s open problem reports.",
            open_reports,
        )
        said.append(reports % {"count": number_format(open_reports)})
    if people < MIN_UNITS:
        judges = ngettext(
            "Only %(count)s judge: other judges may rank differently.",
            "Only %(count)s judges: other judges may rank differently.",
            people,
        )
        said.append(judges % {"count": number_format(people)})
    return said


def missing_in_words(content: Content) -> list[str]:
    """Return a note on data that this content lacks for readers."""
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
    """Return organisers' texts about judges, which will be public."""
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
    """Return that earlier versions name systems that have letters now, or the other way round; "" if none."""
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
