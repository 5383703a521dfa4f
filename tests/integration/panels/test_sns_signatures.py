"""Nobody but Amazon SNS tells us what MTurk says."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import Encoding
from django.test import Client
from pytest_django import Settings

from campaign.models import Campaign, Panel, PanelKind, Participation
from campaign.panels import certificates
from campaign.services import sns_topic_approve
from config.settings import SNS_CERTIFICATE_HOSTS
from tests.amazon import SIGNER, TOPIC, Amazon, amazon_at_work, make_certificate, make_key
from tests.recruiting import MTurk, make_panel

pytestmark = pytest.mark.django_db

ASSIGNMENT = "3ASSIGNMENTEXAMPLE000000000001"
RETURNED = "AssignmentReturned"


@pytest.fixture
def mturk(client: Client, campaign: Campaign, amazon: Amazon) -> MTurk:
    """A topic that is believed, and a worker at work."""
    mturk = MTurk(make_panel(campaign, PanelKind.MTURK), amazon=amazon)
    assert mturk.subscribes().status_code == 204
    assert sns_topic_approve(panel=mturk.panel, topic_arn=TOPIC)
    mturk.opens(client, "A3EXAMPLEWORKER", ASSIGNMENT)
    return mturk


def state() -> str:
    return Participation.objects.get().state


@pytest.mark.parametrize("version", ["1", "2"])
def test_what_amazon_signed_is_believed_by_either_hash(mturk: MTurk, version: str) -> None:
    assert mturk.tells(ASSIGNMENT, RETURNED, version=version).status_code == 204
    assert state() == "returned"


def test_a_certificate_is_fetched_once(mturk: MTurk, amazon: Amazon) -> None:
    for event in ("AssignmentAccepted", "AssignmentSubmitted", RETURNED):
        assert mturk.tells(ASSIGNMENT, event).status_code == 204
    assert len(amazon.asked) == 1


@pytest.mark.parametrize("version", ["1", "2"])
def test_a_notification_that_was_tampered_with_is_not_believed(
    mturk: MTurk, amazon: Amazon, version: str
) -> None:
    events = {"Events": [{"EventType": RETURNED, "AssignmentId": ASSIGNMENT}]}
    signed = amazon.message(
        "Notification", version=version, Message=json.dumps(events), Subject="x"
    )
    changes: list[dict[str, str | None]] = [
        {"Message": '{"Events": []}'},
        {"MessageId": "other"},
        {"Subject": "other"},
        {"Subject": None},
        # The same time, said otherwise.
        {"Timestamp": signed["Timestamp"].replace("Z", "+00:00")},
        {"SignatureVersion": "2" if version == "1" else "1"},
        {"Signature": "AAAA"},
    ]
    for change in changes:
        forged = {name: value for name, value in (signed | change).items() if value is not None}
        assert (mturk.delivers(forged).status_code, state()) == (403, "started"), change


@pytest.mark.parametrize("kind", ["SubscriptionConfirmation", "UnsubscribeConfirmation"])
def test_neither_is_a_link_that_amazon_did_not_send(
    mturk: MTurk, amazon: Amazon, kind: str
) -> None:
    asked = Panel.objects.values("subscribe_url", "requested_topic_arn")
    before = asked.get()
    for change in (
        {"Token": "other"},
        {"SubscribeURL": "https://sns.us-east-1.amazonaws.com/?other"},
        {"Message": "other"},
        {"Signature": "AAAA"},
    ):
        assert mturk.delivers(amazon.message(kind) | change).status_code == 403, change
        assert asked.get() == before


@pytest.mark.thorough
@pytest.mark.parametrize(
    "certificate",
    [
        lambda: make_certificate(make_key("amazon"), SIGNER, ended_ago=60),
        lambda: make_certificate(make_key("amazon"), SIGNER, ended_ago=-31 * 86_400),
        lambda: make_certificate(make_key("amazon"), "sns.amazonaws.com.example.org"),
        lambda: make_certificate(make_key("amazon"), "example.org", in_subject=True),
        lambda: make_certificate(make_key("other"), SIGNER),
        lambda: b"no certificate",
        lambda: (
            make_certificate(make_key("amazon"), SIGNER).public_bytes(Encoding.PEM)
            + b"\n" * certificates.LARGEST
        ),
    ],
    ids=["ended", "not started", "other name", "other subject", "other key", "none", "too large"],
)
def test_no_certificate_but_one_of_amazons_that_holds_now_will_do(
    mturk: MTurk, amazon: Amazon, certificate: Callable[[], Any]
) -> None:
    url = amazon.publishes(certificate())
    assert mturk.tells(ASSIGNMENT, RETURNED, certificate_url=url).status_code == 403
    assert state() == "started"


def test_no_address_but_amazons_is_asked_for_a_certificate(
    mturk: MTurk, amazon: Amazon, settings: Settings
) -> None:
    settings.SNS_CERTIFICATE_HOSTS = SNS_CERTIFICATE_HOSTS
    amazon.asked.clear()
    for address in (
        "https://sns.us-east-1.amazonaws.com.example.org/x.pem",
        "https://example.org/sns.us-east-1.amazonaws.com/x.pem",
        "https://sns.us-east-1.amazonaws.com@example.org/x.pem",
        "https://sns.us-east-1.amazonaws.com:8443/x.pem",
        "https://bucket.s3.amazonaws.com/x.pem",
        "https://sns.a.b.amazonaws.com/x.pem",
        "http://sns.us-east-1.amazonaws.com/x.pem",
        "https://sns.us-east-1.amazonaws.com/x.key",
        "https://sns.us-east-1.amazonaws.com/x.pem?y",
        "https://sns.us-east-1.amazonaws.com/x.pem.key",
        "https://sns.us-east-1.amazonaws.com/?Action=x&y=.pem",
        "https://sns.us-east-1.amazonaws.com/../x.pem",
        "file:///etc/ssl/x.pem",
        f"{amazon.url}/x.pem",
    ):
        told = mturk.tells(ASSIGNMENT, RETURNED, certificate_url=address)
        assert (told.status_code, amazon.asked, state()) == (403, [], "started"), address


@pytest.mark.parametrize("ago", [66 * 60, -6 * 60])
@pytest.mark.parametrize("kind", ["Notification", "SubscriptionConfirmation"])
def test_what_was_sent_too_long_ago_or_not_yet_is_refused_unread(
    mturk: MTurk, amazon: Amazon, ago: float, kind: str
) -> None:
    amazon.asked.clear()
    message = amazon.message(kind, ago=ago, certificate_url=amazon.url + "/never.pem")
    assert mturk.delivers(message).status_code == 403
    assert amazon.asked == []


def test_what_amazon_sends_again_for_an_hour_is_believed_once(mturk: MTurk, amazon: Amazon) -> None:
    late = amazon.message("Notification", ago=59 * 60, Message='{"Events": []}')
    assert [mturk.delivers(late).status_code for _again in range(2)] == [204, 204]


def test_a_topic_nobody_agreed_to_makes_us_ask_nobody(mturk: MTurk, amazon: Amazon) -> None:
    amazon.asked.clear()
    url = amazon.publishes(make_certificate(make_key("amazon"), SIGNER))
    told = mturk.tells(ASSIGNMENT, RETURNED, topic=TOPIC + "x", certificate_url=url)
    assert (told.status_code, amazon.asked) == (403, [])


@pytest.mark.parametrize(("name", "trusted"), [("localhost", False), ("example.org", True)])
def test_a_server_that_nobody_vouches_for_is_not_amazon(
    mturk: MTurk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, trusted: bool
) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    with amazon_at_work(folder, name=name) as other:
        if trusted:
            monkeypatch.setenv("SSL_CERT_FILE", str(folder / "ca.pem"))
        url = other.publishes(make_certificate(make_key("amazon"), SIGNER))
        assert mturk.tells(ASSIGNMENT, RETURNED, certificate_url=url).status_code == 503
        assert (other.asked, state()) == ([], "started")


def test_while_amazon_cannot_be_asked_it_is_told_to_send_again(
    mturk: MTurk, amazon: Amazon, monkeypatch: pytest.MonkeyPatch
) -> None:
    nobody = "https://localhost:1/x.pem"
    assert mturk.tells(ASSIGNMENT, RETURNED, certificate_url=nobody).status_code == 503
    url = amazon.publishes(make_certificate(make_key("amazon"), SIGNER))
    amazon.asked.clear()
    # Not at once; what is known already goes on.
    assert mturk.tells(ASSIGNMENT, RETURNED, certificate_url=url).status_code == 503
    assert amazon.asked == []
    assert mturk.tells(ASSIGNMENT, "AssignmentAccepted").status_code == 204
    monkeypatch.setattr(certificates, "PAUSE", 0)
    assert mturk.tells(ASSIGNMENT, RETURNED, certificate_url=url).status_code == 204
    assert state() == "returned"


def test_amazon_does_not_keep_us_waiting(
    mturk: MTurk, amazon: Amazon, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither by an answer that never ends, of which each byte comes in time."""
    monkeypatch.setattr(certificates, "TIME_OUT", 0.5)
    url = amazon.publishes(make_certificate(make_key("amazon"), SIGNER))
    amazon.dripping.add(url.removeprefix(amazon.url))
    assert mturk.tells(ASSIGNMENT, RETURNED, certificate_url=url).status_code == 503
    assert state() == "started"
