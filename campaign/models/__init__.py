"""What is judged, and by whom it is run."""

from campaign.models.arrival import PanelArrival
from campaign.models.bad_reference import BadReference
from campaign.models.campaign import Campaign
from campaign.models.conflict import ConflictOfInterest
from campaign.models.instructions import Acceptance, Instructions
from campaign.models.invitation import BrowserVisit, Invitation, InvitationRole, LinkRedemption
from campaign.models.judge import Judge
from campaign.models.mail import InvitationMail, MailState
from campaign.models.membership import Membership, MembershipRole
from campaign.models.panel import Panel, PanelKind, PanelMember
from campaign.models.participation import Participation, ParticipationState
from campaign.models.session import Session
from campaign.models.sign_in_count import SignInCount
from campaign.models.system import Output, System, SystemKind
from campaign.models.test_set import Document, Reference, Segment, TestSet
from campaign.models.user import User

__all__ = [
    "Acceptance",
    "BadReference",
    "BrowserVisit",
    "Campaign",
    "ConflictOfInterest",
    "Document",
    "Instructions",
    "Invitation",
    "InvitationMail",
    "InvitationRole",
    "Judge",
    "LinkRedemption",
    "MailState",
    "Membership",
    "MembershipRole",
    "Output",
    "Panel",
    "PanelArrival",
    "PanelKind",
    "PanelMember",
    "Participation",
    "ParticipationState",
    "Reference",
    "Segment",
    "Session",
    "SignInCount",
    "System",
    "SystemKind",
    "TestSet",
    "User",
]
