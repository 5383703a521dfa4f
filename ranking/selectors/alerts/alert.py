from dataclasses import dataclass

from django.db import models


class AlertKind(models.TextChoices):
    """What an alert is about; `ranking.selectors.alerts.kinds` says when each holds."""

    RULES_WAIT = "rules_wait"
    REPORTS_OPEN = "reports_open"
    NO_JUDGES = "no_judges"
    MAILS_FAILED = "mails_failed"
    JOB_FAILED = "job_failed"
    WEBHOOK_OFF = "webhook_off"
    COMPLETE = "complete"
    RULE_MET = "rule_met"
    STALLED = "stalled"
    LOW_AGREEMENT = "low_agreement"
    CONTROLS_SHORT = "controls_short"
    WORK_GONE = "work_gone"
    ENDS_LATE = "ends_late"
    FORECAST_SLIPPED = "forecast_slipped"


@dataclass(frozen=True, slots=True)
class Alert:
    """Something that needs an organiser: what, why, and the page where it is done, by a path of this server."""

    kind: AlertKind
    what: str
    why: str
    button: str
    address: str
    task_id: int | None = None
