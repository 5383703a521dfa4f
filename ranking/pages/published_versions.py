"""Versions of a published result, with the changes from one to the next."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from campaign.models.system import system_in_sentence
from campaign.texts.counted import counted
from campaign.texts.joining import semicolon_list, with_full_stop
from ranking.models import PublishedResult
from ranking.pages.published_results import withdrawn_systems
from ranking.pages.summary import names_in_a_row
from ranking.reports.wording.published_content import PublishedContent, PublishedMethod
from ranking.reports.wording.published_method import method_name
from ranking.reports.wording.ranges import rank_range, rows_by_system, systems_of

#: Maximum number of systems whose ranks are listed; the others are counted.
_NAMED: Final = 6


def differences(before: PublishedContent, after: PublishedContent) -> list[str]:
    """Return the changes between two versions, the most important first."""
    changes = [
        *_judges(before, after),
        *_systems(before, after),
        *_method(before, after),
        *_blocks(before, after),
    ]
    if changes or before["ranking"] != after["ranking"]:
        changes += _ranking(before, after)
    return changes or [_("Same data and ranking as in the previous version.")]


def _judges(before: PublishedContent, after: PublishedContent) -> Iterator[str]:
    was = [judge["judge"] for judge in before["left_out"]["judges"]]
    now = [judge["judge"] for judge in after["left_out"]["judges"]]
    excluded = _names_only_in_first(now, was)
    if excluded:
        yield _judges_excluded(excluded)
    included = _names_only_in_first(was, now)
    if included:
        yield _judges_included(included)


def _names_only_in_first(names: Sequence[str], others: Sequence[str]) -> list[str]:
    """Return the names that are not among the others."""
    return [name for name in names if name not in others]


def _judges_excluded(names: list[str]) -> str:
    # Without pseudonyms, as readers of the page see it, too.
    return counted(
        "Excludes %(count)s judge.",
        "Excludes %(count)s judges.",
        len(names),
    )


def _judges_included(names: list[str]) -> str:
    return counted(
        "Includes %(count)s judge again.",
        "Includes %(count)s judges again.",
        len(names),
    )


def _systems(before: PublishedContent, after: PublishedContent) -> Iterator[str]:
    was = systems_of(before["systems"])
    now = systems_of(after["systems"])
    new = _names_only_in_first(now, was)
    if new:
        yield _("New or renamed: %(systems)s.") % {"systems": names_in_a_row(new)}
    gone = _names_only_in_first(was, now)
    # Systems that became anonymous must not be named here.
    if gone and not _anonymous_systems(after).intersection(new):
        yield _("Removed or renamed: %(systems)s.") % {"systems": names_in_a_row(gone)}
    gone_since = withdrawn_systems(after) - withdrawn_systems(before)
    if gone_since:
        yield _("Withdrawn: %(systems)s.") % {
            "systems": names_in_a_row(sorted(gone_since)),
        }


def _anonymous_systems(content: PublishedContent) -> set[str]:
    return {row["system"] for row in content["systems"] if not row["is_named"]}


def _method(before: PublishedContent, after: PublishedContent) -> Iterator[str]:
    was = before["method"]
    now = after["method"]
    if was["name"] != now["name"]:
        yield _("Method %(before)s → %(after)s.") % {
            "after": method_name(now["name"]),
            "before": method_name(was["name"]),
        }
    elif _choices(was) != _choices(now):
        yield _("Rank ranges are computed differently.")


def _choices(method: PublishedMethod) -> list[object]:
    """Return the choices that rank ranges follow from."""
    parameters = method["parameters"]
    group = None
    if method["judge_group"]:
        group = method["judge_group"]["name"]
    return [
        parameters.get("resample"),
        parameters.get("ranges"),
        parameters.get("correction"),
        parameters.get("sides"),
        parameters.get("confidence"),
        parameters.get("resamples"),
        group,
    ]


def _blocks(before: PublishedContent, after: PublishedContent) -> Iterator[str]:
    was = before["input"]["blocks"]
    now = after["input"]["blocks"]
    if was != now:
        yield _("Blocks %(before)s → %(after)s.") % {
            "before": number_format(was),
            "after": number_format(now),
        }


def _clusters(content: PublishedContent) -> str:
    count = content["finding"]["clusters"]
    if count is None:
        return "–"
    return number_format(count)


def _ranking(before: PublishedContent, after: PublishedContent) -> Iterator[str]:
    was = rows_by_system(before["ranking"]["systems"])
    now = rows_by_system(after["ranking"]["systems"])
    common = [name for name in now if name in was]
    if not common:
        return
    is_same = [name for name in was if name in now] == common
    ranges = []
    for name in common:
        range_before = rank_range(was[name])
        range_after = rank_range(now[name])
        if range_before != range_after:
            change = _("%(system)s %(before)s → %(after)s") % {
                "system": system_in_sentence(name),
                "before": range_before,
                "after": range_after,
            }
            ranges.append(change)
    order = _order_in_words(
        is_same=is_same,
        before=_clusters(before),
        after=_clusters(after),
    )
    yield with_full_stop(semicolon_list([order, *_some(ranges)]))


def _order_in_words(*, is_same: bool, before: str, after: str) -> str:
    """Return a phrase on the order of the systems in two versions, and on their clusters if those changed."""
    if before == after:
        if is_same:
            return _("Same order")
        return _("Order changed")
    clusters = {"before": before, "after": after}
    if is_same:
        return _("Clusters %(before)s → %(after)s; same order") % clusters
    return _("Clusters %(before)s → %(after)s; order changed") % clusters


def _some(ranges: list[str]) -> list[str]:
    if len(ranges) <= _NAMED:
        return ranges
    more = _("%(count)s more rank ranges changed") % {
        "count": number_format(len(ranges) - _NAMED),
    }
    return [*ranges[:_NAMED], more]


@dataclass(frozen=True, slots=True)
class VersionLine:
    """A version, with the changes from the previous one."""

    result: PublishedResult
    content: PublishedContent
    is_shown: bool
    differences: list[str]


def version_lines(
    versions: Sequence[PublishedResult],
    *,
    current: PublishedResult | None,
) -> list[VersionLine]:
    """Return a line for each version, newest first."""
    lines = []
    for number, version in enumerate(versions, 1):
        changes: list[str] = []
        if number < len(versions):
            changes = differences(versions[number].content, version.content)
        line = VersionLine(
            result=version,
            content=version.content,
            is_shown=current is not None and version.pk == current.pk,
            differences=changes,
        )
        lines.append(line)
    return lines


def newer_version(
    versions: Sequence[PublishedResult],
    result: PublishedResult,
) -> PublishedResult | None:
    """Return the newest version if it is newer than the one shown."""
    if versions and versions[0].version > result.version:
        return versions[0]
    return None
