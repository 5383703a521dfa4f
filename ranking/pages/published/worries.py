"""What should worry an organiser before publishing, in words."""

from collections.abc import Mapping
from typing import Any, Final

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ranking.core.counting.moments import MIN_UNITS
from ranking.models import PublishedResult
from ranking.pages.published.reading import Content
from ranking.pages.summary import names_in_a_row
from ranking.selectors.publishing_worries import PublishingWorries
from ranking.wording.published_method import reason_published

_NAMED: Final = 5


def worries_in_words(worries: PublishingWorries) -> list[str]:
    """Return what is open of a test set."""
    said = []
    if worries.is_open:
        said.append(
            _("The test set is still open: judges go on judging, and the result will move.")
        )
    if worries.is_due:
        said.append(_("The ranking is behind: judgments or settings are newer. Wait some seconds."))
    if worries.open_reports:
        reports = ngettext(
            "%(count)s problem report is open.",
            "%(count)s problem reports are open.",
            worries.open_reports,
        )
        said.append(reports % {"count": number_format(worries.open_reports)})
    if worries.judges < MIN_UNITS:
        judges = ngettext(
            "Only %(count)s judge: other judges may rank otherwise.",
            "Only %(count)s judges: other judges may rank otherwise.",
            worries.judges,
        )
        said.append(judges % {"count": number_format(worries.judges)})
    return said


def missing_in_words(content: Content) -> list[str]:
    """Return what readers of this content will miss."""
    said = []
    if not content["authors"]:
        said.append(_("Nobody is named as an author: the citation names the campaign."))
    if not content["contact"]:
        said.append(_("There is no contact: readers cannot ask."))
    if content["agreement"]["inter"]["kappa"] is None:
        said.append(_("Agreement between judges is not known."))
    if content["task"]["instructions_version"] is None:
        said.append(_("The campaign has no instructions."))
    if content["ranking"]["not_estimable"]:
        names = [row["system"] for row in content["ranking"]["not_estimable"]]
        said.append(_("Not ranked: %(systems)s.") % {"systems": _names(names)})
    return said


def reasons_in_words(content: Content) -> list[str]:
    """Return what organisers wrote of judges, which anybody will read."""
    judges: dict[str, list[str]] = {}
    for each in content["left_out"]["judges"]:
        if each["rule"] is None and each["reason"]:
            judges.setdefault(reason_published(each), []).append(each["judge"])
    return [
        _("Left out: %(judges)s. Anybody will read why: “%(reason)s”")
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
        "Earlier versions keep their names, and whoever compares scores can tell which system is "
        "which: %(names)s."
    ) % {"names": _names(others)}


def _names(names: list[Any]) -> str:
    more = len(names) - _NAMED
    if more <= 0:
        return names_in_a_row(names)
    rest = _("%(count)s more") % {"count": number_format(more)}
    return names_in_a_row([*names[:_NAMED], rest])
