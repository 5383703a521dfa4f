"""Each model of a campaign is cloned, or named as not cloned with its reason."""

from collections.abc import Mapping
from typing import Final

from django.db.models import Model

from annotation import models as annotation
from campaign import models as campaign
from protocols import models as protocols
from ranking import models as ranking
from whole_campaigns.campaign_rows import CLONED, ONLY, TABLES
from whole_campaigns.cloning import INSTEAD

_WORK: Final = "work: nobody has judged in the clone"
_PLANNED: Final = "planned anew from the designs"
_LINKS: Final = (
    "lets people into the other campaign; judges of the clone get links of their own"
)
_TOLD: Final = "tells a program of the other campaign: a clone sends nothing until somebody asks for it"
_FILES: Final = "files on their way to a test set of the other campaign"
#: Why the others are not.
NOT_CLONED: Final[Mapping[type[Model], str]] = {
    campaign.Campaign: "one row, made with another name, as a draft",
    campaign.ActivityEvent: "what was changed in the other campaign",
    campaign.ApiToken: "opens the other campaign",
    campaign.WebhookEndpoint: _TOLD,
    campaign.WebhookDelivery: _TOLD,
    campaign.Acceptance: "judges accept the instructions of the clone",
    campaign.Invitation: _LINKS,
    campaign.OutputCorrection: "the clone begins with the right texts",
    campaign.ErasureRequest: "asked of the other campaign",
    campaign.Mail: "of the other campaign",
    campaign.BrowserVisit: "who opened links of the other campaign",
    campaign.Panel: "a study of its own at the recruiting service, with its addresses and codes",
    campaign.Job: "work of the other campaign",
    campaign.Upload: _FILES,
    campaign.KeptFile: "uploads, exports and bundles of the other campaign",
    campaign.FilePart: "of such a file",
    campaign.Participation: "of a panel",
    annotation.PlanningBatch: _PLANNED,
    annotation.HITSequence: _PLANNED,
    annotation.SamplingState: _PLANNED,
    annotation.HIT: _PLANNED,
    annotation.Block: _PLANNED,
    annotation.Assignment: _WORK,
    annotation.Exposure: _WORK,
    annotation.JudgeAccount: _WORK,
    annotation.Judgment: _WORK,
    protocols.RatingAnswer: _WORK,
    protocols.TwoOutputsAnswer: _WORK,
    protocols.SpansAnswer: _WORK,
    protocols.EditingAnswer: _WORK,
    protocols.QuizAnswer: _WORK,
    protocols.SystemSort: _PLANNED,
    protocols.ClosedComparison: _WORK,
    annotation.JudgmentNumber: _WORK,
    annotation.UncountedAnswer: _WORK,
    annotation.JudgmentSequence: _WORK,
    annotation.JudgeTally: _WORK,
    annotation.WorkedQuarterHour: _WORK,
    annotation.Skip: _WORK,
    annotation.PageChanges: _WORK,
    annotation.ProblemReport: _WORK,
    annotation.ProblemReply: _WORK,
    annotation.MachineJudgment: _WORK,
    campaign.MachineJudge: "judges the other campaign, with its token",
    annotation.QualityAction: _WORK,
    ranking.RankingRun: _WORK,
    ranking.Analysis: _WORK,
    ranking.LatestRanking: _WORK,
    ranking.PublishedResult: "a result of the other campaign, at its address",
    ranking.JudgeMeasures: _WORK,
    ranking.RankingUpkeep: _WORK,
    ranking.StoredTallies: _WORK,
}


def test_models_are_cloned_or_excluded_with_a_reason() -> None:
    assert set(CLONED) | set(NOT_CLONED) == set(TABLES)
    assert not set(CLONED) & set(NOT_CLONED)
    assert all(NOT_CLONED.values())


def test_omitted_and_replaced_columns_belong_to_cloned_models() -> None:
    assert set(ONLY) <= set(CLONED)
    for model, instead in INSTEAD.items():
        assert model in CLONED
        assert set(instead) <= {field.column for field in model._meta.concrete_fields}


def test_no_work_is_cloned() -> None:
    """Whatever a judge did or was lent."""
    assert not {annotation.Judgment, annotation.Assignment, ranking.RankingRun} & set(
        CLONED,
    )
