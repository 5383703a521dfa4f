"""A stand-in for Prolific: it sends what docs.prolific.com/api-reference (studies, webhooks) says."""

import json
import time
from dataclasses import dataclass
from hashlib import sha1
from typing import Any
from urllib.parse import urlencode

from django.test import Client
from django.urls import reverse

from campaign.models import Campaign, Panel, PanelKind
from campaign.selectors.panel_requests import prolific_signature
from campaign.services.panels import panel_create

SECRET = "wh-5tvqYH0b1wLZ"
COMPLETION, SCREENED_OUT = "C1FINISHED", "C2SCREENED"


def make_panel(
    campaign: Campaign,
    kind: str = PanelKind.PROLIFIC,
    **terms: Any,
) -> Panel:
    defaults: dict[str, Any] = {
        "name": "pilot",
        "blocks_asked": 3,
        "minutes_allowed": 60,
        "completion_code": COMPLETION,
        "screened_out_code": SCREENED_OUT,
    }
    if kind == PanelKind.PROLIFIC:
        defaults["webhook_secret"] = SECRET
    else:
        defaults["service"] = "SONA"
    return panel_create(campaign=campaign, kind=kind, **(defaults | terms))


def prolific_id(name: str) -> str:
    """24 hexadecimal digits, as Prolific's ids are."""
    return sha1(name.encode()).hexdigest()[:24]


def opens(client: Client, address: str, query: dict[str, str]) -> Any:
    """Open an address, and press the button if a page with one comes."""
    page = client.get(address, query)
    return (
        client.post(f"{address}?{urlencode(query)}")
        if page.status_code == 200
        else page
    )


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
        """Open the link, and press the button of its page if there is one."""
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
        return self.posts(
            body,
            timestamp,
            prolific_signature_of(secret, timestamp, body),
        )

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
