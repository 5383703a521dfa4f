"""Rows of a campaign: path of each model to it, and the parts to clone. Cloning, erasing and deleting read this list."""

from enum import Enum
from typing import Any, Final, NamedTuple

from django.db.models import Field, Model, QuerySet

from annotation import models as annotation
from campaign import models as campaign
from protocols import models as protocols
from ranking import models as ranking


class Part(Enum):
    """Part of a campaign that is cloned as a whole."""

    ALWAYS = "always"
    TEXTS = "texts"
    PEOPLE = "people"


class _Table(NamedTuple):
    """Path from a table's rows to their campaign, and the parts with which they are cloned; never, if empty."""

    path: str
    cloned_with: frozenset[Part] = frozenset()


_ALWAYS, _TEXTS, _PEOPLE = (frozenset({part}) for part in Part)
# A model missing both here and below fails tests/unit/whole_campaigns/test_campaign_rows.py.
_TABLES: Final[dict[type[Model], _Table]] = {
    campaign.Campaign: _Table("pk"),
    campaign.Membership: _Table("campaign", _PEOPLE),
    campaign.ActivityEvent: _Table("campaign"),
    campaign.ApiToken: _Table("campaign"),
    campaign.WebhookEndpoint: _Table("campaign"),
    campaign.Instructions: _Table("campaign", _ALWAYS),
    campaign.TestSet: _Table("campaign", _TEXTS),
    campaign.Task: _Table("test_set__campaign", _TEXTS),
    campaign.WebhookDelivery: _Table("endpoint__campaign"),
    campaign.Job: _Table("campaign"),
    campaign.Upload: _Table("campaign"),
    campaign.KeptFile: _Table("campaign"),
    campaign.FilePart: _Table("file__campaign"),
    campaign.Document: _Table("test_set__campaign", _TEXTS),
    campaign.Segment: _Table("test_set__campaign", _TEXTS),
    campaign.Reference: _Table("segment__test_set__campaign", _TEXTS),
    campaign.System: _Table("test_set__campaign", _TEXTS),
    campaign.Output: _Table("system__test_set__campaign", _TEXTS),
    campaign.OutputCorrection: _Table("before__system__test_set__campaign"),
    campaign.BadReference: _Table("output__system__test_set__campaign", _TEXTS),
    campaign.Judge: _Table("campaign", _PEOPLE),
    campaign.JudgeGroup: _Table("campaign", _PEOPLE),
    campaign.GroupMember: _Table("judge__campaign", _PEOPLE),
    campaign.ConflictOfInterest: _Table("judge__campaign", _TEXTS | _PEOPLE),
    campaign.Acceptance: _Table("judge__campaign"),
    campaign.Invitation: _Table("campaign"),
    campaign.ErasureRequest: _Table("judge__campaign"),
    campaign.BrowserVisit: _Table("judge__campaign"),
    campaign.Mail: _Table("campaign"),
    campaign.Panel: _Table("campaign"),
    campaign.Participation: _Table("panel__campaign"),
    annotation.Design: _Table("task__test_set__campaign", _TEXTS),
    annotation.PlanningBatch: _Table("task__test_set__campaign"),
    annotation.HITSequence: _Table("task__test_set__campaign"),
    annotation.SamplingState: _Table("task__test_set__campaign"),
    annotation.HIT: _Table("task__test_set__campaign"),
    annotation.Block: _Table("hit__task__test_set__campaign"),
    annotation.Assignment: _Table("hit__task__test_set__campaign"),
    annotation.Exposure: _Table("judge__campaign"),
    annotation.JudgeAccount: _Table("task__test_set__campaign"),
    annotation.Judgment: _Table("task__test_set__campaign"),
    protocols.RatingAnswer: _Table("judgment__task__test_set__campaign"),
    protocols.TwoOutputsAnswer: _Table("judgment__task__test_set__campaign"),
    protocols.SpansAnswer: _Table("judgment__task__test_set__campaign"),
    protocols.EditingAnswer: _Table("judgment__task__test_set__campaign"),
    protocols.Snippet: _Table("task__test_set__campaign", _TEXTS),
    protocols.QuizAnswer: _Table("judgment__task__test_set__campaign"),
    annotation.JudgmentNumber: _Table("task__test_set__campaign"),
    annotation.UncountedAnswer: _Table("task__test_set__campaign"),
    protocols.SystemSort: _Table("task__test_set__campaign"),
    protocols.ClosedComparison: _Table("sort__task__test_set__campaign"),
    annotation.JudgmentSequence: _Table("task__test_set__campaign"),
    annotation.JudgeTally: _Table("task__test_set__campaign"),
    annotation.WorkedQuarterHour: _Table("task__test_set__campaign"),
    annotation.Skip: _Table("judge__campaign"),
    annotation.PageChanges: _Table("task__test_set__campaign"),
    annotation.ProblemReport: _Table("task__test_set__campaign"),
    annotation.ProblemReply: _Table("report__task__test_set__campaign"),
    annotation.QualityRule: _Table("campaign", _ALWAYS),
    annotation.QualityAction: _Table("task__test_set__campaign"),
    annotation.TrainingBlock: _Table("task__test_set__campaign", _TEXTS),
    annotation.TrainingCandidate: _Table("training_block__task__test_set__campaign", _TEXTS),
    ranking.Metric: _Table("test_set__campaign", _TEXTS),
    ranking.RankingSettings: _Table("task__test_set__campaign", _TEXTS),
    ranking.StoppingRule: _Table("task__test_set__campaign", _TEXTS),
    ranking.RankingRun: _Table("task__test_set__campaign"),
    ranking.Analysis: _Table("campaign"),
    ranking.LatestRanking: _Table("task__test_set__campaign"),
    ranking.PublishedResult: _Table("task__test_set__campaign"),
    ranking.JudgeMeasures: _Table("task__test_set__campaign"),
    ranking.RankingUpkeep: _Table("task__test_set__campaign"),
    ranking.StoredTallies: _Table("task__test_set__campaign"),
}
# People and their sessions belong to no campaign, nor do counts of attempts to sign in and work that commands have
# cut into shards.
NOT_OF_A_CAMPAIGN: Final[frozenset[type[Model]]] = frozenset(
    {
        campaign.User,
        campaign.Session,
        campaign.SignInCount,
        # Encrypted for the sender of the request, and kept for a day.
        campaign.IdempotentAnswer,
        ranking.ShardJob,
        ranking.ShardResult,
    }
)
TABLES: Final = tuple(_TABLES)
#: Parts that rows of a table are cloned with; in the order of `TABLES`, parents first.
CLONED: Final = {model: table.cloned_with for model, table in _TABLES.items() if table.cloned_with}


def campaign_rows(model: type[Model], campaign_id: int) -> QuerySet[Any, Any]:
    """Return the rows of a table that belong to a campaign, as tuples of their columns, by key."""
    rows = model._meta.base_manager.filter(**{_TABLES[model].path: campaign_id})
    return rows.order_by("pk").values_list(*(field.attname for field in columns(model)))


def task_path(model: type[Model]) -> str | None:
    """Return how a table leads to the task that its rows hang on; None if they hang on none."""
    parts = _TABLES[model].path.split("__")
    return "__".join(parts[: parts.index("task") + 1]) if "task" in parts else None


def columns(model: type[Model]) -> list["Field[Any, Any]"]:
    """Return the fields of a table's columns, in the order of `campaign_rows`."""
    return list(model._meta.concrete_fields)
