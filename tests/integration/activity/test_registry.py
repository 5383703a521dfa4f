"""Each model and each of its fields is in the activity log, or stands here with the reason why not."""

from django.db.models import Model

from annotation import models as annotation
from campaign import models as campaign
from campaign.database.recording import recorded_columns
from protocols.editing import models as editing
from protocols.quiz import models as quiz
from protocols.rating import models as rating
from protocols.sorting import models as sorting
from protocols.spans import models as spans
from protocols.two_outputs import models as two_outputs
from ranking import models as ranking
from tests.integration.constraints.rules import models_of_the_project

JUDGING = "grows with judging: it is a record itself"
WORKED_OUT = "worked out from what was judged and set"
TEXTS = "texts come with their test set or system and never change by hand"
NO_CAMPAIGN = "of no campaign: accounts and sessions"
ITSELF = "kept for good as it is, with who and when"

NOT_RECORDED: dict[type[Model], str] = {
    campaign.ActivityEvent: "the log",
    campaign.CampaignMove: "of the operator who moves campaigns between cells",
    campaign.User: NO_CAMPAIGN,
    campaign.Session: NO_CAMPAIGN,
    campaign.SignInCount: NO_CAMPAIGN,
    campaign.RequestCount: NO_CAMPAIGN,
    campaign.IdempotentAnswer: "what it answered is recorded; kept for a day only",
    campaign.Document: TEXTS,
    campaign.Segment: TEXTS,
    campaign.Reference: TEXTS,
    campaign.Output: TEXTS,
    campaign.Acceptance: ITSELF,
    campaign.LinkRedemption: "the judge it makes is recorded",
    campaign.BrowserVisit: "kept for a time only, for privacy",
    campaign.InvitationMail: "the judge and the link it sends are recorded; holds an address",
    campaign.PanelArrival: "kept for an hour only, for privacy",
    campaign.PanelMember: "the judge it makes is recorded; holds an id of a person",
    campaign.Participation: JUDGING,
    campaign.CampaignStateChange: ITSELF,
    campaign.AccountMail: NO_CAMPAIGN,
    campaign.ErasureMail: "the request it tells of is recorded; holds an address",
    campaign.AlertMail: "of no campaign: what a person was sent",
    campaign.WebhookDelivery: WORKED_OUT,
    campaign.WebhookMark: WORKED_OUT,
    campaign.Job: ITSELF,
    campaign.CampaignCopy: WORKED_OUT,
    campaign.CampaignCopyPart: WORKED_OUT,
    campaign.ExportedFile: WORKED_OUT,
    campaign.ExportedPart: WORKED_OUT,
    campaign.Upload: "files on their way: the test set they become is recorded",
    campaign.UploadedFile: "files on their way",
    campaign.UploadedPart: "files on their way",
    annotation.PlanningBatch: WORKED_OUT,
    annotation.HITSequence: WORKED_OUT,
    annotation.SamplingState: WORKED_OUT,
    annotation.HIT: JUDGING,
    annotation.Block: JUDGING,
    annotation.Assignment: JUDGING,
    annotation.Exposure: JUDGING,
    annotation.JudgeAccount: JUDGING,
    annotation.Judgment: JUDGING,
    rating.Answer: JUDGING,
    two_outputs.Answer: JUDGING,
    spans.Answer: JUDGING,
    editing.Answer: JUDGING,
    quiz.Answer: JUDGING,
    sorting.SystemSort: WORKED_OUT,
    sorting.ClosedComparison: WORKED_OUT,
    annotation.JudgmentNumber: JUDGING,
    annotation.UnnumberedJudgment: JUDGING,
    annotation.JudgmentSequence: JUDGING,
    annotation.RankingRequest: WORKED_OUT,
    annotation.JudgeTally: WORKED_OUT,
    annotation.JudgedQuarterHour: WORKED_OUT,
    annotation.WorkedQuarterHour: WORKED_OUT,
    annotation.Skip: JUDGING,
    annotation.UncountedSkip: JUDGING,
    annotation.PageChanges: WORKED_OUT,
    annotation.ProblemReport: ITSELF,
    annotation.ProblemReply: ITSELF,
    ranking.RankingRun: WORKED_OUT,
    ranking.Analysis: WORKED_OUT,
    ranking.CampaignTable: WORKED_OUT,
    ranking.LatestRanking: WORKED_OUT,
    ranking.ResultBundle: "its job says who asked for it and when",
    ranking.BundlePart: WORKED_OUT,
    ranking.ZenodoDraft: "its job says who asked for it and when; holds a token for a moment",
    ranking.QualityReport: WORKED_OUT,
    ranking.JudgeMeasures: WORKED_OUT,
    ranking.TalliesBuild: WORKED_OUT,
    ranking.StoredTallies: WORKED_OUT,
    ranking.ShardJob: WORKED_OUT,
    ranking.ShardResult: WORKED_OUT,
}

BY_THE_EVENT = {"id", "campaign_id", "created_at", "created_by_id", "changed_by_id"}
# Beside the test set of the event, and who and when it was.
FIELDS_NOT_RECORDED: dict[type[Model], set[str]] = {
    # What the database makes of a change of `state`, which is recorded.
    campaign.Campaign: {"state_since", "state_before_bin", "rehearsal_of_id"},
    campaign.Rehearsal: {"seed", "begun_at", "begun_by_id"},
    campaign.System: {"test_set_id"},
    campaign.Task: {"test_set_id"},
    # Known by its segment; `reviewed_…` say again who and when.
    campaign.BadReference: {
        *("output_id", "damage", "detail", "seed"),
        *("reviewed_by_id", "reviewed_at", "approved_at", "withdrawn_at"),
    },
    # How judges find their way, and whose account they are.
    campaign.Judge: {"user_id", "chosen_task_id", "tour", "tour_left_at"},
    # Each version keeps its text for good.
    # When, until when, by whom, and what the record itself keeps.
    campaign.ErasureRequest: {"asked_at", "asked_by_id", "due_at", "answered_by_id", "removed"},
    campaign.Instructions: {"text"},
    # A hash that never changes, and when it was used.
    campaign.ApiToken: {"token_key", "digest", "last_used_at"},
    # What follows from deliveries, and what is told with the secret.
    campaign.WebhookEndpoint: {"failing_since", "old_secret", "old_secret_until"},
    # A secret that never changes, and a count.
    campaign.Invitation: {"token_hash", "arrived"},
    # Secrets that never change, and what Amazon sends.
    campaign.Panel: {"key", "events_key", "requested_topic_arn", "subscribe_url"},
    annotation.Design: {"task_id"},
    # Its document is that of its name, and never another.
    quiz.Snippet: {"task_id", "document_id"},
    annotation.QualityRule: {"replaces_id", "switched_off_by_id"},
    annotation.QualityAction: {"task_id", "evidence", "batch"},
    annotation.QualityReversal: {"action_id", "batch"},
    annotation.TrainingBlock: {"task_id"},
    annotation.TrainingCandidate: {"training_block_id"},
    # How far the campaign was.
    ranking.RankingSettings: {"task_id", "judgments"},
    ranking.StoppingRule: {"task_id", "after_judgments"},
    # Frozen with the version, whose digest is recorded.
    ranking.PublishedResult: {
        *("task_id", "content", "labels", "run_id", "published_at", "published_by_id")
    },
}
# Words that a column of secrets would have in its name.
SECRETS = ("token", "secret", "key", "hash", "password", "code", "seed", "url")


def test_each_model_is_recorded_or_says_why_not() -> None:
    recorded = set(recorded_columns())
    models = {model for model in models_of_the_project() if not model._meta.proxy}
    assert recorded | set(NOT_RECORDED) == models
    assert not recorded & set(NOT_RECORDED)
    assert all(NOT_RECORDED.values())


def test_each_field_of_a_recorded_model_is_recorded_or_listed() -> None:
    for model, (fields, hidden) in recorded_columns().items():
        columns = {field.attname for field in model._meta.concrete_fields}
        left_out = FIELDS_NOT_RECORDED.get(model, set())
        assert not left_out & (fields | hidden), model
        assert columns - BY_THE_EVENT == fields | hidden | left_out, model


def test_no_value_of_a_secret_is_recorded() -> None:
    for model, (fields, _hidden) in recorded_columns().items():
        assert not [name for name in fields if any(word in name for word in SECRETS)], model
