"""Analyses of a test set: what was asked, and what was answered."""

from dataclasses import dataclass

from annotation.models import JudgmentSequence
from campaign.models import Document, JudgeGroup, SystemKind, TestSet
from ranking.models import Analysis
from ranking.models.analysis import AnalysisQuerySet
from ranking.selectors.chosen_judgments import domains_of

#: Texts of answers, which lists do not show.
ANSWER = ("data", "reports")
#: With more documents than this, they are typed, not chosen from a list.
_DOCUMENTS_LISTED = 200


@dataclass(frozen=True, slots=True)
class JudgmentsToChoose:
    """What of the judgments of a test set may be chosen."""

    has_reference: bool
    groups: list[str]
    documents: list[str]
    domains: list[str]


@dataclass(frozen=True, slots=True)
class Answered:
    """The answers to a question. The newest is that of the most judgments, the last computed of these.

    Attributes
    ----------
    shown : Analysis or None
        The newest answer.
    pending : Analysis or None
        The newest question of the same choice, if it is newer than that.
    last : int
        The number of the last judgment of the test set.
    """

    shown: Analysis | None
    pending: Analysis | None
    last: int

    @property
    def newer(self) -> int:
        """Judgments that are not in the answer."""
        return 0 if self.shown is None else self.last - self.shown.watermark


def judgments_to_choose(*, test_set: TestSet) -> JudgmentsToChoose:
    """Return what may be chosen. Four queries."""
    documents = Document.objects.filter(test_set=test_set).order_by("position")
    listed = list(documents.values_list("name", flat=True)[: _DOCUMENTS_LISTED + 1])
    groups = JudgeGroup.objects.present().filter(campaign=test_set.campaign_id).order_by("name")
    return JudgmentsToChoose(
        has_reference=test_set.systems.filter(kind=SystemKind.REFERENCE).exists(),
        groups=list(groups.values_list("name", flat=True)),
        documents=listed if 1 < len(listed) <= _DOCUMENTS_LISTED else [],
        domains=domains_of(test_set_id=test_set.pk),
    )


def answered(*, test_set: TestSet, choice_digest: str, watermark: int | None = None) -> Answered:
    """Return the newest answer to a question, of the judgments 1…`watermark` if that is given. Three queries."""
    asked = Analysis.objects.of(test_set.pk).filter(choice_digest=choice_digest)
    if watermark is not None:
        asked = asked.filter(watermark=watermark)
    asked = asked.select_related("job").order_by("-watermark", "-id")
    newest = asked.defer(*ANSWER).first()
    shown = asked.finished().first()
    is_newer = newest is not None and (shown is None or newest != shown)
    last = JudgmentSequence.objects.filter(test_set=test_set).values_list("last_number", flat=True)
    return Answered(
        shown=shown,
        pending=newest if is_newer else None,
        last=last.first() or 0,
    )


def analyses_asked(*, test_set: TestSet) -> AnalysisQuerySet:
    """Return what was asked of a test set, the newest first, without the answers."""
    asked = Analysis.objects.of(test_set.pk).select_related("job", "asked_by")
    return asked.defer(*ANSWER).order_by("-id")
