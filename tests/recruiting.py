"""Stand-ins for Prolific and Mechanical Turk: they send what the services' documentation says.

Sources: docs.prolific.com/api-reference (studies, webhooks), and the AWS documentation of MTurk's
ExternalQuestion, of its notifications, and of Amazon SNS over HTTPS.
"""

import json
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha1
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

from django.test import Client
from django.urls import reverse

from campaign.models import Campaign, Panel, PanelKind
from campaign.panels.events import prolific_signature
from campaign.services import PanelTerms, panel_create
from tests.amazon import SUBSCRIBE, TOPIC, Amazon

SECRET = "wh-5tvqYH0b1wLZ"
COMPLETION, SCREENED_OUT = "C1FINISHED", "C2SCREENED"


def make_panel(campaign: Campaign, kind: str = PanelKind.PROLIFIC, **terms: Any) -> Panel:
    codes = {
        "completion_code": COMPLETION,
        "screened_out_code": SCREENED_OUT,
        "webhook_secret": SECRET,
    }
    defaults: dict[str, Any] = {"name": "pilot", "blocks_asked": 3, "minutes_allowed": 60}
    if kind == PanelKind.PROLIFIC:
        defaults |= codes
    return panel_create(campaign=campaign, kind=kind, terms=PanelTerms(**(defaults | terms)))


def prolific_id(name: str) -> str:
    """24 hexadecimal digits, as Prolific's ids are."""
    return sha1(name.encode()).hexdigest()[:24]


def opens(client: Client, address: str, query: dict[str, str]) -> Any:
    """Open an address, and press the button if a page with one comes."""
    page = client.get(address, query)
    return client.post(f"{address}?{urlencode(query)}") if page.status_code == 200 else page


@dataclass(frozen=True)
class Prolific:
    """A participant's browser that Prolific sends, and Prolific's own requests."""

    panel: Panel

    @property
    def address(self) -> str:
        return reverse("panel-entry", args=[self.panel.key])

    def query(self, person: str, session: str = "session") -> dict[str, str]:
        return {
            "PROLIFIC_PID": prolific_id(person),
            "STUDY_ID": prolific_id("study"),
            "SESSION_ID": prolific_id(person + session),
        }

    def opens(self, client: Client, person: str, session: str = "session") -> Any:
        """The link, and the button of its page where there is one."""
        return opens(client, self.address, self.query(person, session))

    def tells(
        self,
        person: str,
        status: str,
        *,
        session: str = "session",
        sent_ago: float = 0,
        secret: str = SECRET,
        changes: dict[str, str] | None = None,
    ) -> Any:
        """A signed webhook, as `json.dumps` of Python writes it."""
        event = {
            "resource_id": prolific_id(person + session),
            "event_type": "submission.status.change",
            "participant_id": prolific_id(person),
            "status": status,
        }
        body = json.dumps(event | (changes or {})).encode()
        timestamp = str(int(time.time() - sent_ago))
        return self.posts(body, timestamp, prolific_signature_of(secret, timestamp, body))

    def posts(self, body: bytes, timestamp: str, signature: str) -> Any:
        return Client(enforce_csrf_checks=True).post(
            reverse("panel-events", args=[self.panel.events_key]),
            data=body,
            content_type="application/json",
            headers={
                "X-Prolific-Request-Timestamp": timestamp,
                "X-Prolific-Request-Signature": signature,
            },
        )


def prolific_signature_of(secret: str, timestamp: str, body: bytes) -> str:
    return prolific_signature(secret=secret, timestamp=timestamp, body=body)


@dataclass(frozen=True)
class MTurk:
    """A worker's browser that MTurk sends, and what arrives through Amazon SNS if that is at work."""

    panel: Panel
    submit_to: str = "https://workersandbox.mturk.com"
    amazon: Amazon | None = None

    @property
    def address(self) -> str:
        return reverse("panel-entry", args=[self.panel.key])

    def query(self, worker: str, assignment: str) -> dict[str, str]:
        return {
            "assignmentId": assignment,
            "hitId": "3HITEXAMPLE0000000000000000000",
            "workerId": worker,
            "turkSubmitTo": self.submit_to,
        }

    def previews(self, client: Client) -> Any:
        """Nobody's: MTurk leaves the worker out and says so in the assignment's place."""
        return client.get(
            self.address, {"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE", "hitId": "3HIT"}
        )

    def frames(self, client: Client, worker: str, assignment: str) -> Any:
        return client.get(self.address, self.query(worker, assignment))

    def opens(self, client: Client, worker: str, assignment: str) -> Any:
        """The link in the frame, which opens a tab, and the button there."""
        return opens(client, self.address, self.query(worker, assignment) | {"tab": "1"})

    def tells(
        self, assignment: str, event: str, *, ago: float = 0, topic: str = TOPIC, **signing: Any
    ) -> Any:
        """A notification of something that happened `ago` seconds before it was sent."""
        at = datetime.now(tz=UTC) - timedelta(seconds=ago)
        message = {
            "EventDocId": uuid4().hex,
            "EventDocVersion": "2014-08-15",
            "CustomerId": "A1REQUESTER",
            "Events": [
                {
                    "EventType": event,
                    "EventTimestamp": at.strftime("%Y-%m-%dT%H:%M:%SZ"),
                    "HITTypeId": "3TYPE",
                    "HITId": "3HITEXAMPLE0000000000000000000",
                    "AssignmentId": assignment,
                }
            ],
        }
        fields = {"TopicArn": topic, "Message": json.dumps(message), "Subject": event}
        return self.posts("Notification", **(fields | signing))

    def subscribes(self, url: str = SUBSCRIBE, **signing: Any) -> Any:
        return self.posts("SubscriptionConfirmation", SubscribeURL=url, **signing)

    def posts(self, kind: str, **signing: Any) -> Any:
        assert self.amazon is not None
        return self.delivers(self.amazon.message(kind, **signing))

    def delivers(self, message: dict[str, Any]) -> Any:
        return Client(enforce_csrf_checks=True).post(
            reverse("panel-events", args=[self.panel.events_key]),
            data=json.dumps(message),
            content_type="text/plain; charset=UTF-8",
            headers={"x-amz-sns-message-type": message["Type"]},
        )
