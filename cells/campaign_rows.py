"""Which rows are a campaign's: how each model leads to it."""

from typing import Any, Final

from django.db.models import Field, ForeignKey, Model, QuerySet

from annotation import models as annotation
from campaign import models as campaign
from ranking import models as ranking

# A model that stands neither here nor below fails tests/unit/cells/test_campaign_rows.py.
_PATHS: Final[dict[type[Model], str]] = {
    campaign.Campaign: "pk",
    campaign.CampaignMove: "campaign",
    campaign.CampaignStateChange: "campaign",
    campaign.Rehearsal: "campaign",
    campaign.Membership: "campaign",
    campaign.ActivityEvent: "campaign",
    campaign.Instructions: "campaign",
    campaign.TestSet: "campaign",
    campaign.Job: "campaign",
    campaign.CampaignCopy: "campaign",
    campaign.CampaignCopyPart: "copy__campaign",
    campaign.Upload: "campaign",
    campaign.UploadedFile: "upload__campaign",
    campaign.UploadedPart: "file__upload__campaign",
    campaign.Document: "test_set__campaign",
    campaign.Segment: "test_set__campaign",
    campaign.Reference: "segment__test_set__campaign",
    campaign.System: "test_set__campaign",
    campaign.Output: "system__test_set__campaign",
    campaign.BadReference: "output__system__test_set__campaign",
    campaign.Judge: "campaign",
    campaign.JudgeGroup: "campaign",
    campaign.GroupMember: "judge__campaign",
    campaign.ConflictOfInterest: "judge__campaign",
    campaign.Acceptance: "judge__campaign",
    campaign.Invitation: "campaign",
    campaign.LinkRedemption: "invitation__campaign",
    campaign.BrowserVisit: "judge__campaign",
    campaign.InvitationMail: "campaign",
    campaign.Panel: "campaign",
    campaign.PanelArrival: "panel__campaign",
    campaign.PanelMember: "campaign",
    campaign.Participation: "panel__campaign",
    annotation.Design: "test_set__campaign",
    annotation.PlanningBatch: "test_set__campaign",
    annotation.HITSequence: "test_set__campaign",
    annotation.SamplingState: "test_set__campaign",
    annotation.HIT: "test_set__campaign",
    annotation.Block: "hit__test_set__campaign",
    annotation.Assignment: "hit__test_set__campaign",
    annotation.Exposure: "judge__campaign",
    annotation.JudgeAccount: "test_set__campaign",
    annotation.Judgment: "test_set__campaign",
    annotation.JudgmentNumber: "test_set__campaign",
    annotation.UnnumberedJudgment: "test_set__campaign",
    annotation.JudgmentSequence: "test_set__campaign",
    annotation.RankingRequest: "test_set__campaign",
    annotation.JudgeTally: "test_set__campaign",
    annotation.JudgedQuarterHour: "test_set__campaign",
    annotation.WorkedQuarterHour: "test_set__campaign",
    annotation.Skip: "judge__campaign",
    annotation.UncountedSkip: "test_set__campaign",
    annotation.PageChanges: "test_set__campaign",
    annotation.ProblemReport: "test_set__campaign",
    annotation.ProblemReply: "report__test_set__campaign",
    annotation.QualityRule: "campaign",
    annotation.QualityAction: "test_set__campaign",
    annotation.QualityReversal: "action__test_set__campaign",
    annotation.TrainingBlock: "test_set__campaign",
    annotation.TrainingCandidate: "training_block__test_set__campaign",
    ranking.RankingSettings: "test_set__campaign",
    ranking.StoppingRule: "test_set__campaign",
    ranking.RankingRun: "test_set__campaign",
    ranking.Analysis: "test_set__campaign",
    ranking.CampaignTable: "campaign",
    ranking.LatestRanking: "test_set__campaign",
    ranking.PublishedResult: "test_set__campaign",
    ranking.ResultBundle: "result__test_set__campaign",
    ranking.BundlePart: "bundle__result__test_set__campaign",
    ranking.ZenodoDraft: "result__test_set__campaign",
    ranking.QualityReport: "test_set__campaign",
    ranking.JudgeMeasures: "test_set__campaign",
    ranking.TalliesBuild: "test_set__campaign",
    ranking.StoredTallies: "test_set__campaign",
}
# People and their sessions belong to no campaign (`cells.people` copies those it needs); counts of attempts to
# sign in and work that commands have cut into shards stay where they are.
NOT_OF_A_CAMPAIGN: Final[frozenset[type[Model]]] = frozenset(
    {
        campaign.AccountMail,
        campaign.AlertMail,
        campaign.User,
        campaign.Session,
        campaign.SignInCount,
        ranking.ShardJob,
        ranking.ShardResult,
    }
)
TABLES: Final = tuple(_PATHS)


def campaign_rows(model: type[Model], campaign_id: int) -> QuerySet[Any, Any]:
    """Return the rows of a table that belong to a campaign, as tuples of their columns, by key."""
    rows = model._meta.base_manager.filter(**{_PATHS[model]: campaign_id})
    return rows.order_by("pk").values_list(*(field.attname for field in columns(model)))


def columns(model: type[Model]) -> list["Field[Any, Any]"]:
    """Return the fields of a table's columns, in the order of `campaign_rows`."""
    return list(model._meta.concrete_fields)


def columns_of_users(model: type[Model]) -> list[str]:
    """Return the columns that hold ids of users."""
    return [
        str(field.column)
        for field in columns(model)
        if isinstance(field, ForeignKey) and field.related_model is campaign.User
    ]
