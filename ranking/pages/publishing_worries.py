"""Open issues of a result that is about to be published."""

from collections.abc import Mapping
from typing import Any, Final

from django.db.models import F
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from annotation.models import PageChanges
from campaign.models import CampaignState, Task
from campaign.texts.counted import counted
from campaign.texts.joining import from_to, labelled
from ranking.core.counting.moments import MIN_UNITS
from ranking.models import PublishedResult, RankingRun
from ranking.pages.summary import names_in_a_row
from ranking.reports.predicted_ranking import completed_by, sample_doubt
from ranking.reports.wording.agreement import kappa_missing_in_words
from ranking.reports.wording.published_content import PublishedContent
from ranking.reports.wording.published_method import has_ranking, reason_published
from ranking.reports.wording.ranges import systems_of
from ranking.selectors.runs import ranking_is_due

_MOST_NAMED: Final = 5


def worries_in_words(*, task: Task, run: RankingRun) -> list[str]:
    """Return the open issues of a task before its ranking is published. Constant number of queries."""
    changes = PageChanges.objects.filter(task=task)
    open_reports = changes.values_list(
        F("problem_reports") - F("problems_closed"),
        flat=True,
    ).first()
    judges = run.result["input"]["judges"]
    worries = []
    if task.state == CampaignState.OPEN:
        worries.append(_("The test set is still open, so the ranking will change."))
    if ranking_is_due(task_id=task.pk):
        worries.append(_("The ranking is out of date. Reload in a few seconds."))
    if open_reports:
        worries.append(
            counted(
                "%(count)s open problem report.",
                "%(count)s open problem reports.",
                open_reports,
            ),
        )
    if judges < MIN_UNITS:
        worries.append(
            counted(
                "Only %(count)s judge: other judges may rank differently.",
                "Only %(count)s judges: other judges may rank differently.",
                judges,
            ),
        )
    return worries


def missing_in_words(content: PublishedContent) -> list[str]:
    """Return notes on data that will be missing for readers, or should be."""
    missing = []
    if not content["authors"]:
        missing.append(_("No authors: the citation names the campaign."))
    if not content["contact"]:
        missing.append(_("No contact for readers."))
    if has_ranking(content) and content["agreement"]["inter"]["kappa"] is None:
        missing.append(kappa_missing_in_words(content["agreement"]["inter"]))
    if content["task"]["instructions_version"] is None:
        missing.append(_("No instructions."))
    if has_ranking(content) and content["ranking"]["not_estimable"]:
        names = systems_of(content["ranking"]["not_estimable"])
        missing.append(_("Not ranked: %(systems)s.") % {"systems": _names(names)})
    if "predicted_ranking" in content["sections"]:
        predicted = content["sections"]["predicted_ranking"]
        doubt = sample_doubt(predicted)
        if doubt:
            missing.append(labelled(completed_by(predicted), doubt))
    return missing


def reasons_in_words(content: PublishedContent) -> list[str]:
    """Return the organisers' texts about judges that will become public."""
    judges: dict[str, list[str]] = {}
    for judge in content["left_out"]["judges"]:
        if judge["rule"] is None and judge["reason"]:
            reason = reason_published(judge)
            judges.setdefault(reason, []).append(judge["judge"])
    sentence = _("Excluded: %(judges)s. This reason is published: “%(reason)s”")
    sentences = []
    for reason, names in judges.items():
        sentences.append(sentence % {"judges": _names(names), "reason": reason})
    return sentences


def named_before(labels: Mapping[str, str], earlier: list[PublishedResult]) -> str:
    """Return a warning if systems have other names in earlier versions; otherwise ""."""
    renamed = set()
    for version in earlier:
        for key, label in labels.items():
            earlier_label = version.labels.get(key, label)
            if earlier_label != label:
                renamed.add(from_to(earlier_label, label))
    if not renamed:
        return ""
    return _(
        "Earlier versions keep their names, so comparing scores can reveal which system is which: %(names)s.",
    ) % {"names": _names(sorted(renamed))}


def _names(names: list[Any]) -> str:
    more = len(names) - _MOST_NAMED
    if more <= 0:
        return names_in_a_row(names)
    rest = _("%(count)s more") % {"count": number_format(more)}
    return names_in_a_row([*names[:_MOST_NAMED], rest])
