"""What needs an organiser: kinds of alerts, each with what, why, and one thing to do."""

from ranking.selectors.alerts.alert import Alert, AlertKind
from ranking.selectors.alerts.facts import CampaignFacts, campaign_facts
from ranking.selectors.alerts.kinds import alerts_in, alerts_of_campaigns, needs_in

__all__ = [
    "Alert",
    "AlertKind",
    "CampaignFacts",
    "alerts_in",
    "alerts_of_campaigns",
    "campaign_facts",
    "needs_in",
]
