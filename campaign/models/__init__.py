"""What is judged, and by whom it is run."""

from campaign.models.bad_reference import BadReference
from campaign.models.campaign import Campaign
from campaign.models.conflict import ConflictOfInterest
from campaign.models.invitation import Invitation
from campaign.models.judge import Judge
from campaign.models.membership import Membership
from campaign.models.system import Output, System
from campaign.models.test_set import Document, Reference, Segment, TestSet
from campaign.models.user import User

__all__ = [
    "BadReference",
    "Campaign",
    "ConflictOfInterest",
    "Document",
    "Invitation",
    "Judge",
    "Membership",
    "Output",
    "Reference",
    "Segment",
    "System",
    "TestSet",
    "User",
]
