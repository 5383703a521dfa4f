"""Problem reports: those of a campaign for its organisers, and a judge's own with the answers."""

from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Prefetch, QuerySet

from annotation.models import JudgmentNumber, ProblemReply, ProblemReport
from annotation.models.block import by_candidate
from annotation.selectors.judgment_list import RankedText, ranked_texts
from campaign.models import Campaign, Judge

_OWN_SHOWN: Final = 50


def problem_reports_of(*, campaign: Campaign) -> QuerySet[ProblemReport, Any]:
    """Return the reports of a campaign with their states, the latest first."""
    rows = ProblemReport.objects.filter(task__test_set__campaign=campaign).with_state()
    return rows.select_related("judge", "task__test_set", "block__segment__document").order_by(
        "-pk"
    )


def own_problem_reports(judge: Judge) -> QuerySet[ProblemReport, Any]:
    """Return a judge's latest reports with `answers`: what organisers said and did not take back. Two queries."""
    return all_own_problem_reports(judge)[:_OWN_SHOWN]


def all_own_problem_reports(judge: Judge) -> QuerySet[ProblemReport, Any]:
    """Return all of a judge's reports likewise, the newest first."""
    said = ProblemReply.objects.standing().exclude(text="").order_by("number")
    answers = Prefetch("replies", queryset=said, to_attr="answers")
    own = ProblemReport.objects.filter(judge=judge).with_state().select_related("block")
    return own.prefetch_related(answers).order_by("-pk")


@dataclass(frozen=True, slots=True)
class ReportedBlock:
    """What a report is about; `judgment` is the number of what its judge said of the block last, if anything."""

    texts: list[RankedText]
    judgment: int | None


def reported_block(report: ProblemReport) -> ReportedBlock:
    """Return the candidates as the judge saw them, with their ranks if they ranked them. Two queries."""
    found = JudgmentNumber.objects.filter(
        judgment__block=report.block_id, judgment__judge=report.judge_id
    )
    latest = found.order_by("-number").values_list("number", "judgment__labels").first()
    outputs, stands_for = report.block.outputs, report.block.stands_for
    number, labels = latest or (None, [None] * len(by_candidate(outputs, stands_for)))
    texts = ranked_texts(outputs=outputs, stands_for=stands_for, labels=labels)
    return ReportedBlock(texts=texts, judgment=number)
