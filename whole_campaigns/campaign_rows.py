"""Which rows are a campaign's: how each model leads to it."""

from typing import Any, Final

from django.db.models import Field, Model, QuerySet

from annotation import models as annotation
from campaign import models as campaign
from protocols import models as protocols
from ranking import models as ranking

# A model that stands neither here nor below fails tests/unit/whole_campaigns/test_campaign_rows.py.
_PATHS: Final[dict[type[Model], str]] = {
    campaign.Campaign: "pk",
    campaign.Membership: "campaign",
    campaign.ActivityEvent: "campaign",
    campaign.ApiToken: "campaign",
    campaign.WebhookEndpoint: "campaign",
    campaign.Instructions: "campaign",
    campaign.TestSet: "campaign",
    campaign.Task: "test_set__campaign",
    campaign.WebhookDelivery: "endpoint__campaign",
    campaign.WebhookMark: "endpoint__campaign",
    campaign.Job: "campaign",
    campaign.Upload: "campaign",
    campaign.KeptFile: "campaign",
    campaign.FilePart: "file__campaign",
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
    campaign.ErasureRequest: "judge__campaign",
    campaign.BrowserVisit: "judge__campaign",
    campaign.Mail: "campaign",
    campaign.Panel: "campaign",
    campaign.Participation: "panel__campaign",
    annotation.Design: "task__test_set__campaign",
    annotation.PlanningBatch: "task__test_set__campaign",
    annotation.HITSequence: "task__test_set__campaign",
    annotation.SamplingState: "task__test_set__campaign",
    annotation.HIT: "task__test_set__campaign",
    annotation.Block: "hit__task__test_set__campaign",
    annotation.Assignment: "hit__task__test_set__campaign",
    annotation.Exposure: "judge__campaign",
    annotation.JudgeAccount: "task__test_set__campaign",
    annotation.Judgment: "task__test_set__campaign",
    protocols.RatingAnswer: "judgment__task__test_set__campaign",
    protocols.TwoOutputsAnswer: "judgment__task__test_set__campaign",
    protocols.SpansAnswer: "judgment__task__test_set__campaign",
    protocols.EditingAnswer: "judgment__task__test_set__campaign",
    protocols.Snippet: "task__test_set__campaign",
    protocols.QuizAnswer: "judgment__task__test_set__campaign",
    annotation.JudgmentNumber: "task__test_set__campaign",
    annotation.UncountedAnswer: "task__test_set__campaign",
    protocols.SystemSort: "task__test_set__campaign",
    protocols.ClosedComparison: "sort__task__test_set__campaign",
    annotation.JudgmentSequence: "task__test_set__campaign",
    annotation.JudgeTally: "task__test_set__campaign",
    annotation.WorkedQuarterHour: "task__test_set__campaign",
    annotation.Skip: "judge__campaign",
    annotation.PageChanges: "task__test_set__campaign",
    annotation.ProblemReport: "task__test_set__campaign",
    annotation.ProblemReply: "report__task__test_set__campaign",
    annotation.QualityRule: "campaign",
    annotation.QualityAction: "task__test_set__campaign",
    annotation.TrainingBlock: "task__test_set__campaign",
    annotation.TrainingCandidate: "training_block__task__test_set__campaign",
    ranking.Metric: "test_set__campaign",
    ranking.RankingSettings: "task__test_set__campaign",
    ranking.StoppingRule: "task__test_set__campaign",
    ranking.RankingRun: "task__test_set__campaign",
    ranking.Analysis: "campaign",
    ranking.LatestRanking: "task__test_set__campaign",
    ranking.PublishedResult: "task__test_set__campaign",
    ranking.JudgeMeasures: "task__test_set__campaign",
    ranking.RankingUpkeep: "task__test_set__campaign",
    ranking.StoredTallies: "task__test_set__campaign",
}
# People and their sessions belong to no campaign, nor do counts of attempts to sign in and work that commands have
# cut into shards.
NOT_OF_A_CAMPAIGN: Final[frozenset[type[Model]]] = frozenset(
    {
        campaign.User,
        campaign.Session,
        campaign.SignInCount,
        # Encrypted for whoever sent the request, and kept for a day.
        campaign.IdempotentAnswer,
        ranking.ShardJob,
        ranking.ShardResult,
    }
)
TABLES: Final = tuple(_PATHS)


def campaign_rows(model: type[Model], campaign_id: int) -> QuerySet[Any, Any]:
    """Return the rows of a table that belong to a campaign, as tuples of their columns, by key."""
    rows = model._meta.base_manager.filter(**{_PATHS[model]: campaign_id})
    return rows.order_by("pk").values_list(*(field.attname for field in columns(model)))


def task_path(model: type[Model]) -> str | None:
    """Return how a table leads to the task that its rows hang on; None if they hang on none."""
    parts = _PATHS[model].split("__")
    return "__".join(parts[: parts.index("task") + 1]) if "task" in parts else None


def columns(model: type[Model]) -> list["Field[Any, Any]"]:
    """Return the fields of a table's columns, in the order of `campaign_rows`."""
    return list(model._meta.concrete_fields)
