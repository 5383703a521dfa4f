"""Campaigns, their texts, and the people who run them."""

from campaign.models.activity import ActivityEvent, ActivityOperation, ActivityOrigin
from campaign.models.campaign import (
    CHANGING_ROLES,
    OWNING_ROLES,
    Campaign,
    CampaignState,
    Membership,
    MembershipRole,
    Transition,
)
from campaign.models.invitation import (
    BrowserVisit,
    Invitation,
    InvitationRole,
    Mail,
    MailKind,
    MailState,
)
from campaign.models.job import Job, JobKind, JobState
from campaign.models.judge import (
    ERASURE_PATIENCE,
    Acceptance,
    ConflictOfInterest,
    ErasureRequest,
    GroupMember,
    Instructions,
    Judge,
    JudgeGroup,
)
from campaign.models.machine import MachineJudge
from campaign.models.panel import Panel, PanelKind, Participation, ParticipationState
from campaign.models.system import (
    BadReference,
    Output,
    OutputCorrection,
    System,
    SystemKind,
)
from campaign.models.task import Document, Protocol, Reference, Segment, Task, TestSet
from campaign.models.upload import FilePart, KeptFile, ReferenceUse, Upload
from campaign.models.user import (
    ApiToken,
    IdempotentAnswer,
    Session,
    SignInCount,
    TokenScope,
    User,
)
from campaign.models.webhook import (
    TEST_EVENT,
    DeliveryState,
    WebhookDelivery,
    WebhookEndpoint,
    WebhookEvent,
)
