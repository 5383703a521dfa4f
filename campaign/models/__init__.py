"""Campaigns, their texts, and the people who run them."""

from campaign.models.activity import ActivityEvent, ActivityOperation, ActivityOrigin
from campaign.models.api_token import ApiToken, IdempotentAnswer, TokenScope
from campaign.models.bad_reference import BadReference
from campaign.models.campaign import Campaign
from campaign.models.conflict import ConflictOfInterest
from campaign.models.erasure import ERASURE_PATIENCE, ErasureRequest
from campaign.models.instructions import Acceptance, Instructions
from campaign.models.invitation import BrowserVisit, Invitation, InvitationRole
from campaign.models.job import Job, JobKind, JobState
from campaign.models.judge import Judge
from campaign.models.judge_group import GroupMember, JudgeGroup
from campaign.models.kept_file import FilePart, KeptFile
from campaign.models.mail import Mail, MailKind, MailState
from campaign.models.membership import (
    CHANGING_ROLES,
    OWNING_ROLES,
    Membership,
    MembershipRole,
)
from campaign.models.panel import Panel, PanelKind, Participation, ParticipationState
from campaign.models.session import Session, SignInCount
from campaign.models.state import CampaignState, Transition
from campaign.models.system import Output, OutputCorrection, System, SystemKind
from campaign.models.task import Protocol, Task
from campaign.models.test_set import Document, Reference, Segment, TestSet
from campaign.models.upload import ReferenceUse, Upload
from campaign.models.user import User
from campaign.models.webhook import (
    TEST_EVENT,
    DeliveryState,
    WebhookDelivery,
    WebhookEndpoint,
    WebhookEvent,
)
