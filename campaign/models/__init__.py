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
from campaign.models.instructions import Acceptance, Instructions
from campaign.models.invitation import BrowserVisit, Invitation, InvitationRole
from campaign.models.job import Job, JobKind, JobState
from campaign.models.judge import (
    ERASURE_PATIENCE,
    ConflictOfInterest,
    ErasureRequest,
    GroupMember,
    Judge,
    JudgeGroup,
)
from campaign.models.mail import Mail, MailKind, MailState
from campaign.models.panel import Panel, PanelKind, Participation, ParticipationState
from campaign.models.system import BadReference, Output, OutputCorrection, System, SystemKind
from campaign.models.task import Protocol, Task
from campaign.models.test_set import Document, Reference, Segment, TestSet
from campaign.models.upload import FilePart, KeptFile, ReferenceUse, Upload
from campaign.models.user import ApiToken, IdempotentAnswer, Session, SignInCount, TokenScope, User
from campaign.models.webhook import (
    TEST_EVENT,
    DeliveryState,
    WebhookDelivery,
    WebhookEndpoint,
    WebhookEvent,
)
